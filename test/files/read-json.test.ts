import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../full.ts';
import { readJson } from '../../packages/sandbox-daemon/src/files/json/read-json.ts';
import { JsonScanner } from '../../packages/sandbox-daemon/src/files/json/scanner.ts';
import type { ScopeOptions } from '@mustard-sandbox/protocol';
import { accessTo, errorOf, makeFolder } from './support.ts';

const ask = (text: string | Uint8Array, options?: object, scope: ScopeOptions = {}): unknown =>
  readJson(accessTo(makeFolder({ a: text }), scope), ['a', options]);

/** Every value in a value, with its JSON Pointer. */
function placesIn(value: unknown, pointer = ''): [string, unknown][] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) =>
          placesIn(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
        )
      : [];
  return [[pointer, value], ...below];
}

test('every place in a value is found by its pointer, as JSON.parse has it, in pieces of any size', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const plain = JSON.parse(text) as unknown;
      for (const [pointer, expected] of placesIn(plain).slice(0, 20)) {
        expect(ask(text, { pointer }), pointer).toEqual(expected);
      }
    }),
    runs(40),
  );
});

describe('a value without an end', () => {
  const mebibytes = 24;
  const scope = { maxTotalReadBytes: 2 ** 30 };

  test.each([
    ['one string', '"', { pointer: '' }, /more than 10485760 bytes of JSON/],
    ['one key, by its pointer', '{"', { pointer: '/a' }, /has a key of more than 10485760 bytes/],
    ['one key, by the shape', '{"', undefined, /has a key of more than 10485760 bytes/],
    ['one list', '[[', { pointer: '/0' }, /more than 10485760 bytes of JSON/],
  ])('as %s is refused once it is too long, and not held whole', (_, start, options, says) => {
    const files = accessTo(makeFolder({ a: start + 'x'.repeat(mebibytes * 2 ** 20) }), scope);
    const error = errorOf(() => readJson(files, ['a', options]));
    expect(error).toMatchObject({ code: 'limit_exceeded', message: expect.stringMatching(says) as string });
    expect(files.bytesRead).toBeLessThan(12 * 2 ** 20);
  });
});

describe('a scan byte by byte', () => {
  const visits = (text: string, bytes: number): unknown[] => {
    const seen: unknown[] = [];
    const scanner = new JsonScanner({
      enter: (step, kind) => (seen.push([step, kind]), kind === 'string' ? 'capture' : 'descend'),
      leave: (length) => seen.push(length),
      captured: (captured) => seen.push(JSON.parse(captured)),
      holding: () => {},
    });
    const all = Buffer.from(text);
    for (let at = 0; at < all.length; at += bytes) scanner.push(all.subarray(at, at + bytes));
    scanner.end();
    return seen;
  };
  const expectSame = (value: unknown, bytes: number): void => {
    const text = JSON.stringify(value);
    expect(visits(text, bytes)).toEqual(visits(text, text.length * 4));
  };

  test('comes to the same values as a scan at once', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 5 }), expectSame), runs(100));
  });

  test('takes no escape at the border of two pieces into the next key', () => {
    for (const bytes of [1, 2, 3, 4, 5])
      for (const pad of ['', ' ', '  ']) expectSame({ a: `${pad}\\`, '': pad }, bytes);
  });
});

test('a JSONPath with * gives a list, offset and limit choose from it', () => {
  const text = JSON.stringify({
    items: [{ p: 1 }, { q: 9 }, { p: 3 }, { p: 4 }],
    by: { a: { p: 5 }, b: { p: 6 } },
    empty: [],
  });
  expect(ask(text, { pointer: '$.items[*].p' })).toEqual([1, 3, 4]);
  expect(ask(text, { pointer: "$['by'].*.p" })).toEqual([5, 6]);
  expect(ask(text, { pointer: '$.items[*].p', offset: 1, limit: 1 })).toEqual([3]);
  expect(ask(text, { pointer: '/items', offset: 1, limit: 2 })).toEqual([{ q: 9 }, { p: 3 }]);
  expect(ask(text, { pointer: '$.items', limit: 0 })).toEqual([]);
  expect(ask(text, { pointer: '$.empty[*].p' })).toEqual([]);
  expect(ask('[1,2,3]', { limit: 2 })).toEqual([1, 2]);
});

