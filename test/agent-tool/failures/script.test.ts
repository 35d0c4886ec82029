import { describe, expect, it, test } from 'vitest';
import { statSync } from 'node:fs';
import { answeredNames } from '../../../packages/agent-tool/src/failures/names.ts';
import { maxAnswerLength } from '../../../packages/agent-tool/src/failures/explain.ts';
import { bigFile, exampleIn, explain, folder, inEngine, inJavaScript } from './support.ts';

interface Row {
  construct: string;
  /** Fails; what was meant gives what the answer's example gives. */
  script: string;
  code: 'unsupported_syntax' | 'script_error';
  line: number;
  /** V8's words, and the advice. */
  says: RegExp;
  expected: unknown;
}

const rows: Row[] = [
  {
    construct: 'module',
    script: `import { statSync } from 'node:fs';\nstatSync('a.txt').size`,
    code: 'unsupported_syntax',
    line: 1,
    says: /module syntax is not supported.*no import.*global/s,
    expected: { 'a.txt': 11, 'b.txt': 7, 'server.log': statSync(bigFile).size },
  },
  {
    construct: 'use_before_declaration',
    script: `const isBig = (n) => n > limit;\nisBig(3);\nconst limit = 2;`,
    code: 'script_error',
    line: 1,
    says: /ReferenceError: Cannot access 'limit' before initialization.*Move/s,
    expected: true,
  },
  {
    construct: 'constant_assignment',
    script: `const total = 1;\ntotal += 2;\ntotal`,
    code: 'script_error',
    line: 2,
    says: /TypeError: Assignment to constant variable\..*let/s,
    expected: 3,
  },
  {
    construct: 'nullish_access',
    script: `const text = 'no digits';\nconst first = text.match(/\\d+/);\nconst id = first[0];\nid`,
    code: 'script_error',
    line: 3,
    says: /TypeError: Cannot read properties of null \(reading '0'\).*\?\?/s,
    expected: 'none',
  },
  {
    construct: 'nullish_access',
    script: `const { length } = [...'abc'].find((c) => c === 'x');\nlength`,
    code: 'script_error',
    line: 1,
    says: /Cannot convert undefined or null to object.*\?\?/s,
    expected: 'none',
  },
  {
    construct: 'not_iterable',
    script: `const counts = { a: 1, b: 2 };\nlet total = 0;\nfor (const count of counts) total += count;\ntotal`,
    code: 'script_error',
    line: 3,
    says: /TypeError: counts is not iterable.*Object\.entries/s,
    expected: 3,
  },
  {
    construct: 'not_iterable',
    script: `const [a] = [...'abc'].find((c) => c === 'x');\na`,
    code: 'script_error',
    line: 1,
    says: /TypeError: undefined is not iterable/,
    expected: 3,
  },
  {
    construct: 'json_syntax',
    script: `const { n } = JSON.parse('{"n": 1}\\n{"n": 2}\\n');\nn`,
    code: 'script_error',
    line: 1,
    says: /SyntaxError: .*JSON.*line by line/s,
    expected: 3,
  },
  {
    construct: 'json_syntax',
    script: `JSON.parse('[1,]')`,
    code: 'script_error',
    line: 1,
    says: /SyntaxError: Unexpected token '\]' in JSON/,
    expected: 3,
  },
];

/** Where a model most often forgets that it is not in Node or a browser. */
const names: [name: string, script: string, expected: unknown][] = [
  ['require', `const fs = require('fs');\nfs.readdirSync('.')`, ['a.txt', 'b.txt']],
  ['process', `process.argv.length`, ['a.txt', 'b.txt']],
  ['readFileSync', `readFileSync('a.txt', 'utf8').length`, 11],
  ['writeFile', `writeFile('report.md', ['# Report', 'all good'].join('\\n'))`, '# Report\nall good'],
  ['fetch', `await fetch('https://example.com')`, ['attachments:server.log']],
  ['setTimeout', `await new Promise((resolve) => setTimeout(() => resolve(1 + 1), 1))`, 2],
  ['eval', `eval('6 * 7')`, 42],
  ['global', `global.answer = 42;\nglobal.answer`, 42],
  ['Buffer', `Buffer.from('alp').toString('base64')`, ['alp', 'YWxw']],
];

