import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Decision, Runs } from '@mustard-sandbox/runs';

/** Stores decisions. The first decision about a call counts, and a later one does nothing. */
export async function decide(runs: Runs, run: string, decisions: readonly Decision[]): Promise<void> {
  for (const decision of decisions) {
    await runs.decide(run, [decision]).catch((error: { code?: unknown }) => {
      if (!['not_pending', 'ended', 'wrong_decision'].includes(error.code as string)) throw error;
    });
  }
}

/** The name of who decides, for the audit log. */
export function userOf(server: Server, { mcpReq }: ServerContext): string {
  const envelope = mcpReq.envelope as Partial<Record<string, Implementation>> | undefined;
  const told = envelope?.[CLIENT_INFO_META_KEY];
  return `the user of ${(told ?? server.getClientVersion())?.name ?? 'an MCP client'}`;
}
