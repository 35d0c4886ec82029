import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import { members } from '../../packages/agent-tool/src/failures/members.ts';
import { failureOf } from '../client/support.ts';
import { inEngine, inJavaScript, sandbox, scope } from '../agent-tool/failures/support.ts';

const document = readFileSync(fileURLToPath(new URL('../../docs/language.md', import.meta.url)), 'utf8');

interface Block {
  /** `js`, and how it is marked: `fails`, `differs`, `slow`, or nothing for what works. */
  info: string;
  code: string;
  /** The value in a comment after the last statement. */
  value: unknown;
}

const blocks: Block[] = [...document.matchAll(/^```js ?(.*)\n([\s\S]*?)\n```$/gm)].map(([, info = '', code = '']) => {
  const value = /\/\/ → (.*)$/.exec(code)?.[1];
  return { info, code, value: value === undefined ? undefined : (JSON.parse(value) as unknown) };
});
const works = blocks.filter(({ info }) => info === '');
const fails = blocks.filter(({ info }) => info.startsWith('fails'));
const titled = (each: Block[]): [string, Block][] => each.map((block) => [block.code, block]);

describe('docs/language.md', () => {
  test('has examples of every kind', () => {
    expect(blocks.length).toBe(
      works.length + fails.length + blocks.filter(({ info }) => /^(?:differs|slow)$/.test(info)).length,
    );
    expect(works.length).toBeGreaterThan(30);
    expect(fails.length).toBeGreaterThan(10);
  });

  it.each(titled(works))('works: %s', async (_, { code, value }) => {
    expect(value).toBeDefined();
    expect(await inEngine(code)).toEqual(value);
  });

  it.each(titled(fails))('fails: %s', async (_, { code, info }) => {
    const error = await failureOf(sandbox.run({ script: code, scope }));
    expect(`fails ${error.code}`).toBe(info);
  });

  it.each(titled(blocks.filter(({ info }) => info === 'differs')))(
    'differs from JavaScript: %s',
    async (_, { code, value }) => {
      expect(await inEngine(code)).toEqual(value);
      const other: unknown = await inJavaScript(code);
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(other)), value)).toBe(false);
    },
  );

  // What fails or is slow is followed by what does the same.
  const pairs = blocks.flatMap((block, index) =>
    /^(?:fails|slow)/.test(block.info) ? [[block.code, block, blocks[index + 1]]] : [],
  );
  it.each(pairs as [string, Block, Block][])('does the same in another way: %s', async (_, before, after) => {
    expect(after.info).toBe('');
    if (before.info === 'slow') expect(await inEngine(before.code)).toEqual(after.value);
    // Marked where JavaScript has no value to compare either: modules, the network, endless waiting.
    if (before.value === undefined && !before.code.includes('// In Node'))
      expect(await inJavaScript(before.code)).toEqual(after.value);
  });
});

