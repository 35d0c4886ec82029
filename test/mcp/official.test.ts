import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Client as NewestClient } from '@modelcontextprotocol/client';
import type { StdioClientTransport as NewestTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttp } from './http/support.ts';
import { hasOfficial, node22, official } from './official.ts';
import { main, makeFolder } from './support.ts';

const run = promisify(execFile);

async function inspect(...args: string[]): Promise<Record<string, unknown>> {
  const inspector = official('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const { stdout } = await run(node22, [inspector, '--cli', ...args]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const callOf = (script: string) => [
  ...['--method', 'tools/call', '--tool-name', 'execute_sandbox_script', '--tool-arg', `script=${script}`],
];

describe.skipIf(!hasOfficial)('the official inspector', () => {
  it('calls the tool over stdio', async () => {
    const folder = makeFolder({ 'a.txt': 'one\ntwo' });
    const server = [process.execPath, main, 'mcp', '--root', folder, '--consent', 'always'];
    const answer = await inspect(...server, ...callOf(`read_lines('a.txt').length`));
    expect(answer).toMatchObject({ isError: false, structuredContent: { status: 'completed', value: 2 } });
  });

  it('calls the tool over HTTP', async () => {
    await using stage = await openHttp();
    const { url } = stage.server;
    expect(await inspect(url, '--transport', 'http', '--method', 'tools/list')).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'execute_sandbox_script' })]),
    });
    const answer = await inspect(url, '--transport', 'http', ...callOf('6 * 7'));
    expect(answer).toMatchObject({ structuredContent: { status: 'completed', value: 42 } });
  });
});

describe.skipIf(!hasOfficial)("the SDK's first release, of revision 2024-11-05", () => {
  it('lists, reads and calls', async () => {
    const load = async (path: string) =>
      (await import(official(`@modelcontextprotocol/sdk/dist/client/${path}`))) as Record<string, unknown>;
    // What the test calls had the same shapes as it has today.
    const { Client } = (await load('index.js')) as { Client: typeof NewestClient };
    const { StdioClientTransport } = (await load('stdio.js')) as { StdioClientTransport: typeof NewestTransport };
    const folder = makeFolder({ 'a.txt': 'hello', 'notes.txt': 'kept' });
    const args = [main, 'mcp', '--root', folder, '--attach', `notes=${folder}/notes.txt`, '--consent', 'always'];
    const client = new Client({ name: 'oldest', version: '1' }, { capabilities: {} });
    onTestFinished(() => client.close());
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));

    expect(client.getServerVersion()?.name).toBe('mustard-sandbox');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['execute_sandbox_script']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain('attachments:///notes');
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(10);
    const { contents } = await client.readResource({ uri: 'attachments:///notes' });
    expect(contents).toMatchObject([{ text: 'kept' }]);
    const answer = await client.callTool({
      name: 'execute_sandbox_script',
      arguments: { script: `read_file('a.txt')` },
    });
    expect(answer.content).toEqual([{ type: 'text', text: 'hello' }]);
  });
});
