import {
  Client,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitResult,
  type Resource,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { main } from '../cli/support.ts';
import { LinesTransport, startHere, type OnEnd } from './in-process.ts';

export { childrenOf, isLinux, isPosix, isRunning, main, makeFolder } from '../cli/support.ts';

/** The two kinds of connection: with a handshake, and without one since 2026-07-28. */
export const eras = ['2025-11-25', '2026-07-28'] as const;
type Era = (typeof eras)[number];

export interface Connected {
  client: Client;
  /** Of the server. */
  pid: number;
  /** Everything it has written to stderr. */
  stderr: () => string;
  /** What it logged over the protocol. */
  logs: { level: string; data: Record<string, unknown> }[];
  /** How often it said that there are other resources. */
  listChanges: () => number;
  run: (script: string, options?: Parameters<Client['callTool']>[1]) => Promise<Answer>;
}

/** The answer of the tool, in the shape that its output schema promises. */
type Answer = CallToolResult & {
  structuredContent: { status: string; value?: unknown; text?: string; [key: string]: unknown };
};

export interface ConnectOptions {
  era?: Era;
  capabilities?: ClientCapabilities;
  /** Answers what the server asks the user. */
  elicit?: (message: string, signal: AbortSignal) => ElicitResult | Promise<ElicitResult>;
  /** URIs of the client's roots, as they are when the server asks. */
  roots?: () => string[];
  main?: string;
  /** Whether the client replies to `input_required` by itself. Default: yes. */
  autoFulfill?: boolean;
  /** Whether the server is a process of its own, as users have it, which costs 0.3 s of processor time. */
  asProcess?: boolean;
  /** When client and server end: with the test. */
  onEnd?: OnEnd;
}

/**
 * One server for all tests of a file or a `describe`. To start one with its sidecar and a spare takes 0.3 s of processor
 * time, and most tests leave nothing in it.
 *
 * @param prepare gives its arguments; folders that it makes take `onEnd`
 */
export function connectForAll(
  prepare: (onEnd: OnEnd) => string[] | Promise<string[]>,
  options: Omit<ConnectOptions, 'onEnd'> = {},
): () => Connected {
  const ends: Parameters<OnEnd>[0][] = [];
  const onEnd: OnEnd = (end) => void ends.unshift(end);
  let connected: Connected;
  beforeAll(async () => {
    connected = await connect(await prepare(onEnd), { ...options, onEnd });
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => connected;
}

/** Starts the built command with these arguments, in this process, and connects the official client to it. */
export async function connect(args: string[], options: ConnectOptions = {}): Promise<Connected> {
  const { era = eras[0], elicit, roots, autoFulfill = true, onEnd = onTestFinished } = options;
  const capabilities: ClientCapabilities = {
    ...(elicit && { elicitation: {} }),
    ...(roots && { roots: { listChanged: true } }),
    ...options.capabilities,
  };
  const mode = era === '2026-07-28' ? ({ pin: era } as const) : 'legacy';
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode }, inputRequired: { autoFulfill } },
  );
  if (elicit) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => elicit(params.message, mcpReq.signal));
  }
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots().map((uri) => ({ uri })) }));
  const logs: Connected['logs'] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params as (typeof logs)[0]));
  let listChanges = 0;
  client.setNotificationHandler('notifications/resources/list_changed', () => void listChanges++);

  const run: Connected['run'] = async (script, callOptions) =>
    (await client.callTool({ name: 'execute_sandbox_script', arguments: { script } }, callOptions)) as Answer;
  const connected = { client, logs, listChanges: () => listChanges, run };
  const asProcess = options.asProcess ?? options.main !== undefined;
  onEnd(() => client.close());
  const server = await (asProcess ? connectToProcess(client, args, options.main) : connectHere(client, args, onEnd));
  expect(client.getNegotiatedProtocolVersion()).toBe(era);
  return { ...connected, ...server };
}

async function connectHere(client: Client, args: string[], onEnd: OnEnd): Promise<Pick<Connected, 'pid' | 'stderr'>> {
  let said = '';
  await startHere(args, onEnd, async ({ stdin, stdout, stderr }) => {
    stderr.on('data', (chunk) => (said += String(chunk)));
    await client.connect(new LinesTransport(stdout, stdin));
  });
  return { pid: process.pid, stderr: () => said };
}

async function connectToProcess(
  client: Client,
  args: string[],
  path = main,
): Promise<Pick<Connected, 'pid' | 'stderr'>> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path, 'mcp', ...args],
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk) => (said += String(chunk)));
  await client.connect(transport);
  return { pid: transport.pid ?? 0, stderr: () => said };
}

/** The resources that are files. */
export async function attachmentsOf(client: Client): Promise<Resource[]> {
  return (await client.listResources()).resources.filter(({ uri }) => uri.startsWith('attachments:'));
}

/** The text of an answer. */
export function textOf({ content }: CallToolResult): string {
  const [part] = content;
  return part?.type === 'text' ? part.text : '';
}
