import { describe, expect, it } from 'vitest';
import { mayChangeSomething } from '../../../../packages/cli/src/commands/repl/effects.ts';
import { historyFile } from '../../../../packages/cli/src/commands/repl/history.ts';
import { atServer, cliInProcess as cli } from '../../in-process.ts';
import { isLinux, makeFolder, type CliOptions } from '../../support.ts';

/** A session that gets these lines on stdin. Without files its scripts run at the server of the tests. */
async function session(lines: string[], args: string[] = [], options: CliOptions = {}) {
  const where = args.some((arg) => arg === '--root' || arg === '--attach') ? [] : await atServer();
  return await cli(['repl', ...args, ...where], { input: lines.join('\n'), ...options });
}

/** What a session gave for each input. */
async function jsonOf(lines: string[], args: string[] = []): Promise<Record<string, unknown>[]> {
  const { stdout, stderr } = await session(lines, ['--json', ...args]);
  expect(stderr).toBe('');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('repl without a terminal', () => {
  it('runs each input after those before it, and ends with its input', async () => {
    const lines = ['const n = 6', 'let list = [n]', 'list.push(7)', 'n * list.length', '', 'list'];
    expect(await session(lines, ['--quiet'])).toEqual({ exitCode: 0, stdout: '2\n12\n[ 6, 7 ]\n', stderr: '' });
  });

  it('understands where an input ends', async () => {
    const inputs = [
      ['function f() {', 'return 1', '}', 'f()'],
      ['const f = (a,', 'b) =>', 'a - b', 'f(3, 2)'],
      ['`', '`.length'],
      ['/* not', 'yet */ 1'],
      ['[1,', '2', '].indexOf(2)'],
      ['if (true)', '1'],
      ['1 + // more', '0'],
      ['({', 'a: 1', '}).a'],
      ['[0, 1]', '[1]', '1'],
      ['const url = "http://x"', '[1][0]'],
      ['let a = 1 // one', '[a][0]'],
      ['{ one: 1 }', '[1][0]'],
    ];
    const reports = await jsonOf(inputs.flatMap((lines) => [...lines, '.reset']));
    const found = inputs.map((lines) => {
      const end = reports.findIndex((report) => !('value' in report));
      return { lines, last: reports.splice(0, end + 1).at(-2) };
    });
    expect(found).toEqual(inputs.map((lines) => ({ lines, last: expect.objectContaining({ ok: true, value: 1 }) })));
  });

  it('does not wait for more of what nothing can complete', async () => {
    const lines = ['1 +* 2', ')', 'let x = ;', "'open", '"a" b', 'import("x")', '}'];
    const reports = await jsonOf(lines.flatMap((line) => [line, '6 * 7']));
    const code = expect.stringMatching(/^(?:parse_error|unsupported_syntax)$/) as string;
    expect(reports).toMatchObject(
      lines.flatMap(() => [
        { ok: false, error: { code } },
        { ok: true, value: 42 },
      ]),
    );
  });

  it('exits with 1 after what it did not understand', async () => {
    const { exitCode, stdout, stderr } = await session(['1 +* 2', '6 * 7'], ['--quiet']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '42\n' });
    expect(stderr).toMatch(/^error: parse_error: /);
  });

  it('says what is missing at the end of input', async () => {
    const { exitCode, stdout, stderr } = await session(['function f() {', 'return 1'], ['--quiet']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('parse_error');
  });

  it('keeps nothing of what failed, and shows places as in the script', async () => {
    const lines = ['const a = 1', 'const b = a; throw new Error("no")', 'b', 'a', '.script'];
    const { exitCode, stdout, stderr } = await session(lines, ['--quiet']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '1\nconst a = 1;\n' });
    expect(stderr).toContain('Error: no (line 2:24)\n  1 | const a = 1;\n  2 | const b = a; throw new Error("no")\n');
    expect(stderr).toContain('b is not defined (line 2:1)');
  });

  it('does not print again what an earlier input logged', async () => {
    const { stderr } = await session(['console.log("once"); const a = 1', 'console.log("twice"); a', 'a']);
    expect(stderr.split('\n').filter((line) => !line.includes('instructions'))).toEqual(['once', 'twice', '']);
  });

  it('reads files as a run does, and counts what the whole script read', async () => {
    const cwd = makeFolder({ 'a.txt': 'twelve bytes', 'b/c.txt': '' });
    const args = ['--root', '.', '--attach', 'x=a.txt', '--input', 'n=3', '--json'];
    const lines = ['const text = read_file("attachments:x")', 'text.length + n', '.files', '.files b'];
    const { stdout } = await session(lines, args, { cwd });
    const [first, second, files, inside] = stdout.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
    expect(first).toMatchObject({ ok: true, value: null, hostCalls: 1, bytesRead: 12 });
    expect(second).toMatchObject({ ok: true, value: 15, hostCalls: 1, bytesRead: 12 });
    expect(files).toMatchObject({
      ok: true,
      files: [
        { path: 'attachments:x', size: 12 },
        { path: 'a.txt', size: 12 },
        { path: 'b/', size: null },
      ],
    });
    expect(inside).toMatchObject({ files: [{ path: 'b/c.txt', size: 0 }], more: 0 });
  });

  // Only Linux holds a process to its data limit, which is what an oversized string runs into.
  it.skipIf(!isLinux)('tells a crash, and goes on', async () => {
    const reports = await jsonOf(
      ['const n = 6', 'const text = "x".repeat(500000000)', 'n * 7'],
      ['--engine', 'mustardscript'],
    );
    expect(reports).toMatchObject([{ ok: true }, { error: { code: 'sidecar_crashed' } }, { ok: true, value: 42 }]);
  });

  it('exits as the first input that failed would', async () => {
    expect(await session(['.nonsense', 'throw 1'])).toMatchObject({ exitCode: 2 });
    expect(await session(['throw 1', '.nonsense'])).toMatchObject({ exitCode: 1 });
    expect(await session(['while (true) {}'], ['--timeout', '100ms'])).toMatchObject({ exitCode: 3 });
  });
});

