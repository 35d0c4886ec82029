import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { completed, failed, toolFor } from './support.ts';

const line = '2026-04-20T12:00:00Z ERROR E1 größe\n2026-04-20T12:00:01Z INFO ok\n2026-04-20T12:00:02Z ERROR E2 x\n';

function toolOverLog(): ExecuteSandboxScriptTool {
  const folder = makeFolder({ 'server.log': line.repeat(25_000), 'small.txt': 'x'.repeat(4096) });
  const attachments = [join(folder, 'server.log'), join(folder, 'small.txt')];
  return toolFor({ appPath: folder, attachments });
}

test('costs a model less than 4.75 KB, and nothing that changes between calls', () => {
  const { description } = toolFor();
  expect(Buffer.byteLength(description)).toBeLessThan(4.75 * 1024);
  expect(toolFor({ attachments: ['README.md'] }).description).toBe(description);
  expect(description).not.toContain('README');
});

test('says whether there is a project folder', () => {
  expect(toolFor().description).toContain('no project folder');
  expect(toolOverLog().description).toContain('relative to the project folder');
});

test('says the limits that hold', () => {
  const { description } = toolOverLog();
  for (const part of ['2 seconds', '200 million', '64 MB', '1 MB (1048576 bytes)', '256 MB', '32 KB', '64 KB']) {
    expect(description).toContain(part);
  }
  const limits = { timeoutMs: 5000, heapBytes: 128 * 1024 * 1024, scriptBytes: 4096 };
  const other = toolFor({ limits }).description;
  for (const part of ['5 seconds', '128 MB', 'the script at most 4 KB']) expect(other).toContain(part);
  expect(toolFor({ settings: { consent: 'always', timeoutMs: 7000 } }).description).toContain('7 seconds');
  const settings = (): { timeoutMs: number } => ({ timeoutMs: 7000 });
  expect(toolFor({ settings }).description).toContain('2 seconds, unless the user chose another time');
});

test('declares the functions of the host', () => {
  const { description } = toolFor({
    hostFunctions: {
      lookup: { handler: () => [], declaration: 'declare function lookup(word: string): string[];' },
      deploy: {
        handler: () => 1,
        declaration: '  declare function deploy<T>(target: T): number; ',
        description: 'Deploys. */ Not a comment any more.',
        consent: 'ask',
      },
    },
  });
  const declarations = /```ts\n([\s\S]*?)```/.exec(description)?.[1] as string;
  expect(declarations.split('\n').slice(-4)).toEqual([
    'declare function lookup(word: string): string[];',
    '/** Deploys. * / Not a comment any more. Asks the user, who may decline. */',
    'declare function deploy<T>(target: T): number;',
    '',
  ]);
});

test('its example for big files runs as it stands', async () => {
  const folder = makeFolder({ 'server.log': line.repeat(1000) });
  const tool = toolFor({ attachments: [join(folder, 'server.log')] });
  const example = /```js\n([\s\S]*?)```/.exec(tool.description)?.[1] as string;
  const { value } = await completed(tool.execute({ script: example }));
  expect(value).toEqual(['E1', 'E2'].map((value) => ({ value, count: 1000 })));
});

test('declares the functions as they are', async () => {
  const script = `[
    typeof read_file, typeof list_files, typeof file_stats, typeof console.log,
    read_file('small.txt', { start: 1, length: 3, encoding: 'base64' }),
    list_files('.'), list_files('attachments:'), Object.keys(file_stats('small.txt')).toSorted(),
  ]`;
  const { value } = await completed(toolOverLog().execute({ script }));
  expect(value).toEqual([
    ...Array.from({ length: 4 }, () => 'function'),
    Buffer.from('xxx').toString('base64'),
    ['server.log', 'small.txt'],
    ['attachments:server.log', 'attachments:small.txt'],
    ['encoding', 'isText', 'mtime', 'size'],
  ]);
});

test.each([
  ['closures for a class', 'const counter = () => { let n = 0; return { add: () => ++n } }; counter().add()', 1],
  ['named groups', '/(?<word>b+)/.exec("abb").groups.word', 'bb'],
  ['async and await', 'const later = async () => 2; await later()', 2],
  [
    'destructuring, spread, templates',
    'const { a, ...more } = { a: 1, b: 2 }; `${a} ${[...Object.keys(more)]}`',
    '1 b',
  ],
  ['optional chaining', 'let none = null; none?.x ?? 3', 3],
  ['a final return', 'const x = 4; return x;', 4],
  ['Map and Set, spread into the answer', '[[...new Map([["a", 1]])], [...new Set([1, 1])]]', [[['a', 1]], [1]]],
  ['Date in UTC', 'new Date(0).toISOString()', '1970-01-01T00:00:00.000Z'],
  ['strings of UTF-16', '"😀a".indexOf("a") + "😀a".length', 5],
  ['the same object twice', 'const one = { a: 1 }; [one, one]', [{ a: 1 }, { a: 1 }]],
  ['a Date in the answer', '({ at: new Date(0) })', { at: '1970-01-01T00:00:00.000Z' }],
  ['Map and Set in the answer', '[new Map([["a", 1]]), new Set([1, 1])]', [[['a', 1]], [1]]],
  ['BigInt in the answer', '2n ** 64n', '18446744073709551616'],
  ['undefined left out, as JSON does', '({ a: undefined, b: [undefined] })', { b: [null] }],
  ['symbols and proxies', 'const key = Symbol("k"); new Proxy({ [key]: 2 }, {})[key]', 2],
  ['errors that can be caught', 'try { read_file("../x") } catch ({ code }) { code }', 'capability_denied'],
  [
    'calls in a loop',
    'const sizes = []; for (const path of list_files()) sizes.push(file_stats(path).size); sizes[1]',
    4096,
  ],
  ['calls in a callback', 'list_files().map((path) => file_stats(path).size)[1]', 4096],
  ['an early return', 'if (list_files().length > 0) return 1;\n2', 1],
  ['templates of numbers', '`${1}${2}`', '12'],
  ['calls that are all awaited', 'const [path] = await list_files(); (await file_stats(path)).isText', true],
  ['values after an await', 'await 1; typeof file_stats("small.txt").size', 'number'],
  ['values in async functions', 'const f = async () => Array.isArray(list_files()); await Promise.all([f()])', [true]],
  ['JSON keys in the order of the text', 'Object.keys(JSON.parse(\'{ "b": 1, "a": 2 }\'))', ['b', 'a']],
  ['classes', 'class A { #n = 1; add(n) { return (this.#n += n); } }\nnew A().add(2)', 3],
  ['generators', 'function* g() { yield 1; yield 2; }\n[...g()]', [1, 2]],
  ['var and types', 'var n: number = 1;\nn', 1],
  ['look-ahead', '/\\d+(?= EUR)/.exec("12 EUR")[0]', '12'],
  ['Dates as numbers', 'new Date(5) - new Date(2)', 3],
])('has %s', async (_, script, expected) => {
  await expect(toolOverLog().execute({ script })).resolves.toMatchObject({ value: expected });
});

test.each([
  'import x from "y"',
  'await import("y")',
  'require("fs")',
  'eval("1")',
  'new Function("1")',
  'setTimeout(() => 1)',
  'fetch("http://127.0.0.1/")',
  '() => 1',
])('lacks, as it says, %s', async (script) => {
  const { error } = await failed(toolOverLog().execute({ script }));
  expect(['unsupported_syntax', 'script_error']).toContain(error.code);
});
