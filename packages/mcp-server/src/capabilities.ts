import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** What the client can do. It reports that once at the start, or, since 2026-07-28, with each request. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Partial<Record<string, ClientCapabilities>> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
}

/** Whether it can show the user a form. */
export function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  // Older clients name no kind, because forms were the only kind.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
