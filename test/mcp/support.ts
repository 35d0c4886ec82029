import { Client, type CallToolResult, type ClientCapabilities, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import { main } from '../cli/support.ts';
import { startHere } from './in-process.ts';

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
  /** Whether the server is a process of its own, as users have it, which costs 0.3 s of processor time. */
  asProcess?: boolean;
}

/** Starts the built command with these arguments, in this process, and connects the official client to it. */
export async function connect(args: string[], options: ConnectOptions = {}): Promise<Connected> {
  const { era = eras[0], elicit, roots } = options;
  const capabilities: ClientCapabilities = {
    ...(elicit && { elicitation: {} }),
    ...(roots && { roots: { listChanged: true } }),
    ...options.capabilities,
  };
  const mode = era === '2026-07-28' ? ({ pin: era } as const) : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (elicit) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => elicit(params.message, mcpReq.signal));
  }
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots().map((uri) => ({ uri })) }));
  const logs: Connected['logs'] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params as (typeof logs)[0]));
  let listChanges = 0;
  client.setNotificationHandler('notifications/resources/list_changed', () => void listChanges++);

  const asProcess = options.asProcess ?? options.main !== undefined;
  const server = asProcess ? startProcess(args, options.main) : startHere(args);
  onTestFinished(() => client.close());
  await server.connect(client);
  expect(client.getNegotiatedProtocolVersion()).toBe(era);
  const run: Connected['run'] = async (script, callOptions) =>
    (await client.callTool({ name: 'execute_sandbox_script', arguments: { script } }, callOptions)) as Answer;
  return { client, pid: server.pid(), stderr: server.stderr, logs, listChanges: () => listChanges, run };
}

interface Server {
  connect: (client: Client) => Promise<void>;
  pid: () => number;
  stderr: () => string;
}

function startProcess(args: string[], path = main): Server {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path, 'mcp', ...args],
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  return { connect: (client) => client.connect(transport), pid: () => transport.pid ?? 0, stderr: () => stderr };
}

/** The text of an answer. */
export function textOf({ content }: CallToolResult): string {
  const [part] = content;
  return part?.type === 'text' ? part.text : '';
}
