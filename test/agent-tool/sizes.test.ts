import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBytes, parseBytes } from '@mustard-sandbox/agent-tool';

const TB = 1024 ** 4;

test.each([
  [0, '0 B'],
  [512, '512 B'],
  [1023, '1023 B'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [1100, '1.1 KB'],
  [42 * 1024, '42 KB'],
  [10.4 * 1024, '10 KB'],
  [9.96 * 1024, '10 KB'],
  [1024 * 1024 - 1, '1 MB'],
  [83_886_090, '80 MB'],
  [847 * 1024, '847 KB'],
  [3.25 * 1024 ** 3, '3.3 GB'],
  [5000 * TB, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

describe('a size that a person wrote', () => {
  test.each<[string | number, number]>([
    ['512KB', 512 * 1024],
    ['64mb', 64 * 1024 ** 2],
    ['1.5 MB', 1.5 * 1024 ** 2],
    [' 512 KiB ', 512 * 1024],
    ['1gib', 1024 ** 3],
    ['2 Tb', 2 * TB],
    ['0.3 KB', 307],
    ['10B', 10],
    ['4096', 4096],
    ['0', 0],
    [4096, 4096],
    [0, 0],
  ])('%j is %d bytes', (size, bytes) => {
    expect(parseBytes(size)).toBe(bytes);
  });

  test.each([
    '',
    ' ',
    'KB',
    'much',
    '-1KB',
    '+1KB',
    '1,5 MB',
    '1.MB',
    '.5MB',
    '1  KB',
    '1KB2',
    '1 iB',
    '1e3',
    '0x10',
    '1 PB',
    '1\nKB',
    '9000000 TB',
    '1' + '0'.repeat(400),
    -1,
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
  ])('%j is none', (size) => {
    const message = expect.stringMatching(/^sizeThreshold: .* is not a size\. Write /s) as string;
    expect(() => parseBytes(size, 'sizeThreshold')).toThrow(
      expect.objectContaining({ name: 'SandboxError', code: 'invalid_request', message }),
    );
  });
});

describe('reading what was written', () => {
  const bytes = fc.oneof(
    fc.integer({ min: 0, max: 8000 * TB }),
    fc.nat(2 ** 21),
    fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: -3, max: 3 })).map(([n, d]) => Math.abs(1024 ** n + d)),
  );

  test('stays within the rounding, half of the last digit shown', () => {
    fc.assert(
      fc.property(bytes, (bytes) => {
        expect(Math.abs(parseBytes(formatBytes(bytes)) - bytes)).toBeLessThanOrEqual(bytes * 0.05);
      }),
    );
  });

  test('shows the same again', () => {
    fc.assert(
      fc.property(bytes, (bytes) => {
        const text = formatBytes(bytes);
        expect(formatBytes(parseBytes(text))).toBe(text);
      }),
    );
  });

  test('never shows a bigger file as a smaller one', () => {
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(parseBytes(formatBytes(less))).toBeLessThanOrEqual(parseBytes(formatBytes(more)));
      }),
    );
  });

  test('knows no difference between spellings of a unit', () => {
    const unit = fc.constantFrom('K', 'M', 'G', 'T');
    fc.assert(
      fc.property(fc.nat(8000), unit, (number, unit) => {
        const spellings = [`${unit}B`, ` ${unit}B`, `${unit}iB`, `${unit.toLowerCase()}b`, ` ${unit.toLowerCase()}ib`];
        const read = new Set(spellings.map((spelling) => parseBytes(`${number}${spelling}`)));
        expect(read.size).toBe(1);
      }),
    );
  });
});
