import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runAt, serversFile } from '../cli/gateway.ts';
import { cliInProcess } from '../cli/in-process.ts';
import type { Ended } from '../cli/support.ts';
import { historyFile, maxHistory } from '../../packages/cli/src/commands/repl/history.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/cli/dist/main.js');
const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const commands = [...page.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block]) => (block as string).trim().split('\n'));

async function inShell(line: string, cwd: string): Promise<Ended> {
  const command = line.replaceAll('mustard-sandbox', `"${process.execPath}" "${main}"`);
  const { exitCode, stdout, stderr } = await execa('/bin/sh', ['-c', command], { cwd, reject: false });
  return { exitCode, stdout, stderr };
}

/** The shell takes the line apart, and what it would start is run here: a command alone needs no process of its own. */
async function inProcess(line: string, cwd: string): Promise<Ended> {
  const { stdout: words } = await execa('/bin/sh', ['-c', line.replace('mustard-sandbox', "printf '%s\\0'")], { cwd });
  return await cliInProcess(words.split('\0').slice(0, -1), { cwd });
}

/** What the lines about runs decide on. */
const waitsForPerson = `await tracker.search_issues({ query: 'cup' });
  await tracker.create_issue({ repo: 'shop', title: 'cup' })`;

describe.skipIf(process.platform === 'win32')('docs/cli.md', () => {
  let log: string;
  beforeAll(() => {
    log = Array.from({ length: 20 }, (_, n) => `2026-01-01T00:00:${n} ERROR E${n % 3} failed`).join('\n');
  });

  it.each(commands)('%s', async (command) => {
    const cwd = await mkdtemp(join(tmpdir(), 'docs-cli-'));
    onTestFinished(() => rm(cwd, { recursive: true }));
    writeFileSync(join(cwd, 'server.log'), log);
    if (command.startsWith('mustard-sandbox runs')) await runAt(serversFile(), waitsForPerson, '7f3a0000000000aa');
    const line = command.replaceAll('examples/', join(root, 'examples/'));
    const { exitCode, stdout, stderr } = await (/[|&>]/.test(line) ? inShell(line, cwd) : inProcess(line, cwd));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('error:') });
    expect(stdout).not.toBe('');
  });

  it('names only options that there are', async () => {
    const names = new Set([...page.matchAll(/mustard-sandbox ([a-z]+)/g)].map(([, name]) => name as string));
    expect(names).toContain('run');
    for (const name of names) {
      const { stdout } = await cliInProcess([name, '--help']);
      for (const [option] of page.matchAll(new RegExp(`(?<=mustard-sandbox ${name} [^\\n&|]*)--[a-z-]+`, 'g'))) {
        expect(stdout).toContain(option);
      }
    }
  });

  it('shows a configuration that is taken', async () => {
    const [, example] = /```toml\n([^]*?)```/.exec(page) ?? [];
    const cwd = await mkdtemp(join(tmpdir(), 'docs-cli-'));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const config = join(cwd, 'config.toml');
    writeFileSync(config, example as string);
    const run = await execa(process.execPath, [main, 'run', '-', '--quiet', '--config', config], { input: '6 * 7' });
    expect(run.stdout).toBe('42');
  });

  it('tells the truth about the history', () => {
    const file = historyFile({ XDG_STATE_HOME: '/state' }, 'linux');
    expect(page).toContain(`$XDG_STATE_HOME${file.slice('/state'.length)}`);
    expect(page).toContain(`${maxHistory.toLocaleString('en')} lines`);
  });
});
