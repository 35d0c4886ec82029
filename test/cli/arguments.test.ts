import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration, parseInputs, parseSize } from '../../packages/cli/src/arguments.ts';
import { failureOf } from '../../packages/cli/src/failure.ts';
import { printable, printableJson } from '@mustard-sandbox/protocol';
import { formatCount, formatMs } from '../../packages/cli/src/statistics.ts';

const range = { min: 1, max: 2 ** 40 };

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['2s', 2000],
    ['1.5s', 1500],
    ['1m', 60_000],
    ['0.5M', 30_000],
    [' 7S ', 7000],
  ])('%j is %d ms', (text, ms) => {
    expect(parseDuration('--timeout', text, range)).toBe(ms);
  });
});

describe('parseSize', () => {
  it.each([
    ['1', 1],
    ['64mb', 64 * 1024 ** 2],
    ['1gb', 1024 ** 3],
    ['512 KiB', 512 * 1024],
    ['0.5kb', 512],
    ['10B', 10],
  ])('%j is %d bytes', (text, bytes) => {
    expect(parseSize('--heap', text, range)).toBe(bytes);
  });
});

it('any text is a number in range or a usage error', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[\d.]{0,4} ?[kmgibs]{0,3}$/));
  fc.assert(
    fc.property(text, fc.constantFrom(parseDuration, parseSize), (text, parse) => {
      try {
        const value = parse('--option', text, { min: 10, max: 1000 });
        expect(Number.isInteger(value) && value >= 10 && value <= 1000).toBe(true);
      } catch (error) {
        expect(failureOf(error, undefined).code).toBe('invalid_request');
      }
    }),
  );
});

it('inputs are what JSON says, whatever the names', () => {
  const name = fc.oneof(fc.stringMatching(/^[A-Za-z_$][\w$]{0,20}$/), fc.constant('__proto__'));
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, fc.json()), { selector: ([name]) => name }), (pairs) => {
      const inputs = parseInputs(pairs.map(([name, json]) => `${name}=${json}`));
      expect(Object.entries(inputs)).toEqual(
        Object.entries(Object.fromEntries(pairs.map(([name, json]) => [name, JSON.parse(json) as unknown]))),
      );
    }),
  );
});

describe('what a terminal gets', () => {
  const text = fc.string({ unit: 'binary' });

  it('has no control characters but newlines and tabs', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(printable(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(printable(text)).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  it('is ordinary text as it is', () => {
    const ordinary = 'naïve 日本語 👩‍👩‍👧 العربية\n\ttab';
    expect(printable(ordinary)).toBe(ordinary);
  });

  it('is the same value when it is JSON', () => {
    fc.assert(
      fc.property(text, (text) => {
        const json = printableJson(JSON.stringify(text));
        expect(JSON.parse(json)).toBe(text);
        expect(json).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe('statistics', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1 k'],
    [1234, '1.2 k'],
    [999_499, '999 k'],
    [999_500, '1 M'],
    [1_234_567, '1.2 M'],
    [2e9, '2 G'],
  ])('%d things are %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it.each([
    [0.2123, '0.21 ms'],
    [1.25, '1.3 ms'],
    [42.4, '42 ms'],
    [999.4, '999 ms'],
    [999.5, '1 s'],
    [2449, '2.4 s'],
  ])('%d ms are %s', (ms, text) => {
    expect(formatMs(ms)).toBe(text);
  });
});
