import { fileURLToPath } from 'node:url';
import type { Server, ServerDraft, ToolRun } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { TestPage } from '../turns/support.ts';

type Program = Extract<ServerDraft, { kind: 'stdio' }>;

const fixture = fileURLToPath(new URL('../../code-mode/fixtures/tools-server.mjs', import.meta.url));

/** The server of the SDK with tools of a tracker. */
export const tracker = stdio([fixture], { API_TOKEN: 'sk-verysecret-123456' });

/** A server that runs in this Node. */
export function stdio(args: string[], env: Record<string, string | null> = {}): Program {
  return { kind: 'stdio', command: process.execPath, args, env, trustHints: false, enabled: true };
}

/** Adds a server, and waits until it is connected or has failed. */
export async function connect(page: TestPage, name: string, server: ServerDraft): Promise<Server> {
  const seen = page.of('servers:changed').length;
  await page.ask('save-server', { name, was: null, server });
  return await settled(page, name, seen);
}

/** @param seen how many events about servers are of before */
export async function settled(page: TestPage, name: string, seen: number): Promise<Server> {
  const isOver = (server: Server): boolean => server.name === name && /^(?:connected|failed)$/.test(server.state);
  const { servers } = await page.until('servers:changed', (data) => {
    return page.of('servers:changed').indexOf(data) >= seen && data.servers.some(isOver);
  });
  return servers.find(isOver) as Server;
}

/** The run of a chat, once it waits for a person. */
export async function waitingRun(page: TestPage, chatId: string): Promise<ToolRun> {
  const { run } = await page.until('tool-run:changed', ({ run: each }) => each.chatId === chatId && isAsking(each));
  return run;
}

/** What the cards get of a call. */
export interface Call {
  id: number;
  tool: string;
  args: unknown[];
  state: string;
  answer?: unknown;
}

export function callsOf({ calls }: ToolRun): Call[] {
  return calls as Call[];
}

function isAsking(run: ToolRun): boolean {
  return run.state === 'waiting' && callsOf(run).some(({ state }) => state === 'approval' || state === 'unknown');
}
