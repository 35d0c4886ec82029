import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../docs/blocks.ts';

interface Manifest {
  server: { entry_point: string; mcp_config: { command: string; args: string[] } };
  user_config: Record<string, { required: boolean }>;
}

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'mcpb-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const mcpb = async (...args: string[]) =>
  await execa(process.execPath, ['scripts/mcpb.mjs', ...args], { cwd: root, reject: false });

test('the bundle for this platform serves scripts over the folder that the user has chosen', async () => {
  const [target, unpacked, chosen] = [folder(), folder(), folder()];
  const made = await mcpb(target);
  expect([made.exitCode, made.stderr]).toEqual([0, '']);
  const [file = ''] = readdirSync(target);
  expect(made.stdout).toContain(join(target, file));
  await execa('mcpb', ['unpack', join(target, file), unpacked], { cwd: root, preferLocal: true });
  const { server, user_config: config } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as Manifest;
  expect(Object.keys(config)).toEqual(['folder']);
  const args = server.mcp_config.args.map((arg) =>
    arg.replace('${__dirname}', unpacked).replace('${user_config.folder}', chosen),
  );
  expect(args.join(' ')).not.toContain('${');
  writeFileSync(join(chosen, 'a.log'), 'an ERROR\nnone\n');
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: chosen, stderr: 'ignore' }));
  const script = `[search('a.log', 'ERROR', { count: true }), query('select 1 as n').rows[0].n]`;
  const answer = await client.callTool({ name: 'execute_sandbox_script', arguments: { script } });
  expect(answer.structuredContent).toMatchObject({ status: 'completed', value: [1, 1] });
});

test.each([[], ['--platform', 'plan9-mips', 'x'], ['one', 'two']])(
  '%j is answered by what to write',
  async (...args) => {
    const { exitCode, stderr } = await mcpb(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('npm run mcpb -- DIR');
  },
);
