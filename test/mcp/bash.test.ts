import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { cliInProcess } from '../cli/in-process.ts';
import { noJail } from '../isolation/support.ts';
import { connect, eras, textOf } from './support.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-mcp-bash-')));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});
const config = join(folder, 'config.toml');
writeFileSync(
  config,
  '[app.bash_tools]\nenabled = true\nallow = ["echo"]\ndeny = ["rm"]\nlimits.memory_bytes = "1gb"\n',
);

beforeEach(() => {
  vi.stubEnv('MUSTARD_ENABLE_BASH_TOOL', '1');
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
});

const accept = (permission: string): ElicitResult => ({ action: 'accept', content: { permission } });
const workspace = join(folder, 'work');
const bash = ['--bash', 'local', '--workspace', workspace, '--config', config];

describe.skipIf(noJail !== undefined).each(eras)('mcp --bash local, at %s', (era) => {
  it('runs commands that the user or a rule allows, in the folder, and scripts read what they wrote', async () => {
    const questions: string[] = [];
    const elicit = (message: string): ElicitResult => {
      questions.push(message);
      return accept(message.startsWith('Run this command') ? 'Allow this command' : 'Allow this script');
    };
    const { client, run } = await connect(bash, { era, elicit });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['execute_sandbox_script', 'bash', 'readFile', 'writeFile']);
    expect(client.getInstructions()).toContain('untrusted input');
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    await call('writeFile', { path: 'a.txt', content: 'one\n' });
    const made = await call('bash', { command: 'seq 1 3 > b.txt; pwd; exit 2' });
    expect(made).toMatchObject({ isError: true, structuredContent: { stdout: '/workspace', exitCode: 2 } });
    expect(textOf(made)).toBe('/workspace\n[exit code 2]');
    expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe('1\n2\n3\n');
    expect((await run(`read_file('b.txt').length`)).structuredContent.value).toBe(6);
    expect(await call('bash', { command: 'echo free' })).toMatchObject({ structuredContent: { stdout: 'free' } });
    expect(await call('bash', { command: 'rm a.txt' })).toMatchObject({
      isError: true,
      structuredContent: { exitCode: 126 },
    });
    expect(await call('readFile', { path: 'a.txt' })).toMatchObject({ structuredContent: { content: 'one\n' } });
    expect(await call('readFile', { path: '../x' })).toMatchObject({ isError: true });
    expect(questions).toHaveLength(2);
    expect(questions[0]).toBe('Run this command?\n\n$ seq 1 3 > b.txt; pwd; exit 2');
  });
});

it.each([
  ['', '1', 'enabled is not true'],
  ['[app.bash_tools]\nenabled = true\n', '', 'MUSTARD_ENABLE_BASH_TOOL is not 1, true, yes or on'],
])('does not start while a gate is closed: %j, %j', async (settings, variable, said) => {
  vi.stubEnv('MUSTARD_ENABLE_BASH_TOOL', variable);
  const file = join(folder, 'closed.toml');
  writeFileSync(file, settings);
  const { exitCode, stderr } = await cliInProcess(['mcp', '--bash', 'local', '--config', file]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(said);
});
