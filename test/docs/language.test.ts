import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import { notesOf } from '../../packages/sandbox-daemon/src/engine/quickjs/notes.ts';
import { failureOf } from '../client/support.ts';
import { inEngine, inJavaScript, sandbox, scope } from '../agent-tool/failures/support.ts';

const document = readFileSync(fileURLToPath(new URL('../../docs/language.md', import.meta.url)), 'utf8');

interface Block {
  /** `js`, and how it is marked: `here`, `fails`, `differs`, or nothing for what is the same in V8. */
  info: string;
  code: string;
  /** The value in a comment after the last statement. */
  value: unknown;
}

const blocks: Block[] = [...document.matchAll(/^```js ?(.*)\n([\s\S]*?)\n```$/gm)].map(([, info = '', code = '']) => {
  const value = /\/\/ → (.*)$/.exec(code)?.[1];
  return { info, code, value: value === undefined ? undefined : (JSON.parse(value) as unknown) };
});
const marked = (mark: string): Block[] => blocks.filter(({ info }) => info.split(' ')[0] === mark);
const titled = (each: Block[]): [string, Block][] => each.map((block) => [block.code, block]);

describe('docs/language.md', () => {
  test('has examples of every kind', () => {
    const kinds = ['', 'here', 'fails', 'differs'].map((mark) => marked(mark).length);
    expect(kinds.reduce((sum, count) => sum + count)).toBe(blocks.length);
    expect(Math.min(...kinds)).toBeGreaterThan(3);
  });

  it.each(titled(marked('')))('is the same in V8: %s', async (_, { code, value }) => {
    expect(value).toBeDefined();
    expect(await inEngine(code)).toEqual(value);
    expect(await inJavaScript(code)).toEqual(value);
  });

  it.each(titled(marked('here')))('works here: %s', async (_, { code, value }) => {
    expect(value).toBeDefined();
    expect((await sandbox.run({ script: code, scope })).value).toEqual(value);
  });

  it.each(titled(marked('fails')))('fails: %s', async (_, { code, info }) => {
    const error = await failureOf(sandbox.run({ script: code, scope }));
    expect(`fails ${error.code}`).toBe(info);
  });

  it.each(titled(marked('differs')))('differs from V8: %s', async (_, { code, value }) => {
    expect(await inEngine(code)).toEqual(value);
    expect(isDeepStrictEqual(JSON.parse(JSON.stringify(await inJavaScript(code))), value)).toBe(false);
  });

  // What fails is followed by what does the same.
  const pairs = blocks.flatMap((block, index) =>
    block.info.startsWith('fails') ? [[block.code, block, blocks[index + 1]]] : [],
  );
  it.each(pairs as [string, Block, Block][])('does the same in another way: %s', async (_, before, after) => {
    expect(after.info).toMatch(/^(?:here)?$/);
    // Marked where JavaScript has no value to compare: modules, timers.
    if (!before.code.includes('// In Node')) expect(await inJavaScript(before.code)).toEqual(after.value);
  });
});

describe('what leaves as something else', () => {
  const rows = [...document.matchAll(/^\| (.+?) +\| (.+?) +\| (?:`([\w-]+)`)? +\|$/gm)].map(
    ([, value, as, warning]) => [value, as, warning] as const,
  );
  const examples: Record<string, [script: string, value: unknown]> = {
    Date: ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    Map: ['new Map([["a", 1]])', [['a', 1]]],
    Set: ['new Set([1])', [1]],
    BigInt: ['2n', '2'],
    'regular expression': ['/a/g', '/a/g'],
    'typed array, `ArrayBuffer`': ['[new Uint8Array([1]), new Uint8Array([2]).buffer]', [[1], [2]]],
    Error: ['new TypeError("no")', { name: 'TypeError', message: 'no' }],
    'iterator, generator': ['[[1].values(), (function* () { yield 2; })()]', [[1], [2]]],
  };
  const exampleOf = (value = ''): [string, unknown] | undefined =>
    examples[value] ?? examples[value.replaceAll('`', '')];

  it.each(rows.filter(([value]) => exampleOf(value) !== undefined))('%s', async (value, _, warning) => {
    const [script, expected] = exampleOf(value) as [string, unknown];
    const result = await sandbox.run({ script, engine: 'quickjs' });
    expect(result.value).toEqual(expected);
    expect(result.warnings.map(({ id }) => id)).toEqual(warning === undefined ? [] : [warning]);
  });

  test('has a row for each', () => {
    const told = rows.flatMap(([, , warning]) => warning ?? []);
    expect(notesOf(told.map((id) => id.replace(/-as-json$/, ''))).map(({ id }) => id)).toEqual(told);
    expect(rows.filter(([value]) => exampleOf(value) !== undefined)).toHaveLength(Object.keys(examples).length);
  });

  it.each(['() => 1', 'Symbol("x")', 'const load = async () => 1;\n[load()]', 'const a = {};\na.a = a;\na'])(
    'but not %s',
    async (script) => {
      expect(await failureOf(sandbox.run({ script, engine: 'quickjs' }))).toMatchObject({ code: 'script_error' });
    },
  );
});

test.each(['Temporal', 'Atomics', 'require', 'setTimeout', 'fetch', 'process', 'Buffer'])(
  '%s is not there',
  async (name) => {
    expect(await inEngine(`typeof ${name}`)).toBe('undefined');
  },
);

test.each([
  ...['console', 'Intl', 'structuredClone', 'TextEncoder', 'TextDecoder', 'atob', 'btoa', 'URL', 'URLSearchParams'],
  ...['queueMicrotask', 'performance.now', 'Object.groupBy', 'Map.groupBy', 'Array.fromAsync', 'Promise.withResolvers'],
  ...['Promise.try', 'RegExp.escape', 'Uint8Array.fromBase64', 'Proxy', 'Iterator', 'WeakRef', 'Set.prototype.union'],
])('%s is there', async (name) => {
  expect(await inEngine(`typeof ${name}`)).toMatch(/^(?:function|object)$/);
});
