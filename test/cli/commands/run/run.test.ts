import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { atServer, cliInProcess as cli, runScriptInProcess as runScript } from '../../in-process.ts';
import { isPosix, main, makeFolder, parseOnly, runScript as runScriptAsProcess } from '../../support.ts';

describe('the value on stdout', () => {
  it.each([
    ['"text"', 'text\n'],
    ['"line\\n"', 'line\n'],
    ['"a\\r\\n\\tb\\u001b[31m"', 'a\r\n\tb\u001b[31m\n'],
    ['1 + 1', '2\n'],
    ['-0', '0\n'],
    ['0 / 0', 'NaN\n'],
    ['1 / 0', 'Infinity\n'],
    ['null', 'null\n'],
    ['true', 'true\n'],
    ['undefined', 'undefined\n'],
    ['({ a: [1, "b"] })', '{\n  "a": [\n    1,\n    "b"\n  ]\n}\n'],
    ['[]', '[]\n'],
    ['return 7', '7\n'],
    ['', 'undefined\n'],
    ['// nothing', 'undefined\n'],
    ['\uFEFF1 + 1', '2\n'],
  ])('of %j', async (script, stdout) => {
    expect(await runScript(script, ...(await atServer()))).toMatchObject({ exitCode: 0, stdout });
  });

  it('is whole when it is large', async () => {
    const { exitCode, stdout } = await runScriptAsProcess('"0123456789".repeat(300000)');
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${'0123456789'.repeat(300_000)}\n`);
  });
});

describe('--isolation', () => {
  it.each(['process', 'auto', 'jail'])('%s: the script reads its root and its attachments', async (isolation) => {
    const folder = makeFolder({ 'root/a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    const args = ['--root', 'root', '--attach', 'b.txt', '--attach', 'name=c.txt', '--isolation', isolation];
    const ended = await cli(['run', '-', ...args], {
      cwd: folder,
      input: 'read_file("a.txt") + read_file("attachments:b.txt") + read_file("attachments:name")',
    });
    // There is not a jail on every machine; then it says so, and what to do.
    if (isolation === 'jail' && ended.exitCode !== 0) expect(ended.stderr).toMatch(/'jail' is not possible/);
    else expect(ended).toMatchObject({ exitCode: 0, stdout: 'abc\n' });
  });
});

describe('--json', () => {
  it('has the value and the statistics', async () => {
    const folder = makeFolder({ 'a.txt': 'twelve bytes' });
    const ended = await cli(['run', '-', '--attach', 'a.txt', '--json'], {
      cwd: folder,
      input: '({ text: read_file("attachments:a.txt") })',
    });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(parseOnly(ended)).toEqual({
      ok: true,
      value: { text: 'twelve bytes' },
      executionMs: expect.any(Number),
      instructionsUsed: expect.any(Number),
      heapBytesUsed: expect.any(Number),
      hostCalls: 1,
      bytesRead: 12,
    });
  });

  it.each([
    ['undefined', null],
    ['[undefined, 0 / 0, 1 / 0]', [null, null, null]],
    ['({ a: undefined, b: 1 })', { b: 1 }],
    ['"\\u009b\\u202e\\u007f"', '\u009b\u202e\u007f'],
  ])('writes %s as the help says', async (script, value) => {
    expect(parseOnly(await runScript(script, '--json', ...(await atServer())))).toMatchObject({ ok: true, value });
  });
});

describe('what is not the value', () => {
  it('goes to stderr: what the script logs, then one line of statistics', async () => {
    const { stdout, stderr } = await runScript(
      'console.log("one", 1); console.warn("two"); console.error("three"); "v"',
      ...(await atServer()),
    );
    expect(stdout).toBe('v\n');
    expect(stderr).toMatch(/^one 1\ntwo\nthree\n[\d.]+ m?s · \d+ instructions\n$/);
  });

  it('counts file calls and bytes', async () => {
    const folder = makeFolder({ 'a.txt': 'x'.repeat(2048) });
    const { stderr } = await runScript('read_file("a.txt"); file_stats("a.txt").size', '--root', folder);
    expect(stderr).toMatch(/^[\d.]+ m?s · 2 file calls · 2 KB read · \d+ instructions\n$/);
  });

  it('cannot drive a terminal', async () => {
    const { stderr } = await runScript('console.log("a\\u001b[2J\\rb\\u009b"); throw new Error("\\u001b]0;x\\u0007")');
    expect(stderr).toContain('a\\u{1b}[2J\\u{d}b\\u{9b}\n');
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('a script file', () => {
  it('is run', async () => {
    const folder = makeFolder({ 'two words.js': '#!/usr/bin/env mustard-sandbox\n40 + 2\n', '-odd.js': '1' });
    expect(await cli(['run', 'two words.js'], { cwd: folder })).toMatchObject({ exitCode: 0, stdout: '42\n' });
    expect(await cli(['run', '--', '-odd.js'], { cwd: folder })).toMatchObject({ exitCode: 0, stdout: '1\n' });
  });

  it.skipIf(!isPosix)('can be a FIFO, whose writer may come later', async () => {
    const fifo = join(makeFolder(), 'fifo');
    await execa('mkfifo', [fifo]);
    const running = cli(['run', fifo]);
    await writeFile(fifo, '20 + 1');
    expect(await running).toMatchObject({ exitCode: 0, stdout: '21\n' });
  });
});

describe('--input', () => {
  it('makes variables', async () => {
    const inputs = ['n=2', 'words=["a","b"]', 'text="x=y"', 'nothing=null', '$_1={"a":{"b":1}}'];
    const script = '[n, words.length, text, nothing, $_1.a.b]';
    const args = inputs.flatMap((input) => ['--input', input]);
    const ended = await runScript(script, '--json', ...args, ...(await atServer()));
    expect(parseOnly(ended)['value']).toEqual([2, 2, 'x=y', null, 1]);
  });
});

describe('files', () => {
  const script = `
    const read = [];
    for (const name of list_files("attachments:")) read.push(name + "=" + read_file(name));
    read`;

  it('are attached by their name, or by another one', async () => {
    const cwd = makeFolder({ 'a/one.txt': '1', 'b/one.txt': '2', 'x=y': '3' });
    const args = ['--attach', 'a/one.txt', '--attach', 'two=b/one.txt', '--attach', 'x=y', '--json'];
    const ended = await cli(['run', '-', ...args], { cwd, input: script });
    expect(parseOnly(ended)['value']).toEqual(['attachments:one.txt=1', 'attachments:two=2', 'attachments:x=y=3']);
  });

  it('are read under --root, relative to where the command was started', async () => {
    const cwd = makeFolder({ 'data/in.txt': 'inside', 'out.txt': 'outside' });
    expect(await cli(['run', '-', '--root', 'data'], { cwd, input: 'read_file("in.txt")' })).toMatchObject({
      stdout: 'inside\n',
    });
    const refused = await cli(['run', '-', '--root', 'data'], { cwd, input: 'read_file("../out.txt")' });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('error: capability_denied: ');
  });

  it('cannot be read when none were given', async () => {
    const { exitCode, stderr } = await cli(['run', '-'], { input: 'read_file("main.js")', cwd: join(main, '..') });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('hint: a script reads in the folder of --root DIR');
  });
});

describe('--out', () => {
  it.each([[[]], [undefined]])('keeps what the script saves, and replaces no file of the user (%j)', async (own) => {
    const folder = makeFolder({ 'out/a.csv': 'mine' });
    const where = own ?? (await atServer());
    const script = `save('a.csv', [{ n: 1 }]); save('b.json', [2]).name`;
    const args = ['--out', join(folder, 'out'), ...where];
    const { exitCode, stdout, stderr } = await runScript(script, ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'b.json\n' });
    expect(stderr).toContain('saved a-2.csv (4 B)\nsaved b.json (');
    const texts = await Promise.all(['a.csv', 'a-2.csv'].map((name) => readFile(join(folder, 'out', name), 'utf8')));
    expect(texts).toEqual(['mine', 'n\n1\n']);
    const { outputs } = JSON.parse((await runScript(script, ...args, '--json')).stdout) as { outputs: unknown };
    expect(outputs).toEqual([
      { name: 'a-3.csv', size: 4, path: join(folder, 'out/a-3.csv') },
      { name: 'b-2.json', size: 6, path: join(folder, 'out/b-2.json') },
    ]);
  });

  it('draws a chart in the terminal and as SVG and PNG beside it, and replaces no drawing', async () => {
    const folder = makeFolder({ 'out/sales.chart.svg': 'mine' });
    const out = join(folder, 'out');
    const script = `chart({ type: 'bar', data: { north: 1, south: 2 }, x: 'key', y: 'value', name: 'sales' }).name`;
    const { exitCode, stdout, stderr } = await runScript(script, '--out', out);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'sales.chart.json\n' });
    expect(stderr).toContain('saved sales.chart-2.svg\nsaved sales.chart.png\nnorth │');
    expect(await readFile(join(out, 'sales.chart.svg'), 'utf8')).toBe('mine');
    expect(await readFile(join(out, 'sales.chart-2.svg'), 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
    const { outputs } = JSON.parse((await runScript(script, '--out', out, '--json')).stdout) as { outputs: unknown };
    expect(outputs).toMatchObject([
      { name: 'sales-2.chart.json', svg: join(out, 'sales-2.chart.svg'), png: join(out, 'sales-2.chart.png') },
    ]);
  });

  it('says of a file that only looks like a chart why it is not drawn', async () => {
    const { exitCode, stderr } = await runScript(`save('a.chart.json', { type: 'pie' }); 1`, '--out', makeFolder());
    expect(exitCode).toBe(0);
    expect(stderr).toContain('a.chart.json is not drawn: chart: version: ');
  });

  it('without it a script that saves is told so', async () => {
    const { exitCode, stderr } = await runScript(`save('a.csv', [])`, ...(await atServer()));
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('this run keeps no files');
  });
});
