import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ctrlC, noTerminal, Terminal } from '../../pty.ts';
import { main, makeFolder } from '../../support.ts';

const partials = (cwd: string): string[] =>
  readdirSync(join(cwd, '.dyad/media')).filter((name) => /^(?:\.partial|[0-9a-f]{64})/.test(name));

describe.skipIf(noTerminal !== undefined)('attach on a terminal', () => {
  it('shows a bar while it stores a big file, and Ctrl-C leaves nothing', async () => {
    const cwd = makeFolder({ 'big.bin': '' });
    // Sparse: more than can be read before Ctrl-C comes.
    truncateSync(join(cwd, 'big.bin'), 64 * 1024 ** 3);
    const terminal = new Terminal(['attach', 'big.bin'], { cwd, columns: 100 });
    await terminal.see(/░{15,20} \d+% of 64 GB · big\.bin · [\d.]+ s · Ctrl-C stops it/);
    terminal.send(ctrlC);
    await terminal.see('cancelled');
    expect(await terminal.exitCode()).toBe(3);
    expect(partials(cwd)).toEqual([]);
  });

  it('counts what comes on stdin, and erases the line', async () => {
    const cwd = makeFolder();
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const command = '"$0" "$1" attach - --name in.bin < pipe';
    const terminal = new Terminal([], { cwd, program: ['sh', '-c', command, process.execPath, main] });
    const pipe = await open(join(cwd, 'pipe'), 'w');
    await pipe.write(Buffer.alloc(1024 * 1024));
    await terminal.see(/1 MB so far · in\.bin/);
    await pipe.close();
    await terminal.see(/\r<ESC>\[Kattachments:in\.bin {2}1 MB {2}application\/octet-stream/);
    expect(await terminal.exitCode()).toBe(0);
  });

  it('shows none with --quiet', async () => {
    const cwd = makeFolder({ 'big.bin': '' });
    truncateSync(join(cwd, 'big.bin'), 300 * 1024 ** 2);
    const terminal = new Terminal(['attach', 'big.bin', '--quiet'], { cwd });
    await terminal.see('attachments:big.bin');
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.shown).not.toContain('<ESC>');
  });
});

describe.skipIf(noTerminal !== undefined)('message on a terminal', () => {
  const args = ['message', 'Why?', '--attach', 'a.log', '--mode', 'default-chat', '--size-threshold', '100b'];

  it.each([
    ['y', /x{200}\r\n```\r\n\r\nWhy\?/, 0],
    ['t', /[^x]x{50}\.\.\. \[truncated, 200 B → 50 B\]/, 0],
    ['n', /cancelled: No message was prepared: the attachments of 200 B/, 3],
  ])('asks over the threshold, and takes %s', async (answer, expected, exitCode) => {
    const cwd = makeFolder({ 'a.log': 'x'.repeat(200) });
    const terminal = new Terminal(args, { cwd, columns: 300 });
    await terminal.see(/Attachments total 200 B \(threshold: 100 B\).*Attach large content\? \[y,t,n,\?\]\? /s);
    await terminal.type(answer, expected);
    expect(await terminal.exitCode()).toBe(exitCode);
    expect(existsSync(join(cwd, '.dyad'))).toBe(false);
  });

  it('is cancelled by Ctrl-C at the question', async () => {
    const cwd = makeFolder({ 'a.log': 'x'.repeat(200) });
    const terminal = new Terminal(args, { cwd });
    await terminal.see('[y,t,n,?]? ');
    terminal.send(ctrlC);
    await terminal.see('cancelled: ');
    expect(await terminal.exitCode()).toBe(3);
  });
});