test('of a key that is there twice the last counts, as in JSON.parse', () => {
  expect(ask('{"a":{"b":1},"a":{"b":2}}', { pointer: '/a/b' })).toBe(2);
  expect(ask('[{"a":1,"a":2},{"a":3}]', { pointer: '$[*].a' })).toEqual([2, 3]);
});

test('the shape of a file: types, lengths, keys', () => {
  const text = JSON.stringify({
    v: 1,
    meta: { ok: true, none: null },
    items: [{ id: 1, tags: ['x'] }, { id: 2 }],
    empty: [],
  });
  expect(ask(text)).toEqual({
    type: 'object',
    length: 4,
    keys: {
      v: 'number',
      meta: { type: 'object', length: 2, keys: { ok: 'boolean', none: 'null' } },
      items: {
        type: 'array',
        length: 2,
        first: {
          type: 'object',
          length: 2,
          keys: { id: 'number', tags: { type: 'array', length: 1, first: 'string' } },
        },
      },
      empty: { type: 'array', length: 0 },
    },
  });
  expect(ask('"text"')).toBe('string');
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, at])));
  const shape = ask(wide) as { length: number; keys: object };
  expect([shape.length, Object.keys(shape.keys).length]).toEqual([1000, 40]);
});

test('compressed and UTF-16 files are read as what they hold', () => {
  const text = '{"ä":[1,2]}';
  expect(ask(gzipSync(text), { pointer: '/ä/1' })).toBe(2);
  expect(ask(Buffer.from(`\ufeff${text}`, 'utf16le'), { pointer: '/ä' })).toEqual([1, 2]);
  expect(ask(`\ufeff${text}`, { pointer: '/ä' })).toEqual([1, 2]);
});

test.each([
  ['{"a":1', /cut off/],
  ['{"a":1}\n{"a":2}\n', /NDJSON, one value a line: query/],
  ['[1,]', /unexpected "\]" at byte 3/],
  ['{"a" 1}', /unexpected "1"/],
  ['{a:1}', /unexpected "a" at byte 1/],
  ['', /cut off at byte 0/],
  ['<html>', /unexpected "<"/],
])('%j is told as what it is', (text, why) => {
  expect(errorOf(() => ask(text))).toMatchObject({
    details: { name: 'NotJsonError' },
    message: expect.stringMatching(why) as string,
  });
});

test('what is not there is told with what is', () => {
  const text = JSON.stringify({ items: [{ price: 1, name: 'x' }] });
  expect(errorOf(() => ask(text, { pointer: '/item' })).message).toMatch(
    /nothing is at \$\["item"\].* there is: "items"/,
  );
  expect(errorOf(() => ask(text, { pointer: '$.items[*].prise' })).message).toMatch(/there is: "price", "name"/);
  expect(errorOf(() => ask(text, { pointer: '/items/7' })).message).toMatch(/there is: "0"/);
  expect(errorOf(() => ask(text, { pointer: 'items' }))).toMatchObject({ code: 'invalid_request' });
  expect(errorOf(() => ask(text, { ponter: '/items' }))).toMatchObject({ code: 'invalid_request' });
});

test('what is too large to cross is refused with what to ask for instead', () => {
  const text = JSON.stringify({ all: 'x'.repeat(11 * 2 ** 20), few: [1] });
  const scope = { maxTotalReadBytes: 2 ** 25 };
  expect(errorOf(() => ask(text, { pointer: '/all' }, scope))).toMatchObject({ code: 'limit_exceeded' });
  expect(ask(text, { pointer: '/few/0' }, scope)).toBe(1);
  expect(errorOf(() => ask(text, { pointer: '/few' }, { maxTotalReadBytes: 2 ** 20 }))).toMatchObject({
    code: 'limit_exceeded',
  });
});

test('nothing outside the scope is read', () => {
  const files = accessTo(makeFolder({ '.env': '{}' }));
  for (const path of ['/etc/passwd', '../a', '.env', 7]) {
    expect(errorOf(() => readJson(files, [path]))).toMatchObject({ code: 'capability_denied' });
  }
});