/** How to call a method: its arguments, or a whole expression that starts with `=`. */
const calls: Record<string, { on: string; with: Record<string, string> }> = {
  'Array.prototype': {
    on: '[3, 1, 2]',
    with: {
      at: '-1',
      concat: '[4], 5',
      copyWithin: '0, 1',
      entries: '=[...[3, 1].entries()]',
      every: '(n) => n > 0',
      fill: '7, 1',
      filter: '(n) => n > 1',
      find: '(n) => n < 3',
      findIndex: '(n) => n < 3',
      findLast: '(n) => n < 3',
      findLastIndex: '(n) => n < 3',
      flat: '=[1, [2, [3]]].flat(Infinity)',
      flatMap: '(n) => [n, n]',
      forEach: '=(() => { let s = 0; [3, 1].forEach((n, i) => { s += n * i; }); return s; })()',
      includes: '2',
      indexOf: '2',
      join: '"-"',
      keys: '=[...[3, 1].keys()]',
      lastIndexOf: '2',
      map: '(n, i) => n * i',
      push: '9',
      reduce: '(a, b) => a + b, 10',
      reduceRight: '(a, b) => a - b',
      slice: '1',
      some: '(n) => n > 2',
      sort: '(a, b) => a - b',
      splice: '1, 1, 8',
      toSorted: '(a, b) => b - a',
      toSpliced: '0, 2',
      unshift: '9',
      values: '=[...[3, 1].values()]',
      with: '1, 9',
    },
  },
  'String.prototype': {
    on: '"abcabc"',
    with: {
      at: '-2',
      charAt: '1',
      charCodeAt: '1',
      codePointAt: '1',
      concat: '"x", 1',
      endsWith: '"bc"',
      includes: '"ca"',
      indexOf: '"c", 3',
      lastIndexOf: '"a"',
      localeCompare: '"abd"',
      match: '/b./g',
      matchAll: '=[..."a1b2".matchAll(/[a-z](\\d)/g)].map((m) => m[1])',
      normalize: '"NFC"',
      padEnd: '8, "-"',
      padStart: '8, "-"',
      repeat: '2',
      replace: '/b(c)/, "$1"',
      replaceAll: '"b", "-"',
      search: '/c/',
      slice: '1, -1',
      split: '"b"',
      startsWith: '"abc"',
      substr: '1, 2',
      substring: '4, 1',
      trim: '=" a ".trim()',
      trimEnd: '=" a ".trimEnd()',
      trimStart: '=" a ".trimStart()',
    },
  },
  'Object.prototype': { on: '({ a: 1 })', with: { hasOwnProperty: '"a"', propertyIsEnumerable: '"a"' } },
  'Map.prototype': {
    on: 'new Map([["a", 1]])',
    with: {
      delete: '"a"',
      entries: '=[...new Map([["a", 1]]).entries()]',
      forEach: '=(() => { let s = ""; new Map([["a", 1]]).forEach((v, k) => { s += k + v; }); return s; })()',
      get: '"a"',
      has: '"b"',
      keys: '=[...new Map([["a", 1]]).keys()]',
      set: '=[...new Map().set("b", 2)]',
      values: '=[...new Map([["a", 1]]).values()]',
    },
  },
  'Set.prototype': {
    on: 'new Set([1, 2])',
    with: {
      add: '=[...new Set([1]).add(2)]',
      delete: '1',
      entries: '=[...new Set([1]).entries()]',
      forEach: '=(() => { let s = 0; new Set([1, 2]).forEach((v) => { s += v; }); return s; })()',
      has: '3',
      keys: '=[...new Set([1]).keys()]',
      values: '=[...new Set([1]).values()]',
    },
  },
  'RegExp.prototype': { on: '/(b)c/g', with: { exec: '=[.../(b)c/.exec("abc")]', test: '"abc"' } },
  'Number.prototype': {
    on: '(1234.5)',
    with: { toExponential: '2', toFixed: '2', toPrecision: '3', toString: '16', toLocaleString: '"en-US"' },
  },
  'Promise.prototype': {
    on: 'Promise.resolve(1)',
    with: {
      catch: '=await Promise.reject(new Error("x")).catch((e) => e.message)',
      finally: '=await Promise.resolve(2).finally(() => 3)',
    },
  },
  'Date.prototype': {
    on: 'new Date("2026-04-20T12:34:56.789Z")',
    with: Object.fromEntries(
      [
        'Date',
        'FullYear',
        'Hours',
        'Milliseconds',
        'Minutes',
        'Month',
        'Seconds',
        'Time',
        'UTCDate',
        'UTCFullYear',
        'UTCHours',
        'UTCMilliseconds',
        'UTCMinutes',
        'UTCMonth',
        'UTCSeconds',
      ].map((part) => [`set${part}`, '5']),
    ),
  },
  Array: { on: 'Array', with: { from: '{ length: 2 }, (_, i) => i', isArray: '[]', of: '1, 2' } },
  Object: {
    on: 'Object',
    with: {
      create: '=Object.keys(Object.create(null))',
      defineProperty: '{}, "a", { value: 1, enumerable: true }',
      freeze: '{ a: 1 }',
      getOwnPropertyNames: '[1]',
      isFrozen: '1',
      preventExtensions: '{ a: 1 }',
      seal: '{ a: 1 }',
      assign: '{ a: 1 }, { b: 2 }',
      entries: '{ b: 1, a: 2 }',
      fromEntries: '[["a", 1]]',
      hasOwn: '{ a: 1 }, "a"',
      is: '0, -0',
      keys: '{ b: 1, a: 2 }',
      values: '{ b: 1, a: 2 }',
    },
  },
  String: {
    on: 'String',
    with: { raw: '{ raw: ["a", "b"] }, 1', fromCharCode: '97, 98', fromCodePoint: '128512' },
  },
  Number: {
    on: 'Number',
    with: {
      isFinite: '1',
      isInteger: '1.5',
      isNaN: 'NaN',
      isSafeInteger: '2 ** 53',
      parseFloat: '"1.5x"',
      parseInt: '"ff", 16',
    },
  },
  Math: {
    on: 'Math',
    with: {
      atan2: '1, 2',
      hypot: '3, 4',
      imul: '3, 4',
      max: '1, 5, 2',
      min: '1, 5, 2',
      pow: '2, 10',
      random: '=Math.random() < 1',
    },
  },
  JSON: { on: 'JSON', with: { parse: `'{"a":[1,null]}'`, stringify: '{ b: [1, undefined], a: "x" }, null, 2' } },
  Promise: {
    on: 'Promise',
    with: {
      all: '=await Promise.all([1, Promise.resolve(2)])',
      allSettled: '=(await Promise.allSettled([1])).map(({ status }) => status)',
      any: '=await Promise.any([Promise.resolve(3)])',
      race: '=await Promise.race([Promise.resolve(4)])',
      reject: '=await Promise.reject(new Error("x")).catch((e) => e.message)',
      resolve: '=await Promise.resolve(5)',
    },
  },
  Date: { on: 'Date', with: { UTC: '2026, 3, 20', now: '=Date.now() > 1.7e12', parse: '"2026-04-20T12:00:00+02:00"' } },
  Map: { on: 'Map', with: {} },
  console: { on: 'console', with: { error: '"x"', log: '"x"', warn: '"x"' } },
};

