import { deepStrictEqual } from 'node:assert';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeValue,
  encodeFitting,
  encodeValue,
  maxValueBytes,
  SandboxError,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { runs } from '../full.ts';
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

/** Nothing of the host's runs while its values are copied. */
function ran(): never {
  throw new Error('code of the host ran');
}

function accessor<T extends object>(object: T, key: PropertyKey): T {
  return Object.defineProperty(object, key, { get: ran, enumerable: true, configurable: true });
}

function hostile<T extends object>(target: T): T {
  const traps = Object.getOwnPropertyNames(Reflect).map((name) => [name, ran]);
  return new Proxy(target, Object.fromEntries(traps) as ProxyHandler<T>);
}

it('a getter that is not enumerable is left out, and not run', () => {
  const value = Object.defineProperty({ a: 1 }, 'b', { get: ran });
  expect(encodeValue(value, 'x')).toEqual({ json: { a: 1 } });
});

it('a hole is one, whatever the prototype of the array has there', () => {
  const value = Object.setPrototypeOf(new Array(1), accessor({}, 0)) as unknown;
  expect(encodeValue(value, 'x')).toEqual({ tagged: [{ $: 'hole' }] });
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
    ['a getter', { a: [accessor({}, 'secret')] }, /^input\.a\[0\]\.secret is a getter/],
    [
      'a setter alone',
      { a: Object.defineProperty({}, 'b', { set() {}, enumerable: true }) },
      /^input\.a\.b is a setter/,
    ],
    ['a getter in an array', [1, accessor([], 0)], /^input\[1\]\[0\] is a getter/],
    ['a getter called __proto__', accessor({}, '__proto__'), /is a getter/],
    ['a proxy', { a: hostile({}) }, /^input\.a is a Proxy/],
    ['a proxy of an array', hostile([]), /^input is a Proxy/],
    [
      'a class whose name is a getter',
      new (accessor(
        class {
          readonly x = 1;
        },
        'name',
      ))(),
      /an object with a prototype of its own/,
    ],
    ['a prototype that is a proxy', Object.create(hostile({})), /an object with a prototype of its own/],
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

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(encodeValue(value, 'value')));

describe('a value that must fit', () => {
  const tooLarge = (bytes: number): SandboxError => new SandboxError('limit_exceeded', `${bytes} bytes`);

  it('does up to the limit, and beyond it is refused with its size', () => {
    // Each stands in a list so often that the list is just within the limit.
    const bytesEach = (value: unknown): number => jsonBytes([value, value]) - jsonBytes([value]);
    const values = sandboxValue.filter((value) => bytesEach(value) >= 30);
    fc.assert(
      fc.property(values, (value) => {
        const each = bytesEach(value);
        const first = jsonBytes([value]);
        const most = Math.floor((maxValueBytes - first) / each) + 1;
        const fitting = new Array(most).fill(value);
        encodeFitting(fitting, 'value', tooLarge);
        // By counting: to write 10 MB of JSON takes a second.
        expect(() => encodeFitting([...fitting, value], 'value', tooLarge)).toThrow(`${first + most * each} bytes`);
      }),
      runs(4),
    );
  });

  it.each([
    ['a control character, which JSON writes in six', '\u0001', 6],
    ['a lone surrogate, likewise', '\ud800', 6],
    ['a character of three bytes', '\u20ac', 3],
    ['a quote', '"', 2],
  ])('is measured right for %s', (_, character, bytes) => {
    const length = Math.floor((maxValueBytes - jsonBytes('')) / bytes);
    encodeFitting(character.repeat(length), 'value', tooLarge);
    expect(() => encodeFitting(character.repeat(length + 1), 'value', tooLarge)).toThrow(/bytes/);
  });
});

it('a host may have frozen what every object inherits', async () => {
  const program = `
    Object.freeze(Object.prototype);
    const { encodeValue } = await import('@mustard-sandbox/protocol');
    const value = JSON.parse('{"constructor": 1, "__proto__": {"toString": 2}}');
    console.log(JSON.stringify(encodeValue(value, 'value').json));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('{"constructor":1,"__proto__":{"toString":2}}');
});

it('an encoded value is a copy, which later changes do not reach', () => {
  fc.assert(
    fc.property(sandboxValue, (value) => {
      const before = structuredClone(value);
      const encoded = encodeValue({ value }, 'value');
      const change = (item: unknown): void => {
        if (typeof item !== 'object' || item === null) return;
        Object.values(item).forEach(change);
        (item as Record<string, unknown>)['changed'] = true;
      };
      change(value);
      deepStrictEqual(decodeValue(JSON.parse(JSON.stringify(encoded)) as WireValue), { value: before });
    }),
  );
});
