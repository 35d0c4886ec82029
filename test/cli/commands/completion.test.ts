import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { noTerminal, Terminal } from '../pty.ts';
import { cliInProcess as cli } from '../in-process.ts';
import { makeFolder, parseOnly } from '../support.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
const scripts = {} as Record<(typeof shells)[number], string>;
beforeAll(async () => {
  for (const shell of shells) scripts[shell] = (await cli(['completion', shell])).stdout;
});

/** Every command with its options, as `--help` lists them. */
async function helpedOptions(): Promise<Map<string, string[]>> {
  const { stdout } = await cli(['--help']);
  const names = [...(stdout.split('Commands:')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}(\w+)/gm)];
  const options = new Map<string, string[]>();
  for (const [, name] of names as unknown as [string, string][]) {
    if (name === 'help') continue;
    const help = (await cli([name, '--help'])).stdout.split('\nOptions:')[1]?.split('\n\n')[0] ?? '';
    options.set(
      name,
      [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag as string),
    );
  }
  return options;
}

/** Whether a shell is here; what is skipped is said. */
function has(shell: string, ...args: string[]): boolean {
  const found = spawnSync(shell, args).status === 0;
  if (!found) console.warn(`There is no ${shell} here: its completion is not tried.`);
  return found;
}

/** What each case expects, for every shell that can be asked. `''` in `words` is the place of the cursor. */
const cases: { words: string[]; include: string[]; exclude: string[] }[] = [
  { words: [''], include: ['run', 'repl', 'validate', 'doctor', 'completion', 'help'], exclude: ['notes.txt'] },
  { words: ['re'], include: ['repl'], exclude: ['run', 'doctor'] },
  { words: ['run', '--re'], include: ['--repeat'], exclude: ['--root'] },
  { words: ['run', ''], include: ['count.js', 'notes.txt'], exclude: ['doctor'] },
  { words: ['run', '--root', ''], include: ['logs'], exclude: ['count.js'] },
  { words: ['run', '--attach', 'no'], include: ['notes.txt'], exclude: ['count.js'] },
  { words: ['completion', ''], include: [...shells], exclude: ['count.js'] },
  { words: ['attach', 'count.js', 'no'], include: ['notes.txt'], exclude: ['doctor'] },
  { words: ['message', 'why', '--mode', ''], include: ['local-agent', 'default-chat'], exclude: ['count.js'] },
  { words: ['help', 'do'], include: ['doctor'], exclude: ['count.js'] },
];

function folder(shell: (typeof shells)[number]): string {
  const cwd = makeFolder({ 'count.js': '', 'notes.txt': '', 'logs/a.log': '' });
  writeFileSync(join(cwd, '.completion'), scripts[shell]);
  return cwd;
}

describe.each(shells)('completion %s', (shell) => {
  it('has every command and every option of the help', async () => {
    for (const [name, options] of await helpedOptions()) {
      // The output of `mcp` is the protocol's.
      if (name !== 'mcp') expect(options).toContain('--json');
      expect(scripts[shell]).toContain(name);
      for (const option of options)
        expect(scripts[shell]).toContain(shell === 'fish' ? `-l ${option.slice(2)}` : option);
    }
  });
});

describe.skipIf(!has('bash', '-c', 'type complete compgen'))('in bash', () => {
  const ask = `
    source ./.completion
    COMP_WORDS=(mustard-sandbox "$@"); COMP_CWORD=$#; COMPREPLY=()
    $(complete -p mustard-sandbox | sed -E 's/.*-F ([^ ]+).*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const complete = async (cwd: string, words: string[]): Promise<string[]> => {
    const { stdout, stderr } = await execa('bash', ['--norc', '-c', ask, 'bash', ...words], { cwd });
    expect(stderr).toBe('');
    return stdout.split('\n');
  };

  it.each(cases)('$words', async ({ words, include, exclude }) => {
    const found = await complete(folder('bash'), words);
    expect(found).toEqual(expect.arrayContaining(include));
    for (const word of exclude) expect(found).not.toContain(word);
  });

  // As bash itself splits them at its COMP_WORDBREAKS.
  it.each([
    [['run', '--root', '=', 'lo'], ['logs']],
    [['run', '--root', '='], ['logs']],
    [['run', '--attach', 'today', '=', 'no'], ['notes.txt']],
    [
      ['run', '--attach', 'today', '='],
      ['count.js', 'logs', 'notes.txt'],
    ],
    [['run', '--attach', 'a.txt', '--timeout', ''], ['']],
  ])('%j', async (words, expected) => {
    const found = await complete(folder('bash'), words);
    expect(found.filter((name) => name !== '.completion').sort()).toEqual(expected);
  });
});

describe.skipIf(!has('fish', '--version'))('in fish', () => {
  it.each(cases)('$words', async ({ words, include, exclude }) => {
    const line = ['mustard-sandbox', ...words].join(' ');
    const cwd = folder('fish');
    const { stdout } = await execa('fish', ['--no-config', '-c', `source .completion; complete -C '${line}'`], {
      cwd,
      env: { HOME: cwd },
    });
    const found = stdout.split('\n').map((row) => (row.split('\t')[0] as string).replace(/\/$/, ''));
    expect(found).toEqual(expect.arrayContaining(include));
    for (const word of exclude) expect(found).not.toContain(word);
  });
});

// zsh completes only on a terminal.
describe.skipIf(noTerminal !== undefined || !has('zsh', '--version'))('in zsh', () => {
  it.each(cases)('$words', async ({ words, include, exclude }) => {
    const cwd = folder('zsh');
    const terminal = new Terminal(['-f', '-i'], { cwd, program: ['zsh'], env: { HOME: cwd, ZDOTDIR: cwd } });
    terminal.send('autoload -U compinit; compinit -u -D; source ./.completion; PS1=; unsetopt zle_bracketed_paste\r');
    terminal.send("bindkey '^T' list-choices; setopt list_rows_first; print READY$((1 + 1))\r");
    await terminal.see('READY2');
    terminal.send(`mustard-sandbox ${words.join(' ')}\u0014`);
    // Below the line, and then the cursor goes up again.
    const list = await terminal.see(/\r\n<ESC>\[J[^]*?<ESC>\[\d*A/);
    const found = list
      .replaceAll(/<ESC>\[\d*[A-Z]/g, ' ')
      .split(/\s+/)
      .map((word) => word.replace(/\/$/, ''));
    expect(found).toEqual(expect.arrayContaining(include));
    for (const word of exclude) expect(found).not.toContain(word);
  });

  it('is a script that zsh reads', async () => {
    const { stderr } = await execa('zsh', ['-f', '-n', join(folder('zsh'), '.completion')]);
    expect(stderr).toBe('');
  });
});

describe('completion', () => {
  it('prints one object with --json', async () => {
    expect(parseOnly(await cli(['completion', 'bash', '--json']))).toEqual({
      ok: true,
      shell: 'bash',
      script: scripts.bash,
    });
  });

  it('refuses another shell', async () => {
    const { exitCode, stderr } = await cli(['completion', 'tcsh']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/'tcsh' is invalid.*bash, zsh, fish, powershell/);
  });
});
