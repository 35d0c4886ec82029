import { afterAll, describe, expect, it } from 'vitest';
import { constructs, type ErrorDetails } from '@mustard-sandbox/protocol';
import { mustardScript, runMustard, unread } from '../support.ts';

afterAll(() => mustardScript.close());

/** What a script's error says about it. A capability call is answered with `1`. */
function detailsOf(source: string): ErrorDetails {
  try {
    runMustard(unread(source));
  } catch (error) {
    return (error as { details: ErrorDetails }).details;
  }
  throw new Error('expected a failure');
}

const rows: [source: string, construct: string, subject?: string][] = [
  ['class A {}', 'class'],
  ['const A = class { #n = 1 }', 'class'],
  ['function* g() {}', 'generator'],
  ['async function* g() {}', 'generator'],
  ['var a = 1', 'var'],
  ['({ get a() { return 1 } })', 'accessor'],
  ['({ set a(v) {} })', 'accessor'],
  ['String.raw`a`', 'tagged_template'],
  ['import a from "a"', 'module'],
  ['export const a = 1', 'module'],
  ['import("a")', 'module'],
  ['require("fs")', 'forbidden_global', 'require'],
  ['function f() { return arguments.length }', 'forbidden_global', 'arguments'],
  ['Symbol("a")', 'undefined_name', 'Symbol'],
  ['$a', 'undefined_name', '$a'],
  ['a; let a = 1', 'use_before_declaration', 'a'],
  ['const a = 1; a = 2', 'constant_assignment', 'a'],
  ['"a".substr(0, 1)', 'missing_member', 'String.prototype.substr'],
  ['Object.create(null)', 'missing_member', 'Object.create'],
  ['Object.defineProperty({}, "a", {})', 'missing_member', 'Object.defineProperty'],
  ['console.table([])', 'missing_member', 'console.table'],
  ['(async () => 1)().split("a")', 'missing_member', 'Promise.prototype.split'],
  ['const a = 1; a()', 'not_callable'],
  ['null.a', 'nullish_access'],
  ['const { a } = null', 'nullish_access'],
  ['for (const a of 1) {}', 'not_iterable'],
  ['const [a] = {}', 'not_iterable'],
  ['new Date(2) - new Date(1)', 'coercion'],
  ['+[]', 'coercion'],
  ['function A() {} new A()', 'user_constructor'],
  ['[1].map(() => ask())', 'call_in_callback'],
  ['[2, 1].sort(() => ask())', 'call_in_callback'],
  ['"a".replace(/a/, () => ask())', 'call_in_callback'],
  ['Array.from([1], () => ask())', 'call_in_callback'],
  ['/a(?=b)/.test("a")', 'look_ahead', 'a(?=b)'],
  ['/a(?!b)/.test("a")', 'look_ahead', 'a(?!b)'],
  ['/(?<=a)b(?=c)/.test("a")', 'look_behind', '(?<=a)b(?=c)'],
  ['/(?<!a)b/.test("a")', 'look_behind', '(?<!a)b'],
  ['/(a)\\1/.test("a")', 'backreference', '(a)\\1'],
  ['/(?<x>a)\\k<x>/.test("a")', 'backreference', '(?<x>a)\\k<x>'],
  ['/a/v.test("a")', 'regex_flag', 'v'],
  ['/[\\w-.]/.test("a")', 'regex_syntax', '[\\w-.]'],
  ['/\\p{L}/.test("a")', 'regex_syntax', 'Unicode property classes require the u flag'],
  ['JSON.parse("{a: 1}")', 'json_syntax', 'key must be a string'],
  ['JSON.parse("")', 'json_syntax', 'EOF while parsing a value'],
  ['JSON.parse("[".repeat(200))', 'nesting'],
  ['let a = {}; for (let i = 0; i < 200; i++) a = { a }; JSON.stringify(a)', 'nesting'],
  ['let a = []; for (let i = 0; i < 200; i++) a = [a]; a', 'nesting'],
  ['await new Promise(() => {})', 'unsettled_promise'],
  ['const a = {}; [a, a]', 'shared_reference'],
  ['const a = {}; console.log([a, a])', 'shared_reference'],
  ['const a = []; a.push(a); a', 'cyclic_value'],
  ['const a = {}; a.a = a; JSON.stringify(a)', 'cyclic_value'],
  ['new Map()', 'map_or_set_value'],
  ['[new Set()]', 'map_or_set_value'],
  ['new Date(0)', 'date_value'],
  ['10n', 'bigint_value'],
  ['() => 1', 'function_value'],
  ['/a/', 'exotic_value'],
  // Counts its cells wrongly from half a million callbacks on.
  ['Array.from({ length: 1000001 }, () => 1)', 'engine_fault'],
];

describe('what an error is about', () => {
  it.each(rows)('%s: %s', (source, construct, subject) => {
    const details = detailsOf(source);
    expect({ construct: details.construct, subject: details.subject }).toEqual({ construct, subject });
  });

  it('is one of the constructs that there are', () => {
    expect(rows.filter(([, construct]) => !(constructs as readonly string[]).includes(construct))).toEqual([]);
  });

  it('is not told for what a script or a capability says in its own words', () => {
    expect(detailsOf('throw new Error("no such word")').construct).toBeUndefined();
    const error = { name: 'TypeError', message: 'value is not callable', code: 'E1' };
    expect(() => runMustard(unread('ask()'), { answer: () => ({ error }) })).toThrow(
      expect.objectContaining({
        details: expect.not.objectContaining({ construct: 'not_callable' }) as object,
      }) as Error,
    );
  });

  it('is told by validate as well', () => {
    expect(mustardScript.validate(unread('var a = 1; require("a")'))).toMatchObject([
      { construct: 'var' },
      { construct: 'forbidden_global', subject: 'require' },
    ]);
  });
});

describe('what an error is about is marked', () => {
  it.each([
    ['a method', 'const a = "x";\nlet b = a.trim();\nb.substr(1)\n', 3, 3, 9],
    ['a pattern', 'const a = "xyz";\nif (/x(?=y)/.test(a)) 1\n', 2, 6, 12],
    ['an assignment', 'const total = 1;\nif (total === 1) {\n  total += 2;\n}', 3, 3, 8],
  ])('where %s stands once', (_, source, line, column, endColumn) => {
    const location = { line, endLine: line, column, endColumn, precision: 'statement' };
    expect(detailsOf(source).location).toEqual(location);
  });

  it('not where it stands more than once, and without the empty line at the end', () => {
    const location = { line: 1, column: 1, endLine: 2, endColumn: 14, precision: 'function' };
    expect(detailsOf('"a".substr(1);\n"b".substr(1)\n').location).toEqual(location);
  });
});
