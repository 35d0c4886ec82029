import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { diagnose, loadReadingBy, read, readTyped } from '../../../packages/sandbox-daemon/src/engine/read/read.ts';
import type { Program } from '../../../packages/sandbox-daemon/src/engine/read/program.ts';
import * as reading from '../../../packages/sandbox-daemon/src/engine/read/reading.ts';

let parsed = 0;
loadReadingBy(() => ({
  ...reading,
  readScript(source) {
    parsed++;
    return reading.readScript(source);
  },
}));

function programOf(source: string): Program {
  const result = readTyped(source);
  if ('diagnostics' in result) throw new Error(JSON.stringify(result.diagnostics));
  return result;
}

/** The value of the program as a script of V8. */
const valueOf = (source: string): unknown => runInNewContext(programOf(source).code);

it.each([
  '1 + 1',
  'const a = [1].map((x) => x * 2); a',
  'for (const line of lines("returned")) count++',
  'throw 5 // awaited',
])('is not parsed where nothing asks for it: %s', (source) => {
  const before = parsed;
  expect(read(source)).toEqual({ source, code: source, waits: false });
  expect(parsed).toBe(before);
});

describe('a return at the top level', () => {
  it.each<[string, unknown]>([
    ['return 5', 5],
    ['const a = 1\nreturn a', 1],
    ['const a = 1\nreturn', undefined],
    ['7; return;', undefined],
    ['return { a: 1 }', { a: 1 }],
    ['return (1, 2)', 2],
    ['return function () {}.name', ''],
    ['return main();\nfunction main() { return 4 }', 4],
    ['if (1) return 2\n3', 2],
    ['if (0) return 2\n3', 3],
    ['if (0) return 1; if (0) { 5 } else { 6; function f() {} }', 6],
    ['if (0) return 1; { const a = 4; a }', 4],
    ['try { if (0) return 1; 7 } catch { 8 } finally { 9 }', 7],
    ['try { if (0) return 1; null.x; 7 } catch { 8 } finally { 9 }', 8],
    ['for (const a of [1, 2]) if (a === 2) return a', 2],
    ['#!/usr/bin/env node\nif (1) return 3', 3],
    ['label: { return 5 }', 5],
    ['if (0) return 1; let b = 2;', undefined],
  ])('%s', (source, expected) => {
    expect(valueOf(source)).toEqual(expected);
  });

  it('is awaited in a script that waits', async () => {
    expect(await (valueOf('if (0) return 1;\nawait 5;\nreturn 6') as Promise<unknown>)).toBe(6);
  });

  it.each([
    'const f = () => { return 1 }; f()',
    'class A { m() { return 1 } static { (() => { return 2 })() } }\nnew A().m()',
    'const o = { get a() { return 1 } };\no.a',
  ])('of functions leaves the script as it is: %s', (source) => {
    expect(programOf(source)).toEqual({ source, code: source, waits: false });
  });
});

describe('places lead back', () => {
  it.each([
    ['if (0) return 1;\nconst x = 1;\nmissing(x)', 'missing'],
    ['const é = "ä";\nif (0) return 1; missing(é)', 'missing'],
    ['const a = 1;\nreturn missing(a)', 'missing'],
    ['const a: number = 1;\nif (0) return 1;\n  missing(a as any);', 'missing'],
  ])('%s', (source, word) => {
    const { code, positions } = programOf(source);
    const inCode = code.indexOf(word);
    const before = code.slice(0, inCode).split('\n');
    const line = before.length;
    const column = (before.at(-1) as string).length + 1;
    const lines = source.slice(0, source.indexOf(word)).split('\n');
    const wanted = { line: lines.length, column: (lines.at(-1) as string).length + 1 };
    expect(positions?.place({ line, column })).toEqual(wanted);
    const start = Buffer.byteLength(code.slice(0, inCode));
    const span = positions?.span({ start, end: start + word.length });
    expect(Buffer.from(source).subarray(span?.start, span?.end).toString()).toBe(word);
  });
});

