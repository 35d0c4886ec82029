import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
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
mkdirSync(workspace);
const bash = ['--bash', 'local', '--workspace', workspace, '--config', config];

describe.skipIf(noJail !== undefined).each(eras)('mcp --bash local, at %s', (era) => {
  it('runs commands that the user or a rule allows, in the folder, and scripts read what they wrote', async () => {
    const questions: string[] = [];
    const elicit = (message: string): ElicitResult => {
      questions.push(message);
      if (message.startsWith('Let the model write')) return accept('Allow this write');
      if (message.startsWith('Let the model read'))
        return accept('Allow all reads of this folder until the server ends');
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
    expect(await call('readFile', { path: 'b.txt' })).toMatchObject({ isError: false });
    expect(await call('readFile', { path: '../x' })).toMatchObject({ isError: true });
    writeFileSync(join(workspace, '.env'), 'TOKEN=1');
    expect(await call('readFile', { path: '.env' })).toMatchObject({ isError: true });
    expect(await call('writeFile', { path: '.vscode/tasks.json', content: '{}' })).toMatchObject({ isError: false });
    expect(questions).toEqual([
      'Let the model write this file?\n\nWrite a.txt\n\none\n',
      'Run this command?\n\n$ seq 1 3 > b.txt; pwd; exit 2',
      expect.stringContaining('Run this script?'),
      'Let the model read this file?\n\nRead a.txt',
      'Let the model write this file?\n\nWrite .vscode/tasks.json\n\nYou are asked because an editor runs what it names when the project is opened.\n\n{}',
    ]);
  });

  it.each([[['--consent', 'never']], [[]]])(
    'neither reads nor writes files where nobody can say yes, with %j',
    async (flags) => {
      const { client } = await connect([...bash, ...flags], { era });
      writeFileSync(join(workspace, 'c.txt'), 'mine');
      const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
      expect(await call('writeFile', { path: 'c.txt', content: 'evil' })).toMatchObject({ isError: true });
      expect(await call('writeFile', { path: '.git/config', content: 'evil' })).toMatchObject({ isError: true });
      expect(textOf(await call('readFile', { path: 'c.txt' }))).toContain('Not allowed');
      expect(readFileSync(join(workspace, 'c.txt'), 'utf8')).toBe('mine');
    },
  );
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
