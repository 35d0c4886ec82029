import { statSync } from 'node:fs';
import { constructs } from '@mustard-sandbox/client';
import { describe, expect, it, test } from 'vitest';
import { answeredNames } from '../../../packages/agent-tool/src/failures/names.ts';
import { maxAnswerLength } from '../../../packages/agent-tool/src/failures/explain.ts';
import { bigFile, exampleIn, explain, folder, inEngine, inJavaScript } from './support.ts';

interface Row {
  construct: string;
  /** Fails in the engine; in JavaScript it gives what the answer's example gives in the engine. */
  script: string;
  code: 'unsupported_syntax' | 'script_error' | 'parse_error' | 'limit_exceeded';
  line?: number;
  says: RegExp;
  /** Where JavaScript cannot run `script` in the test either, or gives something else on purpose. */
  expected?: unknown;
}

const compiled: Row[] = [
  {
    construct: 'accessor',
    script: `const box = { width: 2, height: 3,\n  get ['area']() { return this.width * this.height; } };\nbox.area`,
    code: 'unsupported_syntax',
    line: 2,
    says: /getter.*method/s,
  },
  {
    construct: 'module',
    script: `import { statSync } from 'node:fs';\nstatSync('a.txt').size`,
    code: 'unsupported_syntax',
    line: 1,
    says: /no import.*global/s,
    expected: { 'a.txt': 11, 'b.txt': 7, 'server.log': statSync(bigFile).size },
  },
];

