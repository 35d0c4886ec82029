import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue, type WireValue } from '@mustard-sandbox/daemon/protocol';
import { sandboxValue } from '../../fuzz/arbitraries.mjs';

const overTheWire = (value: unknown): unknown =>
  decodeValue(JSON.parse(JSON.stringify(encodeValue(value, 'value'))) as WireValue);

describe('a value', () => {
  it('arrives as it was sent', () => {
    fc.assert(
      fc.property(sandboxValue, (value) => {
        deepStrictEqual(overTheWire(value), value);
      }),
    );
  });

  it('travels as plain JSON when JSON can say it', () => {
    expect(encodeValue({ a: [1, 'x', null, true] }, 'value')).toEqual({ json: { a: [1, 'x', null, true] } });
  });

  it('may hold the same object twice', () => {
    const shared = { a: 1 };
    expect(overTheWire([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('keeps a key __proto__ an ordinary key', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}, "$": 1}') as object;
    const arrived = overTheWire(value) as object;
    expect(Object.keys(arrived)).toEqual(['__proto__', '$']);
    expect(Object.getPrototypeOf(arrived)).toBe(Object.prototype);
  });
});

describe('what cannot cross is refused with its path', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = { again: cyclic };
  let deep: unknown = 1;
  for (let level = 0; level < 200; level++) deep = [deep];
  const cases: [string, unknown, RegExp][] = [
    ['a function', { a: [() => 1] }, /^input\.a\[0\] is a function/],
    ['a bigint', { a: 1n }, /^input\.a is a bigint/],
    ['a symbol', Symbol('x'), /^input is a symbol/],
    ['a Date', { when: new Date(0) }, /^input\.when is a Date/],
    ['a Map', new Map(), /^input is a Map/],
    ['a class instance', new URL('file:///x'), /^input is a URL/],
    ['a cycle', cyclic, /^input\.self\.again is a reference to an object that contains it/],
    ['a deep nesting', deep, /nested deeper than 128 levels/],
  ];
  it.each(cases)('%s', (_, value, message) => {
    expect(() => encodeValue(value, 'input')).toThrow(message);
  });
});

it('a value on the wire that is malformed is a protocol error', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 5_000; level++) deep = [deep];
  for (const tagged of [
    { $: 'nonsense' },
    { $: 'object', entries: [['a']] },
    { $: 'object', entries: [[1, 2]] },
    deep,
  ]) {
    expect(() => decodeValue({ tagged })).toThrow(expect.objectContaining({ code: 'protocol_error' }) as Error);
  }
});
