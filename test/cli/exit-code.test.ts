import { describe, expect, it } from 'vitest';
import { atServer, runScriptInProcess as runScript } from './in-process.ts';
import { isLinux, parseOnly } from './support.ts';

describe('exit code', () => {
  const rows: [exitCode: number, code: string, script: string, args: string[]][] = [
    [1, 'parse_error', 'foo(', []],
    [1, 'unsupported_syntax', 'import x from "y"', []],
    [1, 'unsupported_syntax', 'enum A { B }', []],
    [1, 'script_error', 'throw new Error("no")', []],
    [1, 'script_error', 'const a = {}; a.a = a; a', []],
    [1, 'script_error', '() => 1', []],
    [1, 'script_error', 'function f() { return f() + 1 } f()', []],
    [1, 'limit_exceeded', 'function f() { return f() + 1 } f()', ['--engine', 'mustardscript']],
    [1, 'limit_exceeded', `/* ${'x'.repeat(32 * 1024)} */ 1`, []],
    [
      1,
      'limit_exceeded',
      'const a = []; for (let i = 0; i < 10000; i++) a.push("x".repeat(100)); a',
      ['--heap', '100kb'],
    ],
    [1, 'capability_denied', 'read_file("/etc/passwd")', ['--root', '.']],
    [2, 'invalid_request', '1', ['--root', 'nowhere']],
    [2, 'invalid_request', '1', ['--input', 'read_file=1']],
    [3, 'timeout', 'while (true) {}', ['--timeout', '100ms']],
  ];
  it.each(rows)('%d for %s: %.40s', async (exitCode, code, script, args) => {
    // A folder would have to be sent there.
    const where = args.includes('--root') ? [] : await atServer();
    // Each code once in a sandbox of the command's own.
    const isFirst = rows.find(([, other]) => other === code)?.[2] === script;
    const ended = await runScript(script, ...args, ...(isFirst ? [] : where));
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr).toContain(`error: ${code}: `);
    const asJson = await runScript(script, '--json', ...args, ...where);
    expect(asJson).toMatchObject({ exitCode, stderr: '' });
    expect(parseOnly(asJson)).toMatchObject({ ok: false, error: { code, message: expect.any(String) } });
  });

  // Only Linux holds a process to its data limit, which is what an oversized string runs into.
  it.skipIf(!isLinux)('4 for sidecar_crashed', async () => {
    const ended = await runScript('"x".repeat(500000000).length', '--json', '--engine', 'mustardscript');
    expect(ended.exitCode).toBe(4);
    expect(parseOnly(ended).error).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'out_of_memory' } });
  });
});

describe('an error on stderr', () => {
  it('has the code, the message and the frame', async () => {
    const { stderr } = await runScript('const a = 1;\nthrow new Error("no");');
    expect(stderr).toBe(
      'error: script_error: Error: no (line 2:11)\n  1 | const a = 1;\n  2 | throw new Error("no");\n    |           ^^^^^\n',
    );
  });

  it('has a hint that names an option of the command', async () => {
    const { stderr } = await runScript('while (true) {}', '--timeout', '100ms');
    expect(stderr).toMatch(/^error: timeout: .+\nhint: give it more time with --timeout, at most 1h\n$/s);
  });

  it.each([`save('a.csv', [1])`, `chart({ type: 'bar', data: [{ k: 1 }], x: 'k' })`])(
    'names --out where a script may keep nothing: %s',
    async (script) => {
      const { stderr } = await runScript(script);
      expect(stderr).toMatch(/^error: capability_denied: .+hint: a script keeps files in the folder of --out DIR\n$/s);
    },
  );
});