describe('what the words of the error do not say', () => {
  it.each(rows)('$construct: $script', async ({ construct, script, code, line, says, expected }) => {
    const { error, text } = await explain(script);
    expect({ code: error.code, construct: error.details.construct }).toEqual({ code, construct });
    expect(text).toMatch(says);
    expect(text.split('\n')[0]).toMatch(new RegExp(`^${code}, at line ${line}: `));
    expect(text).toContain(`${line} | `);
    expect(text.length).toBeLessThan(maxAnswerLength);
    expect(text).not.toContain(folder);
    expect(await inEngine(exampleIn(text))).toEqual(expected);
  });

  test('a promise that nothing settles', async () => {
    const { error, text } = await explain(`await new Promise((resolve) => { const n = 21 * 2; })`);
    expect(error.details.construct).toBe('unsettled_promise');
    expect(text).toMatch(/nothing will ever settle.*async function/s);
    expect(await inEngine(exampleIn(text))).toBe(42);
  });
});

describe('a value that cannot leave the script', () => {
  it.each([
    ['a function', `[() => 3]`, /a function: call it/],
    ['a promise', `const load = async () => 3;\n[load()]`, /a promise: await it/],
    ['a symbol', `Symbol('x')`, /a symbol: return its description/],
    ['a cycle', `const a = {};\na.a = a;\na`, /ycl|circular|contains itself/],
  ])('%s', async (_, script, says) => {
    const { error, text } = await explain(script);
    expect(error).toMatchObject({ code: 'script_error', details: { name: 'ResultError' } });
    expect(text).toMatch(/^script_error(?:, at line \d)?: The result cannot leave the sandbox/);
    expect(text).toMatch(says);
    expect(await inEngine(exampleIn(text))).toEqual(await inJavaScript(exampleIn(text)));
  });
});

describe('a global of another environment', () => {
  it.each(names)('%s', async (name, script, expected) => {
    const { error, text } = await explain(script);
    expect(error.details.subject).toBe(name);
    expect(text).toMatch(new RegExp(`\`?${name}\`? is not (?:defined|supported)`));
    expect(text.length).toBeLessThan(maxAnswerLength);
    expect(await inEngine(exampleIn(text))).toEqual(expected);
  });

  it.each(answeredNames)('%s really is not there', async (name) => {
    const { error, text } = await explain(`const a = 1;\n${name}(a)`);
    expect(error.details).toMatchObject({ subject: name, location: { line: 2 } });
    expect(text).not.toContain('Declare');
  });
});

describe('a name that is not defined', () => {
  test('but nearly one that is', async () => {
    const { text } = await explain('const text = lookUp("a");\ntext', { hostFunctions: { look_up: () => 1 } });
    expect(text).toContain('There is look_up.');
    expect((await explain('readfile("a.txt")')).text).toContain('read_file');
  });

  test('as a function', async () => {
    const { text } = await explain('const found = find_issue("a");\nfound', { hostFunctions: { ask_user: () => 1 } });
    expect(text).toContain('Write it in the script, or use one of the functions that are there');
    expect(text).toContain('ask_user()');
    expect(await inEngine(exampleIn(text))).toBe(2);
  });

  test('anywhere', async () => {
    const { text } = await explain('const a = [1];\na.map((n) => n + missing)', {
      hostFunctions: { ask_user: () => 1 },
    });
    expect(text).toContain('script_error, at line 2: The script ended with ReferenceError: missing is not defined');
    expect(text).toContain('ask_user()');
    expect(await inEngine(exampleIn(text))).toBe(1);
  });
});

test('a method of what may be a promise', async () => {
  const script = 'const load = async () => [1];\nconst rows = load();\nawait null;\nrows.map((n) => n)';
  expect((await explain(script)).text).toMatch(/rows\.map is not a function|map is not a function.*not awaited/s);
  const { text } = await explain(`'abc'.toUppercase()`);
  expect(text).toContain('is not a function');
  expect(text).not.toContain('promise');
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
  test('is the statement', async () => {
    const { text } = await explain('const a = 1;\nif (a) {\n  throw new RangeError("too far");\n}');
    expect(text).toMatch(/^script_error, at line 3: The script ended with RangeError: too far\n/);
    expect(text).toContain('3 |   throw new RangeError("too far");');
    expect(text).toMatch(/ \| +\^/);
  });

  test('is the line in a callback', async () => {
    const { text } = await explain('const rows = [{}];\nrows.map((row) => {\n  return row.a.b;\n})');
    expect(text).toMatch(/^script_error, at line 3: .*Cannot read properties of undefined \(reading 'b'\)/);
  });
});

test('what the script threw is kept, and cut', async () => {
  const { text } = await explain(`throw new Error('${'x'.repeat(5000)}')`);
  expect(text).toContain('Error: xxxx');
  expect(text.length).toBeLessThan(maxAnswerLength);
});
