import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openEmptyMcpServer, openMcpServer } from '../baselines/remote-server.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { residentBytes } from '../resident.mjs';
import { median, ratioOf } from '../statistics.mjs';
import { using } from './sandboxes.mjs';

const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const empty = fileURLToPath(new URL('../baselines/mcp-empty.mjs', import.meta.url));
const trivial = { name: 'execute_sandbox_script', arguments: { script: '1 + 1' } };
const sessions = 1_000;

/** The official client, which this figure is about as much as the server. @param {any} transport */
async function connect(transport) {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(transport);
  return client;
}

/** @param {string[]} args */
const overStdio = (args = [main, 'mcp', '--consent', 'always']) =>
  connect(new StdioClientTransport({ command: process.execPath, args }));
/** @param {string} url */
const overHttp = (url) => connect(new StreamableHTTPClientTransport(new URL(url)));

/** What so many sessions add to the server. @param {{ url: string, pid: number }} server @param {number} count */
async function bytesOfSessions({ url, pid }, count) {
  const before = residentBytes(pid);
  for (let index = 0; index < count; index++) await beginSession(url);
  const after = residentBytes(pid);
  return before === undefined || after === undefined ? undefined : after - before;
}

/** Without the stream of the official client: more than 256 connections of one address get none without a token. */
async function beginSession(url) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) });
  await answer.text();
  const id = answer.headers.get('mcp-session-id');
  if (id === null) throw new Error(`No session was given: ${answer.status}`);
  const session = { ...headers, 'mcp-session-id': id };
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await (await fetch(url, { method: 'POST', headers: session, body: JSON.stringify(initialized) })).text();
}

/** A host that starts the server, and one that has it: over stdio, and over HTTP on the same machine. */
export async function measure({ quick }) {
  let closed = Promise.resolve();
  const start = await sideBySide(
    {
      'start to first answer': {
        before: () => closed,
        async run() {
          const client = await overStdio();
          await client.callTool(trivial);
          closed = client.close();
        },
      },
      'node -e 0': { before: () => closed, run: () => once(spawn(process.execPath, ['-e', '0']), 'exit') },
    },
    { rounds: quick ? 5 : 40, warmup: 1, budgetMs: quick ? 5_000 : 30_000 },
  );
  await closed;
  return await using(
    {
      ...{ server: await openMcpServer(), emptyServer: await openEmptyMcpServer() },
      ...{ stdio: await overStdio(), emptyStdio: await overStdio([empty]) },
    },
    async ({ server, emptyServer, stdio, emptyStdio }) => {
      const [http, emptyHttp] = [await overHttp(server.url), await overHttp(emptyServer.url)];
      const warm = await sideBySide(
        {
          '1 + 1 over stdio': () => stdio.callTool(trivial),
          '1 + 1 over HTTP': () => http.callTool(trivial),
          'nothing over stdio': () => emptyStdio.callTool(trivial),
          'nothing over HTTP': () => emptyHttp.callTool(trivial),
        },
        { rounds: quick ? 300 : 2_000, warmup: 50, budgetMs: quick ? 4_000 : 20_000 },
      );
      const added = median(warm['1 + 1 over HTTP']) - median(warm['1 + 1 over stdio']);
      const anyway = median(warm['nothing over HTTP']) - median(warm['nothing over stdio']);
      const bytes = await bytesOfSessions(server, sessions);
      return {
        ratios: {
          'mcp-start': ratioOf(start['start to first answer'], [start['node -e 0']]),
          'mcp-http-ms': { value: added },
          'mcp-http-own-ms': { value: added - anyway },
          'mcp-sessions':
            bytes === undefined
              ? { skipped: `no way to ask for a process's resident memory on ${process.platform}` }
              : { value: bytes / 1024 ** 2 },
        },
        timings: summaries({ ...start, ...warm }),
      };
    },
  );
}
