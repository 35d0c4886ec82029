import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ctrlC, ctrlD, noTerminal, Terminal, up } from '../../pty.ts';
import { makeFolder } from '../../support.ts';

describe.skipIf(noTerminal !== undefined)('one session of repl on a terminal', () => {
  let terminal: Terminal;
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    terminal = new Terminal(['repl', '--timeout', '60s'], { onEnd: (end) => ends.unshift(end) });
    await terminal.see('1> ');
  });
  afterAll(() => {
    for (const end of ends) end();
  });

  it('numbers its prompts as the lines of the script, and reads on until an input is whole', async () => {
    await terminal.type('const add = (a, b) => {', '2. ');
    await terminal.type('  return a + b', '3. ');
    await terminal.type('}', '4> ');
    await terminal.type('add(2, 3)', /\n<ESC>\[33m5<ESC>\[39m\r\n/);
    // An expression changes nothing, so it is no line of the script.
    expect(await terminal.see('4> ')).not.toContain('5> ');
  });

  it('Ctrl-C cancels the run and not the session', async () => {
    await terminal.type('.reset', '1> ');
    await terminal.type('const kept = 7', '2> ');
    await terminal.type('console.log("under way"); while (true) {}', /[\nK]under way/);
    terminal.send(ctrlC);
    await terminal.see('cancelled: ');
    await terminal.see('2> ');
    expect(await terminal.type('kept * 6', /\n\S*42/)).not.toContain('error');
    await terminal.see('2> ');
  });

  it('survives a failure, and tells it', async () => {
    await terminal.type('.limits timeout 300ms', '2> ');
    await terminal.type('"x".repeat(500000000).length', / limit_exceeded: /);
    await terminal.see('2> ');
    expect(await terminal.type('kept * 6', /\n\S*42/)).not.toContain('error');
    await terminal.see('2> ');
  });

  it('Ctrl-C clears what is typed; twice on an empty line it leaves', async () => {
    await terminal.type('.reset', '1> ');
    await terminal.type('function half() {', '2. ');
    terminal.send(`oops${ctrlC}`);
    await terminal.see('1> ');
    terminal.send(`also gone${ctrlC}`);
    await terminal.see('1> ');
    await terminal.type('6 * 7', '42');
    await terminal.see('1> ');
    terminal.send(ctrlC);
    await terminal.see('Ctrl-C again leaves');
    await terminal.see('1> ');
    terminal.send(ctrlC);
    expect(await terminal.exitCode()).toBe(0);
  });
});

describe.skipIf(noTerminal !== undefined)('repl on a terminal', () => {
  it('keeps its history in a file of its owner, and brings it back', async () => {
    const cwd = makeFolder();
    const first = new Terminal(['repl', '--quiet'], { cwd });
    await first.see('1> ');
    await first.type('"one " + "thing"', "'one thing'");
    await first.type('.exit', '');
    expect(await first.exitCode()).toBe(0);
    const file = join(cwd, 'state/mustard-sandbox/repl-history');
    expect(readFileSync(file, 'utf8')).toBe('"one " + "thing"\n.exit\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const second = new Terminal(['repl', '--quiet'], { cwd });
    await second.see('1> ');
    second.send(`${up}${up}\r`);
    await second.see("\n<ESC>[32m'one thing'");
    second.send(ctrlD);
    await second.exitCode();

    const without = new Terminal(['repl', '--no-history'], { cwd });
    await without.see('1> ');
    await without.type('1', '1');
    await without.type('.exit', '');
    await without.exitCode();
    expect(readFileSync(file, 'utf8').split('\n').at(-2)).toBe('"one " + "thing"');
  });

  it('works where no history can be kept', async () => {
    const cwd = makeFolder({ state: 'a file' });
    const terminal = new Terminal(['repl'], { cwd });
    await terminal.see('There is no history: ');
    await terminal.see('1> ');
    await terminal.type('6 * 7', '42');
    expect(await terminal.leave()).toBe(0);
  });

  it('cuts a frame to the width that the terminal has at that moment', async () => {
    const terminal = new Terminal(['repl', '--quiet'], { columns: 100, env: { NO_COLOR: '1' } });
    await terminal.see('1> ');
    const line = `const a = "${'x'.repeat(50)}"; throw new Error("no")`;
    const wide = await terminal.type(line, /\^\^\r\n/);
    expect(wide).toContain(`  1 | ${line}\r\n`);
    await terminal.see('1> ');
    terminal.resize(50);
    // Sent when the terminal has told the process: the prompt is drawn anew.
    await terminal.see('1> ');
    const narrow = await terminal.type(line, /\^\^\r\n/);
    const frame = narrow.slice(narrow.lastIndexOf('  1 | ')).split('\r\n');
    expect(frame[0]).toMatch(/^ {2}1 \| ….*throw new Error\("no"\)$/);
    expect(frame[0]?.length).toBeLessThanOrEqual(50);
  });

  it('completes commands, functions, attachments and names', async () => {
    const cwd = makeFolder({ 'server.log': 'a line' });
    const terminal = new Terminal(['repl', '--quiet', '--attach', 'server.log'], { cwd });
    await terminal.see('1> ');
    await terminal.type('const counted = 3', '2> ');
    // Key by key: a tab among other characters is pasted text.
    for (const [typed, rest] of [
      ['file_s', 'tats'],
      ['("att', 'achments:server.log'],
      ['").size + coun', 'ted'],
    ] as const) {
      terminal.send(typed);
      await terminal.see(typed);
      terminal.send('\t');
      await terminal.see(rest);
    }
    terminal.send('\r');
    await terminal.see('\n<ESC>[33m9');
    expect(await terminal.leave()).toBe(0);
  });

  it('has no colours with NO_COLOR, and cannot be driven by what a script shows', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'evil.txt'), '\u001b]0;title\u0007\u202e');
    const terminal = new Terminal(['repl', '--root', '.'], { cwd, env: { NO_COLOR: '1' } });
    await terminal.see('1> ');
    await terminal.type('read_file("evil.txt")', /'\\x1B\]0;title\\x07\\u\{202e\}'/);
    await terminal.type('console.log(read_file("evil.txt"))', /\\u\{1b\}\]0;title\\u\{7\}\\u\{202e\}/);
    expect(terminal.shown).not.toContain('<ESC>[3');
  });
});

describe.skipIf(noTerminal !== undefined)('run on a terminal', () => {
  it('shows that it is under way, and takes that away again', async () => {
    const cwd = makeFolder({ 'slow.js': 'while (true) {}' });
    const terminal = new Terminal(['run', 'slow.js', '--timeout', '800ms'], { cwd, columns: 30 });
    const line = await terminal.see(/[|/\\-] running · \d\.\d s · C/);
    expect(line).not.toContain('error');
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.shown).toMatch(/\r<ESC>\[K<ESC>\[31merror:/);
    for (const [, drawn] of terminal.shown.matchAll(/\r<ESC>\[2m(.*?)<ESC>\[22m/g))
      expect(drawn?.length).toBeLessThan(30);
  });

  it.each([
    [['--quiet'], {}],
    [[], { TERM: 'dumb' }],
  ])('shows nothing of that with %j %j', async (args, env) => {
    const cwd = makeFolder({ 'slow.js': 'while (true) {}' });
    const terminal = new Terminal(['run', 'slow.js', '--timeout', '600ms', ...args], { cwd, env });
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.shown).not.toContain('running');
  });
});
