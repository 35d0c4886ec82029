import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { failureOf, shared } from '../../client/support.ts';

const run = async (script: string) =>
  await failureOf(shared().run({ script, engine: 'quickjs', limits: { timeoutMs: 10_000 } }));

/** What V8 says of it. */
function inV8(script: string): string {
  try {
    runInNewContext(script);
    return 'no error';
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

describe('an error that nobody caught', () => {
  it.each([
    'const row = {};\nrow.name.toUpperCase()',
    'const row = { a: null };\nrow.a.b',
    'undefined.length',
    'const row = {};\nrow.a.b = 1',
    'const list = [1];\nlist.first()',
    'const list = [1];\nlist.frist().length',
    'let f = 1;\nf()',
    'x + 1',
    'const c = 1;\nc = 2',
    'let z = 1;\n{ y; let y = 1 }',
    'const o = {};\nfor (const x of o);',
    '[].reduce((a, b) => a + b)',
    'new Array(-1)',
    '1n + 1',
    'JSON.parse("")',
    'throw new RangeError("own")',
  ])('is told in the words of V8, with its place: %s', async (script) => {
    const wanted = inV8(script);
    const { code, message } = await run(script);
    expect({ code, message: message.replace(/ \(line \d+:\d+\)$/, '') }).toEqual({
      code: 'script_error',
      message: wanted,
    });
    expect(message).toMatch(new RegExp(String.raw`\(line ${script.split('\n').length}:\d+\)$`));
  });

  it('in a function says where the function was called, too', async () => {
    const { details } = await run(
      'function inner(row) {\n  return row.a.b;\n}\nconst outer = () => inner({});\nouter()',
    );
    expect(details.traceback?.map(({ functionName, line }) => [functionName, line])).toEqual([
      ['inner', 2],
      ['outer', 4],
      [undefined, 5],
    ]);
    expect(details.frame).toContain('2 |   return row.a.b;');
  });

  it('keeps its place in a script with types and with a return at the top', async () => {
    const typed = await run('const row: { a?: { b: number } } = {};\nrow.a.b');
    expect(typed.message).toBe("TypeError: Cannot read properties of undefined (reading 'b') (line 2:1)");
    const returning = await run('const row = {};\nif (row.x) return 1;\nreturn row.a.b');
    expect(returning.message).toMatch(/\(line 3:\d+\)$/);
  });

  it.each([
    ['a text', "throw 'oops'", /^Error: oops/],
    ['an object', 'throw { status: 404 }', /404/],
    ['nothing', 'throw undefined', /^Error: undefined/],
    ['an error whose message never ends', 'throw { get message() { for (;;); } }', /did not finish|instructions/],
    ['an error that throws when it is read', 'throw { get message() { throw 1 }, get name() { throw 2 } }', /Error/],
  ])('may be %s', async (_what, script, message) => {
    expect((await run(script)).message).toMatch(message);
  });

  it('of a script that nests too deep to be compiled harms nothing', async () => {
    const box = shared();
    for (const script of [`${'['.repeat(9000)}${']'.repeat(9000)}`, `${'('.repeat(9000)}1${')'.repeat(9000)}`]) {
      expect(await box.validate(script)).toMatchObject([{ code: 'parse_error', construct: 'nesting' }]);
      expect((await run(script)).message).toMatch(/^RangeError: Maximum call stack size exceeded/);
    }
    const loops = `${'for (;;) {'.repeat(1100)}${'}'.repeat(1100)}`;
    expect(await box.validate(loops)).toEqual([]);
    expect((await box.run({ script: '1 + 1' })).value).toBe(2);
  });

  it('of a promise that nobody awaits fails the run', async () => {
    const { message } = await run('async function f() { throw new Error("lost"); }\nf();\n1');
    expect(message).toMatch(/^Error: lost.*nobody awaits/);
  });
});
