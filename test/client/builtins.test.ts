import { mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinNames, createSandbox, type RunResult, type Sandbox } from '@mustard-sandbox/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaults, failureOf } from './support.ts';

let box: Sandbox;
let root: string;
const lineCount = 30_000;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-builtins-')));
  writeFileSync(
    join(root, 'log'),
    Array.from({ length: lineCount }, (_, at) => `line ${at} of some length\n`).join(''),
  );
  writeFileSync(join(root, 'endless'), 'x\n');
  truncateSync(join(root, 'endless'), 8 * 2 ** 30);
  writeFileSync(join(root, 'aaa'), `${'a'.repeat(2000)}b\n`);
  box = createSandbox({ ...defaults, maxProcesses: 1, spares: 0, maxTimeoutMs: 60_000 });
});
afterAll(async () => {
  await box.close();
  rmSync(root, { recursive: true });
});

const run = (script: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<RunResult> =>
  box.run({
    script,
    scope: { root, maxTotalReadBytes: 2 ** 34 },
    limits: { timeoutMs: options.timeoutMs ?? 10_000 },
    ...(options.signal && { signal: options.signal }),
  });

test.each(['quickjs', 'mustardscript'] as const)('every one is a function in %s', async (engine) => {
  // Called without arguments, each refuses that by its own name; one that is missing is not defined.
  const said = await Promise.all(
    builtinNames.map((name) => box.run({ script: `${name}()`, engine, scope: { root } }).then(String, String)),
  );
  expect(said.filter((text) => /not defined|not a function/.test(text))).toEqual([]);
});

describe('ends a run that is in a built-in', () => {
  const endless = [
    `search('endless', 'needle', { encoding: 'utf8' })`,
    `read_lines('endless', { start: 1e9 })`,
    `let n = 0; for (;;) { for (const line of lines('log')) n++; }`,
  ];

  test.each(endless)('at the deadline: %s', async (script) => {
    expect(await failureOf(run(script, { timeoutMs: 300 }))).toMatchObject({ code: 'timeout' });
    const { value } = await run('1');
    expect(value).toBe(1);
  });

  test.each(endless)('when its caller does not want it any more: %s', async (script) => {
    const abort = new AbortController();
    const ended = failureOf(run(script, { signal: abort.signal }));
    await run('1', { signal: AbortSignal.abort() }).catch(() => {});
    setImmediate(() => abort.abort());
    expect(await ended).toMatchObject({ code: 'cancelled' });
  });
});

test('an answer that was cut short without being told to says so', async () => {
  const cut = { id: 'search-limit', message: expect.stringContaining('{ limit }') as string };
  expect(await run(`search('log', /line/)`)).toMatchObject({ value: { length: 100 }, warnings: [cut] });
  expect(await run(`search('log', /line/).length`)).toMatchObject({ value: 100, warnings: [cut] });
  for (const script of [
    `search('log', /line/, { limit: 5 })`,
    `search('log', /line/, { count: true })`,
    `search('log', /line 77 /)`,
    `const found = search('log', /line/); found.truncated ? 'more' : found`,
  ]) {
    expect(await run(script), script).toMatchObject({ warnings: [] });
  }
});

test('so does a query, which leaves rows out', async () => {
  const cut = { id: 'query-limit', message: expect.stringContaining('{ limit }') as string };
  const timeoutMs = 60_000; // The first query loads DuckDB.
  expect(await run(`query('from range(1001)').rows`, { timeoutMs })).toMatchObject({
    value: { length: 1000 },
    warnings: [cut],
  });
  for (const script of [
    `query('from range(1000)').rows.length`,
    `query('from range(1001)', {}, { limit: 5 }).rows.length`,
    `const answer = query('from range(1001)'); answer.truncated ? 'more' : answer.rows.length`,
  ]) {
    expect(await run(script, { timeoutMs }), script).toMatchObject({ warnings: [] });
  }
});

test('a pattern that goes back for ever is looked for all the same', async () => {
  expect((await run(`search('aaa', /(a+)+$/, { count: true })`)).value).toBe(0);
  expect((await run(`search('aaa', /(?:a|a)*?b$/, { count: true })`)).value).toBe(1);
});

const loops: [string, string, unknown][] = [
  ['counts', `let n = 0; for (const line of lines('log')) n++; n`, lineCount],
  ['is left', `let n = 0; for (const line of lines('log')) { if (line.includes(' 7 ')) break; n++; } n`, 7],
  ['goes on', `let n = 0; for (const line of lines('log')) { if (!line.includes(' 77 ')) continue; n++; } n`, 1],
  [
    'has a label',
    `let n = 0; all: for (const line of lines('log')) { for (const letter of line) { if (letter === '3') continue all; if (n > 9) break all; } n++; } n`,
    10,
  ],
  [
    'returns',
    `const first = (path) => { for (const line of lines(path)) if (line.endsWith('h')) return line; }; first('log')`,
    'line 0 of some length',
  ],
  [
    'nests',
    `let n = 0; for (const a of lines('aaa')) for (const b of lines('aaa')) for (const c of lines('log')) { n++; break; } n`,
    1,
  ],
  [
    'recurses',
    `const depth = (n) => { for (const line of lines('log')) { return n === 0 ? 1 : 1 + depth(n - 1); } }; depth(5)`,
    6,
  ],
  ['assigns', `let line; for (line of lines('aaa')) {} line.length`, 2001],
  ['is awaited', `let n = 0; for await (const line of lines('log')) n++; n`, lineCount],
  [
    'is awaited in a function',
    `const count = async (path) => { let n = 0; for (const line of await lines(path)) n++; return n; }; await count('log')`,
    lineCount,
  ],
  ['is spread', `[...lines('aaa')].length + Array.from(lines('aaa')).length`, 2],
  ['is kept', `const all = lines('log'); let n = 0; for (const line of all) { if (++n === 5) break; } n`, 5],
  [
    'is passed on',
    `const count = (each) => { let n = 0; for (const one of each) n++; return n; }; count(lines('log'))`,
    lineCount,
  ],
  ['ends with its value', `for (const line of lines('aaa')) line.length;`, 2001],
];

test.each(loops)('a loop over lines %s', async (_, script, wanted) => {
  expect((await run(script)).value).toEqual(wanted);
});

test.each([
  ['a variable', `const lines = read_file('aaa').split('\\n'); lines.map((line) => line.length)`, [2001, 0]],
  ['a parameter', `const count = (lines) => lines.length; count([1, 2])`, 2],
  [
    'a parameter beside the built-in',
    `const count = (lines) => lines.length; let n = 0; for (const line of lines('aaa')) n++; n + count([1, 2])`,
    3,
  ],
  ['a function', `function search(text) { return text.length; } search('abc')`, 3],
  ['a method', `'abc'.search(/c/) + ({ lines: 4 }).lines`, 6],
])('a name of a built-in is free for %s', async (_, script, wanted) => {
  expect((await run(script)).value).toEqual(wanted);
});

test.each([
  ['written in the call', `search('log', /line (?=7 )/).length`],
  ['in a variable', `const pattern = /^line 7 /; search('log', pattern).length`],
  ['that only V8 has, in a variable', `const pattern = /line (?=7 )/; search('log', pattern).length`],
  ['made of a text', `search('log', new RegExp('line ' + 7 + ' ')).length`],
  ['in an async function', `const find = async () => (await search('log', /line (?=7 )/)).length; await find()`],
])('a RegExp arrives that is %s', async (_, script) => {
  expect((await run(script)).value).toBe(1);
});

test('a list that is not all says so', async () => {
  const { value, bytesRead } = await run(
    `const found = search('log', 'line', { limit: 3 }); [found.length, found.truncated, found.skipped]`,
  );
  expect(value).toEqual([3, true, []]);
  expect(bytesRead).toBeGreaterThan(0);
});