const run: Row[] = [
  {
    construct: 'use_before_declaration',
    script: `const isBig = (n) => n > limit;
isBig(3);
const limit = 2;`,
    code: 'script_error',
    says: /before.*Move/s,
    expected: true,
  },
  {
    construct: 'constant_assignment',
    script: `const total = 1;\ntotal += 2;\ntotal`,
    code: 'script_error',
    line: 2,
    says: /const.*let/s,
    expected: 3,
  },
  {
    construct: 'not_callable',
    script: `const list = [1, [2, [3]]];
const depth = (items) => (Array.isArray(items) ? 1 + Math.max(0, ...items.map(depth)) : 0);
depth(list) + 'abc'.length()`,
    code: 'script_error',
    says: /like a function.*line 3, `depth\(list\)/s,
    expected: 6,
  },
  {
    construct: 'nullish_access',
    script: `const text = 'no digits';
const first = text.match(/\\d+/);
const id = first[0];
id`,
    code: 'script_error',
    says: /null or undefined.*line 3, `const id = first\[0\];`.*\?\?/s,
    expected: 'none',
  },
  {
    construct: 'not_iterable',
    script: `const counts = { a: 1, b: 2 };
let total = 0;
for (const count of counts) total += count;
total`,
    code: 'script_error',
    says: /looped over.*Object\.entries/s,
    expected: 3,
  },
  {
    construct: 'json_syntax',
    script: `const { n } = JSON.parse('{"n": 1}\\n{"n": 2}\\n');\nn`,
    code: 'script_error',
    says: /one JSON value.*line by line/s,
    expected: 3,
  },
  {
    construct: 'nesting',
    script: `let items = [];\nfor (let depth = 0; depth < 200; depth++) items = [items];\nitems`,
    code: 'script_error',
    says: /nested deeper than 127 levels.*flat/s,
    expected: 200,
  },
  {
    construct: 'unsettled_promise',
    script: `await new Promise((resolve) => { const n = 21 * 2; })`,
    code: 'script_error',
    says: /never settle|nothing will ever settle.*async function/s,
    expected: 42,
  },
];

const values: Row[] = [
  {
    construct: 'shared_reference',
    script: `const range = { from: 1, to: 2 };\n[{ name: 'a', range }, { name: 'b', range }]`,
    code: 'script_error',
    says: /occurs twice.*\{\.\.\.object\}/s,
  },
  {
    construct: 'cyclic_value',
    script: `const parent = { name: 'root', children: [] };
parent.children.push({ name: 'leaf', parent });
parent.children`,
    code: 'script_error',
    says: /contains itself.*name instead/s,
    expected: [{ name: 'leaf', parent: 'root' }],
  },
  {
    construct: 'map_or_set_value',
    script: `({ counts: new Map([['a', 1], ['b', 2]]), names: new Set(['x', 'y']) })`,
    code: 'script_error',
    says: /Map or Set.*Object\.fromEntries/s,
  },
  {
    construct: 'date_value',
    script: `const start = new Date('2026-04-20T12:00:00Z');\n({ start, ms: start.getTime() })`,
    code: 'script_error',
    says: /Date.*ISO/s,
  },
  { construct: 'bigint_value', script: `2n ** 64n`, code: 'script_error', says: /BigInt.*String/s },
  {
    construct: 'function_value',
    script: `const double = async (n) => n * 2;\n[() => 3, await double(1), await double(2)]`,
    code: 'script_error',
    says: /function or a promise.*await/s,
  },
  {
    construct: 'exotic_value',
    script: `[/a+/g, new Error('no'), new Map([['k', 1]]).keys()]`,
    code: 'script_error',
    says: /plain objects.*String\(pattern\)/s,
  },
];

/** `inJavaScript` cannot tell a promise from its value, and leaves hidden files out as the sandbox does. */
const names: [string, string, unknown?][] = [
  ['require', `const fs = require('fs');\nfs.readdirSync('.').filter((name) => name.endsWith('.txt'))`],
  ['process', `process.argv.length`, ['a.txt', 'b.txt']],
  ['readFileSync', `readFileSync('a.txt', 'utf8').length`, 11],
  ['writeFile', `writeFile('report.md', ['# Report', 'all good'].join('\\n'))`, '# Report\nall good'],
  ['fetch', `await fetch('https://example.com')`, ['attachments:server.log']],
  ['setTimeout', `await new Promise((resolve) => setTimeout(() => resolve(1 + 1), 1))`],
  ['eval', `eval('6 * 7')`],
  ['global', `global.answer = 42;\nglobal.answer`],
  ['Symbol', `const key = Symbol('k');\nconst counts = { [key]: 6 };\ncounts[key]`],
  ['Proxy', `const counts = new Proxy({ a: 1 }, { get: (target, key) => target[key] ?? 0 });\n[counts.a, counts.b]`],
  [
    'BigInt64Array',
    `const buckets = new BigInt64Array(4);\nfor (const n of [0, 1, 1, 3]) buckets[n]++;\nbuckets`,
    [1, 2, 0, 1],
  ],
  ['Buffer', `const bytes = Buffer.from('alp');\n[bytes.toString(), bytes.toString('base64')]`],
  [
    'URL',
    `const url = new URL('https://example.com/a/b?q=x%20y');\n[url.host, url.pathname, decodeURIComponent(url.search.slice(1))]`,
  ],
];

const members: [string, string, RegExp, unknown?][] = [
  ['Array.prototype.contains', `[1, 2, 3].contains(2)`, /includes/, true],
  ['console.table', `console.table([{ n: 1 }]);\n'done'`, /console\.log/],
  [
    'Map.prototype.map',
    `const sizes = new Map([['a', 1], ['b', 2]]);\nsizes.map(([name, size]) => name + size)`,
    /Spread/,
    ['a1', 'b2'],
  ],
  [
    'Iterator.prototype.map',
    `const sizes = new Map([['a', 1], ['b', 2]]);\nsizes.entries().map(([name, size]) => name + size)`,
    /Spread/,
    ['a1', 'b2'],
  ],
  [
    'Promise.prototype.split',
    `const load = async (path) => read_file(path);\nconst [text] = ['a.txt'].map(load);\ntext.split('\\n').length`,
    /called on a promise.*await it first/s,
    3,
  ],
  [
    'String.prototype.toUppercase',
    `Object.keys({ a: 1 }).map((key) => key.toUppercase())`,
    /String has: .*toUpperCase/,
    ['A'],
  ],
  ['Object.prototype.map', `const counts = { a: 1 };\ncounts.map((key) => key)`, /no method map on this object/, ['A']],
];

async function check({ construct, script, code, line, says, expected }: Row): Promise<void> {
  const { error, text } = await explain(script, { limits: { timeoutMs: 10_000 } });
  expect({ code: error.code, construct: error.details.construct }).toEqual({ code, construct });
  expect(text).toMatch(says);
  expect(text.split('\n')[0]).toMatch(new RegExp(`^${code}(, .*)?: `));
  if (line !== undefined) {
    expect(error.details.location?.line).toBe(line);
    expect(text).toContain(`line ${line}`);
    expect(text).toContain(`${line} | `);
  }
  expect(text.length).toBeLessThan(maxAnswerLength);
  expect(text).not.toContain(folder);
  const wanted = expected ?? (await inJavaScript(script));
  expect(await inEngine(exampleIn(text))).toEqual(wanted);
}

describe('a construct that the compiler refuses', () => {
  it.each(compiled)('$construct', check);
});

describe('what fails while it runs', () => {
  it.each(run)('$construct', check);
});

describe('a value that cannot leave the script', () => {
  it.each(values)('$construct', check);

  test('is told to be the value of the script, or not', async () => {
    const { text } = await explain('new Map([["a", 1]])');
    expect(text).toContain('about the value of the script');
    const { text: logged } = await explain('console.log(new Map([["a", 1]]));\n1');
    expect(logged).toContain('A Map or Set cannot leave');
    expect(logged).not.toContain('the value of the script');
  });
});

describe('a global of another environment', () => {
  it.each(names)('%s', async (name, script, expected) => {
    const { error, text } = await explain(script);
    expect(error.details.subject).toBe(name);
    expect(text).toContain(`There is no ${name} here.`);
    expect(text.length).toBeLessThan(maxAnswerLength);
    expect(await inEngine(exampleIn(text))).toEqual(expected ?? (await inJavaScript(script)));
  });

  it.each(answeredNames)('%s really is not there', async (name) => {
    const { error, text } = await explain(`const a = 1;\n${name}(a)`);
    expect(error.details).toMatchObject({ subject: name, location: { line: 2 } });
    expect(text).toContain(`There is no ${name} here.`);
    expect(text).not.toContain('Declare');
  });
});

describe('a name that is not defined', () => {
  test('but nearly one that is', async () => {
    const { text } = await explain('const text = lookUp("a");\ntext', { hostFunctions: { look_up: () => 1 } });
    expect(text).toContain('There is look_up.');
    expect((await explain('readfile("a.txt")')).text).toContain('read_file');
  });

  test('but assigned', async () => {
    const { text } = await explain('for (const n of [1, 2]) {\n  total = n;\n}\ntotal');
    expect(text).toContain('total is assigned but was never declared');
    expect(await inEngine(exampleIn(text))).toBe(2);
  });

  test('anywhere', async () => {
    const { text } = await explain('const a = 1;\na + missing', { hostFunctions: { ask_user: () => 1 } });
    expect(text).toContain('script_error, at line 2: missing is not defined.');
    expect(text).toContain('ask_user()');
    expect(await inEngine(exampleIn(text))).toBe(1);
  });

  test('as a function', async () => {
    const { text } = await explain('const found = find_issue("a");\nfound', { hostFunctions: { ask_user: () => 1 } });
    expect(text).toContain('There is no function find_issue here.');
    expect(text).toContain('ask_user()');
    expect(await inEngine(exampleIn(text))).toBe(2);
  });
});

describe('a method that is not there', () => {
  it.each(members)('%s', async (subject, script, says, expected) => {
    const { error, text } = await explain(script);
    expect(error.details).toMatchObject({ construct: 'missing_member', subject, location: { precision: 'statement' } });
    expect(text).toMatch(says);
    expect(text.length).toBeLessThan(maxAnswerLength);
    const { line } = error.details.location as { line: number };
    expect(text).toContain(`script_error, at line ${line}`);
    expect(await inEngine(exampleIn(text))).toEqual(expected ?? (await inJavaScript(script)));
  });
});

test('every construct has a row', () => {
  const rows = [...compiled, ...run, ...values].map(({ construct }) => construct);
  // Those that the front end rewrites reach an answer only when it fails.
  const lowered = [
    ...[
      'early_return',
      'call_in_callback',
      'class',
      'user_constructor',
      'generator',
      'var',
      'tagged_template',
      'coercion',
    ],
    ...['look_ahead', 'look_behind', 'backreference', 'regex_flag', 'regex_syntax', 'engine_fault'],
  ];
  expect(new Set([...rows, ...lowered, 'forbidden_global', 'undefined_name', 'missing_member'])).toEqual(
    new Set(constructs),
  );
});

test('several problems are told at once', async () => {
  const { text } = await explain(
    'var a = 1;\nimport b from "b";\nrequire("fs");\nprocess.exit();\neval("1");\nFunction("1");\nmodule.exports',
  );
  expect(text).toMatch(/^unsupported_syntax, at line 2: There are no modules/);
  for (const part of ['Also fix:', '- line 3: There is no require', '- line 4: There is no process', '- and 2 more']) {
    expect(text).toContain(part);
  }
  expect(text.length).toBeLessThan(maxAnswerLength);
});

describe('a syntax error', () => {
  it.each([
    ['const a = [1, 2;\na', 1, /missing or surplus bracket/],
    ['const f = () => {\n  return await read_file("a.txt");\n};\nf()', 2, /await works at the top level/],
  ])('%j', async (script, line, says) => {
    const { error, text } = await explain(script);
    expect(error.code).toBe('parse_error');
    expect(text).toMatch(/^parse_error, at line \d+: The script is not valid JavaScript/);
    expect(text).toContain(`${line} | ${script.split('\n')[line - 1]}`);
    expect(text).toMatch(says);
    await inEngine(exampleIn(text));
  });
});

test('Markdown fences are named as such', async () => {
  for (const script of ['```\n1 +\n```', '```javascript\nconst a = 1;\na\n```']) {
    const { text } = await explain(script);
    expect(text).toContain('without Markdown fences');
    await inEngine(exampleIn(text));
  }
});

describe('the place of a failure', () => {
  test('is the statement where it is known', async () => {
    const { text } = await explain('const a = 1;\nif (a) {\n  throw new RangeError("too far");\n}');
    expect(text).toMatch(/^script_error, at line 3: The script ended with RangeError: too far\n/);
    expect(text).toContain('3 |   throw new RangeError("too far");');
    expect(text).toContain('  |   ^^^^^^');
  });

  test('is a function, with its code, where only that is known', async () => {
    const script =
      'const a = 1;\nfunction part(line) {\n  const m = line.match(/x(\\d)/);\n  return m[1];\n}\npart("x1") + part("y")';
    const { text } = await explain(script);
    expect(text).toMatch(/^script_error, in function part, lines 2-5: A property of null/);
    expect(text).toContain('It may be line 4, `return m[1];`.');
    expect(text).toContain('3 |   const m = line.match(/x(\\d)/);');
  });

  test('is a callback without a name', async () => {
    const { text } = await explain('const rows = [{}];\nrows.map((row) => {\n  return row.a.b;\n})');
    expect(text).toMatch(/^script_error, in the function in lines 2-4: /);
  });

  test('is the top level, without claiming a line', async () => {
    const script = `${'const x = 1;\n'.replace('x', 'long').repeat(1)}const u = undefined;\n${'// comment\n'.repeat(20)}u.name`;
    const { text } = await explain(script);
    expect(text).toMatch(/^script_error, at the top level of the script, lines 1-23: /);
    expect(text).not.toContain('1 | ');
  });
});

test('what the script threw is kept, and cut', async () => {
  const { text } = await explain(`throw new Error('${'x'.repeat(5000)}')`);
  expect(text).toContain('Error: xxxx');
  expect(text.length).toBeLessThan(maxAnswerLength);
});