describe('the commands of a session', () => {
  it('.limits shows and sets', async () => {
    const [first, set, reset] = await jsonOf(['.limits', '.limits timeout 10s', '.limits reset']);
    expect(first).toMatchObject({ limits: { timeoutMs: 2000, heapBytes: 64 * 1024 ** 2, scriptBytes: 128 * 1024 } });
    expect(set).toMatchObject({ limits: { timeoutMs: 10_000, instructions: 1e9 } });
    expect(reset).toMatchObject({ limits: { timeoutMs: 2000, instructions: 200e6 } });
    const { stdout } = await session(['.limits heap 128mb']);
    expect(stdout).toMatch(/^limit +now +default +at most\n.*heap +128 MB +64 MB +256 MB\n/s);
  });

  it('.limits are those of the next run', async () => {
    const { stderr } = await session(['.limits instructions 1k', 'for (let i = 0; i < 1e6; i++) {}'], ['--quiet']);
    expect(stderr).toMatch(/limit_exceeded: .*1000 instructions.*hint: more instructions: \.limits instructions 1G/s);
  });

  it('that are wrong are named, and the session goes on', async () => {
    const wrong: [string, RegExp][] = [
      ['.undo', /the session is empty/],
      ['.keep', /no last input/],
      ['.limits speed 3', /no limit 'speed'.*timeout/],
      ['.limits heap', /heap to what/],
      ['.limits heap 1gb', /out of range/],
      ['.limits callDepth many', /'many' is not a count/],
      ['.load', /which file/],
      ['.load nowhere.js', /'nowhere.js' is not there/],
      ['.files nowhere', /No folder "nowhere"|cannot read/i],
      ['.constructor', /no command '.constructor'[^]*\.help/],
    ];
    const lines = wrong.flatMap(([line]) => [line, '.limits reset', '6 * 7', '.reset']);
    const { exitCode, stdout, stderr } = await session(lines, ['--quiet', '--root', '.']);
    expect(exitCode).not.toBe(0);
    expect(stdout.split('\n').filter((line) => line === '42')).toHaveLength(wrong.length);
    const messages = stderr.split(/^(?=error: )/m);
    expect(messages).toEqual(wrong.map(([, message]) => expect.stringMatching(message) as string));
  });

  it('.undo and .reset take inputs back', async () => {
    const lines = ['const a = [1]', 'const b = 2', '.undo', '.script', '.reset', 'const a = 3', 'a'];
    const reports = await jsonOf(lines);
    expect(reports[2]).toMatchObject({ taken: 'const b = 2;' });
    expect(reports[3]).toMatchObject({ script: 'const a = [1];\n' });
    expect(reports.at(-1)).toMatchObject({ value: 3 });
  });

  it('.keep adds an input that changed something unseen', async () => {
    const lines = ['let n = 0', 'function bump() { n++ }', 'bump()', 'n', 'bump()', '.keep', 'n'];
    const reports = await jsonOf(lines);
    expect(reports[3]).toMatchObject({ value: 0 });
    expect(reports.at(-1)).toMatchObject({ value: 1 });
  });

  it('.keep refuses what nothing can follow', async () => {
    const reports = await jsonOf(['return 5', '.keep', '.exit', 'not run']);
    expect(reports).toMatchObject([{ value: 5 }, { ok: false, error: { code: 'invalid_request' } }, { ok: true }]);
  });

  it('says when an input that declares something cannot be kept', async () => {
    const { stdout, stderr } = await session(['const a = 6; return a * 7', '.script', 'a']);
    expect(stdout).toBe('42\n');
    expect(stderr).toMatch(/This input is not kept.*a is not defined/s);
  });

  it('.load runs a script as if it had been typed', async () => {
    const cwd = makeFolder({ 'my count.js': '#!/usr/bin/env mustard-sandbox\nconst words = ["a"];\nwords.length\n' });
    const { stdout } = await session(['.load my count.js', 'words'], ['--quiet'], { cwd });
    expect(stdout).toBe("1\n[ 'a' ]\n");
  });
});

it.each([
  ['lines.length', false],
  ['lines.filter((line) => line.includes("a = b")).length', false],
  ['a === b && c >= d', false],
  ['scan("let x") // = 1', false],
  ['const a = 1', true],
  ['1; let b = 2', true],
  ['a = 1', true],
  ['a.b += 1', true],
  ['a >>= 1', true],
  ['n++', true],
  ['delete a.b', true],
  ['list.push(1)', true],
  ['for (const a of b) c(a)', true],
  ['async function f() {}', true],
])('%s may change something: %s', (input, expected) => {
  expect(mayChangeSomething(input)).toBe(expected);
});

it('the history is where the platform keeps such files', () => {
  expect(historyFile({ XDG_STATE_HOME: '/state' }, 'linux')).toBe('/state/mustard-sandbox/repl-history');
  expect(historyFile({ XDG_STATE_HOME: 'relative' }, 'linux')).toMatch(
    /\.local\/state\/mustard-sandbox\/repl-history$/,
  );
  expect(historyFile({ LOCALAPPDATA: '/local' }, 'win32')).toBe('/local/mustard-sandbox/repl-history');
});