/** Newer than the oldest Node that the tests run on; with what they give. */
const newer: Record<string, [string, unknown]> = {
  // Not newer: an object with a key `then` would pass for a promise.
  'Promise.prototype.then': ['await Promise.resolve(2).then((n) => n + 1)', 3],
  'Object.groupBy': ['Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"))', { odd: [1, 3], even: [2] }],
  'Map.groupBy': [
    '[...Map.groupBy([1, 2], (n) => n)]',
    [
      [1, [1]],
      [2, [2]],
    ],
  ],
  'Array.fromAsync': ['await Array.fromAsync([Promise.resolve(1), 2])', [1, 2]],
  'Promise.withResolvers': ['const { promise, resolve } = Promise.withResolvers();\nresolve(3);\nawait promise', 3],
  'Set.prototype.union': ['[...new Set([1]).union(new Set([2]))]', [1, 2]],
  'Set.prototype.intersection': ['[...new Set([1, 2]).intersection(new Set([2]))]', [2]],
  'Set.prototype.difference': ['[...new Set([1, 2]).difference(new Set([2]))]', [1]],
  'Set.prototype.symmetricDifference': ['[...new Set([1, 2]).symmetricDifference(new Set([2, 3]))]', [1, 3]],
  'Set.prototype.isSubsetOf': ['new Set([1]).isSubsetOf(new Set([1, 2]))', true],
  'Set.prototype.isSupersetOf': ['new Set([1, 2]).isSupersetOf(new Set([1]))', true],
  'Set.prototype.isDisjointFrom': ['new Set([1]).isDisjointFrom(new Set([2]))', true],
};

/** There, and left out on purpose: deprecated, or the same for every object. */
const unlisted = new Set([
  ...['Date.prototype.getYear', 'Date.prototype.setYear', 'Date.prototype.toGMTString'],
  ...['String.prototype.trimLeft', 'String.prototype.trimRight'],
]);

function callOf(owner: string, name: string): string {
  const { on, with: args } = calls[owner] as (typeof calls)[string];
  const own = Object.hasOwn(args, name)
    ? (args[name] as string)
    : owner === 'Math'
      ? name === 'acosh'
        ? '2'
        : '0.5'
      : '';
  return own.startsWith('=') ? own.slice(1) : `${on}.${name}(${own})`;
}

const listed = Object.entries(members).flatMap(([owner, names]) =>
  names.split(' ').map((name) => [owner, name] as const),
);

describe('the methods that there are', () => {
  it.each(listed.map(([owner, name]) => [`${owner}.${name}`, owner, name] as const))(
    '%s',
    async (full, owner, name) => {
      const known = newer[full];
      if (known !== undefined) return expect(await inEngine(known[0])).toEqual(known[1]);
      const call = callOf(owner, name);
      const expected: unknown = await inJavaScript(call);
      const value = await inEngine(call);
      // The last digits of some functions are up to the platform.
      if (typeof expected === 'number') expect(value).toBeCloseTo(expected, 12);
      else expect(value).toEqual(expected);
    },
  );

  const others = Object.keys(members).flatMap((owner) => {
    const [type, prototype] = owner.split('.') as [string, string?];
    const object = (globalThis as unknown as Record<string, Record<string, object>>)[type] as Record<string, object>;
    const holder = prototype === undefined ? object : (object['prototype'] as Record<string, unknown>);
    const names = Object.getOwnPropertyNames(holder).filter((name) => {
      const descriptor = Object.getOwnPropertyDescriptor(holder, name);
      return typeof descriptor?.value === 'function' && name !== 'constructor' && !name.startsWith('_');
    });
    const there = new Set<string>((members as Record<string, string>)[owner]?.split(' '));
    return names
      .filter((name) => !there.has(name) && !unlisted.has(`${owner}.${name}`))
      .map((name) => [`${owner}.${name}`, owner, name] as const);
  });
  it.each(others)('without %s', async (full, owner, name) => {
    const { on } = calls[owner] as (typeof calls)[string];
    const error = await failureOf(inEngine(`${on}.${name}({})`));
    expect(error.details).toMatchObject({ construct: 'missing_member', subject: full });
  });

  test('stand in the table of docs/language.md', () => {
    const table = /^\| on [\s\S]*?\n\n/m.exec(document)?.[0];
    const rows = [...(table as string).matchAll(/^\| `([\w.]+)` +\| (.*?) +\|$/gm)].map(([, owner, names = '']) => [
      owner,
      names.replaceAll('`', '').split(' '),
    ]);
    expect(rows).toEqual(Object.entries(members).map(([owner, names]) => [owner, names.split(' ')]));
  });
});