describe('whether it waits', () => {
  it.each<[string, boolean]>([
    ['await f()', true],
    ['const f = async () => 1; f()', true],
    ['for await (const a of b) a', true],
    ['({ async m() {} })', true],
    ['class A { async m() {} }', true],
    ['"await"', false],
    ['// await\n1', false],
    ['const o = { async: 1, await: 2 }; o.async', false],
    ['/await/.test("x")', false],
  ])('%s: %s', (source, waits) => {
    expect(programOf(source).waits).toBe(waits);
    expect(read(source)).toMatchObject({ waits });
  });
});

describe('types', () => {
  it.each<[string, unknown]>([
    ['const x: number = 5; x', 5],
    [
      'interface A { a: number }\ntype B = A | null\nconst f = (a: A, b?: string): number => a.a + (b ? 1 : 0); f({ a: 2 } as A)',
      2,
    ],
    ['function g<T>(x: T): T { return x } g<number>(4)', 4],
    ["const m = new Map<string, number>(); m.set('a', 1); m.get('a')!", 1],
    ['const o = { a: 1 } satisfies Record<string, number>; o.a', 1],
    [
      'class P<T> implements Q { private readonly x: T; public static n: number = 3; y?: string; constructor(x: T) { this.x = x } get(): T { return this.x } }\nnew P<number>(7).get() + P.n',
      10,
    ],
    ["let a!: string; a = 'x'; a", 'x'],
    ['const el = <any>5; el', 5],
    ['const a: number = 3; return a as number', 3],
  ])('%s', (source, expected) => {
    const { code } = programOf(source);
    expect(valueOf(source)).toBe(expected);
    expect(code.split('\n').length).toBe(source.split('\n').length);
  });
});

describe('refused', () => {
  it.each<[string, object]>([
    ['```js\n1\n```', { code: 'unsupported_syntax', message: 'the script begins with a Markdown fence' }],
    ['import x from "y"', { construct: 'module', location: { line: 1, column: 1 } }],
    ['1;\nexport const x = 1', { construct: 'module', location: { line: 2, column: 1 } }],
    ['const a = await import("x")', { construct: 'module', location: { line: 1, column: 17 } }],
    ['const f = eval; f(1)', { construct: 'forbidden_global', subject: 'eval' }],
    ['new Function("a")', { construct: 'forbidden_global', subject: 'Function' }],
    ['const a = 1;\nenum Color { Red }', { message: expect.stringContaining('use an object'), location: { line: 2 } }],
    ['namespace A { export const x = 1 }', { message: 'namespace is not supported: use an object' }],
    ['@log class A {}', { message: expect.stringContaining('decorators') }],
  ])('%s', (source, expected) => {
    expect(diagnose(source)).toMatchObject([{ code: 'unsupported_syntax', frame: expect.any(String), ...expected }]);
  });

  it.each(['f instanceof Function', 'typeof eval', 'o.eval', 'const eval_ = 1; eval_', '({ Function: 1 })'])(
    'not what makes no code: %s',
    (source) => {
      expect(diagnose(source)).toEqual([]);
    },
  );
});

describe('a mistake is shown where it is', () => {
  it.each<[string, number, number]>([
    ['let a = ;', 1, 9],
    ['const ok = 1;\nconst b = (1;', 2, 13],
    ['this is not a script', 1, 6],
    ['const n: number = 1;\nconst = 2;', 2, 7],
    ['const a: string = (;', 1, 20],
    ['const a = 1; const a = 2', 1, 20],
  ])('%s', (source, line, column) => {
    expect(diagnose(source)).toMatchObject([{ code: 'parse_error', location: { line, column } }]);
  });

  it('in the words of V8', () => {
    expect(diagnose('let a = ;')[0]?.message).toBe("Unexpected token ';'");
  });
});
