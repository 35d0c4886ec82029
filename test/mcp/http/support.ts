import { mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { serveMcpHttp, type McpHttpServer, type ServeMcpHttpOptions } from '@mustard-sandbox/mcp-server/http';
import { onTestFinished } from 'vitest';

/** A server; one for a test file, because each has sidecars of its own. */
export interface HttpStage extends AsyncDisposable {
  server: McpHttpServer;
  folder: string;
}

export async function openHttp(options: ServeMcpHttpOptions = {}): Promise<HttpStage> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-http-'));
  const store = join(folder, 'store');
  const server = await serveMcpHttp({
    ...{ listen: '127.0.0.1:0', store, consent: 'always', logLevel: 'silent', drainMs: 1_000 },
    ...options,
  });
  return {
    server,
    folder,
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const eras = ['2025-11-25', '2026-07-28'] as const;

export interface ClientOptions {
  era?: (typeof eras)[number];
  token?: string;
  elicit?: (message: string) => ElicitResult;
  roots?: string[];
}

/** The official client, connected; it ends with the test. */
export async function connectHttp(url: string, options: ClientOptions = {}): Promise<Client> {
  const { era = eras[0], token, elicit, roots } = options;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: { ...(elicit && { elicitation: {} }), ...(roots && { roots: {} }) },
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
      inputRequired: { autoFulfill: true },
    },
  );
  if (elicit) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params.message));
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

export type ScriptAnswer = CallToolResult & { structuredContent: Record<string, unknown> };

export async function runScript(client: Client, script: string): Promise<ScriptAnswer> {
  return (await client.callTool({ name: 'execute_sandbox_script', arguments: { script } })) as ScriptAnswer;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** A request as it is, without a client. */
export function ask(url: string, { method = 'POST', path, headers = {}, body }: Asked = {}): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: hostname, port, method, path: path ?? pathname, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    asked.on('error', reject).end(body);
  });
}

export const accepts = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** The handshake of a session, as a body. */
export const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

/** Begins a session. @returns the headers of its requests */
export async function beginSession(url: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const { headers: answered } = await ask(url, { headers: { ...accepts, ...headers }, body: initialize });
  const session = { 'mcp-session-id': String(answered['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
  return { ...accepts, ...headers, ...session };
}

/** A request of JSON-RPC, as a body. */
export function rpc(method: string, params: object = {}, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/**
 * A request of 2026-07-28, which needs no session, and its answer.
 *
 * @param name as the header `Mcp-Name` says it
 */
export async function askStateless(
  url: string,
  { method, name, params, capabilities, token }: Stateless,
): Promise<{ result?: Record<string, never>; error?: { code: number } }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const headers = {
    ...accepts,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name, connection: 'close' },
  };
  const { body } = await ask(url, { headers, body: rpc(method, { ...params, _meta }) });
  const event = body.split('\n').find((line) => line.startsWith('data: {'));
  return JSON.parse(event?.slice('data: '.length) ?? body) as { result?: Record<string, never> };
}

interface Stateless {
  method: string;
  name: string;
  params: object;
  capabilities: object;
  token?: string;
}

/** The messages of a stream of events. */
export function messagesIn(body: string): Record<string, unknown>[] {
  const lines = body.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);
}
