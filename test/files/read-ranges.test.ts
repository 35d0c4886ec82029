import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../full.ts';
import { accessTo, errorOf, makeFolder } from './support.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Bytes that are mostly UTF-8, whole and broken in every way there is. */
const nastyBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      fc.constantFrom(...[0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf].map((byte) => Uint8Array.of(byte))),
      fc.constantFrom(
        ...[0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff].map((b) => Uint8Array.of(b)),
      ),
      fc.constantFrom(
        [0xed, 0xa0, 0x80],
        [0xf0, 0x80, 0x80, 0xaf],
        [0xc0, 0xaf],
        [0xf4, 0x90, 0x80, 0x80],
        [0xef, 0xbb, 0xbf],
      ),
      fc.tuple(fc.constantFrom('é', '€', '😀', 'a'), fc.nat(3)).map(([text, cut]) => {
        const bytes = new TextEncoder().encode(text);
        return bytes.subarray(0, Math.max(1, bytes.length - cut));
      }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])))
  .filter((bytes) => !saysOtherwise(bytes));

/** Whether the bytes say that they are UTF-16, gzip or a program, which is refused: zeros, or the first two. */
function saysOtherwise([first, second, ...rest]: Uint8Array): boolean {
  const marks = ['255 254', '254 255', '31 139', '77 90'];
  return marks.includes(`${first} ${second}`) || [first, second, ...rest].includes(0);
}

/** All of a file in ranges of `step` bytes, each checked to be valid UTF-8 by itself. */
function readInRanges(files: ReturnType<typeof accessTo>, path: string, size: number, step: number): string {
  let text = '';
  for (let start = 0; start < size; start += step) {
    const part = files.readFile(path, { start, length: step });
    text += new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(part);
  }
  return text;
}

/** Where the decoder can be cut without a trace: within what it makes one code point of, a cut makes two. */
function nextBoundary(bytes: Uint8Array, position: number): number {
  const whole = decode(bytes);
  let cut = Math.min(position, bytes.length);
  while (decode(bytes.subarray(0, cut)) + decode(bytes.subarray(cut)) !== whole) cut++;
  return cut;
}

describe('utf8 ranges', () => {
  test('join to the text of the whole file, whatever its bytes and whatever their size', () => {
    const root = makeFolder();
    const files = accessTo(root);
    fc.assert(
      fc.property(nastyBytes, fc.integer({ min: 1, max: 9 }), (bytes, step) => {
        writeFileSync(join(root, 'f'), bytes);
        expect(readInRanges(files, 'f', bytes.length, step)).toBe(decode(bytes));
        expect(files.readFile('f', undefined).toString()).toBe(decode(bytes));
      }),
      runs(3000),
    );
  });

  test('hold exactly the characters whose first byte is in the range', () => {
    const root = makeFolder({ f: 'a😀é' }); // a: 0, 😀: 1 to 4, é: 5 to 6
    const files = accessTo(root);
    const read = (start: number, length: number): string => files.readFile('f', { start, length }).toString();
    expect([read(0, 1), read(0, 2), read(1, 1), read(2, 3), read(2, 4), read(6, 9), read(4, 0)]).toEqual([
      'a',
      'a😀',
      '😀',
      '',
      'é',
      '',
      '',
    ]);
  });

  test('hold what starts in them when the bytes are broken, too', () => {
    const root = makeFolder();
    const files = accessTo(root);
    fc.assert(
      fc.property(nastyBytes, fc.nat(30), fc.nat(12), (bytes, start, length) => {
        writeFileSync(join(root, 'f'), bytes);
        const [from, to] = [nextBoundary(bytes, start), nextBoundary(bytes, start + length)];
        expect(files.readFile('f', { start, length }).toString()).toBe(decode(bytes.subarray(from, to)));
      }),
      runs(3000),
    );
  });

  test('keep a byte order mark, so that what is read can be compared with the size', () => {
    const files = accessTo(makeFolder({ f: '\ufeffa' }));
    expect(files.readFile('f', {}).toString('hex')).toBe('efbbbf61');
  });

  test('span the chunks of a large read', () => {
    const bytes = Buffer.alloc(9_000_000, '€uro');
    const files = accessTo(makeFolder({ f: bytes }), { maxReadBytes: 20 * 2 ** 20 });
    expect(files.readFile('f', { start: 1 }).equals(bytes.subarray(3))).toBe(true);
  });
});

describe('base64 ranges', () => {
  test('are the exact bytes', () => {
    const root = makeFolder();
    const files = accessTo(root);
    fc.assert(
      fc.property(nastyBytes, fc.nat(40), fc.nat(40), (bytes, start, length) => {
        writeFileSync(join(root, 'f'), bytes);
        const text = files.readFile('f', { start, length, encoding: 'base64' }).toString('latin1');
        expect([...Buffer.from(text, 'base64')]).toEqual([...bytes.subarray(start, start + length)]);
      }),
      runs(300),
    );
  });
});

describe('options', () => {
  const files = (): ReturnType<typeof accessTo> => accessTo(makeFolder({ f: 'abcdef' }));

  test('leave the end of the file alone', () => {
    const access = files();
    expect(access.readFile('f', { start: 4, length: Number.MAX_SAFE_INTEGER }).toString()).toBe('ef');
    expect(access.readFile('f', { start: 6 }).toString()).toBe('');
    expect(access.readFile('f', { start: Number.MAX_SAFE_INTEGER, length: 5 }).toString()).toBe('');
    expect(access.readFile('f', { start: undefined, length: undefined, encoding: undefined }).toString()).toBe(
      'abcdef',
    );
    expect(access.bytesRead).toBe(8);
  });

  test.each<[unknown, RegExp]>([
    [{ offset: 1 }, /unknown option 'offset'/],
    [{ start: -1 }, /start/],
    [{ start: 1.5 }, /start/],
    [{ start: '1' }, /start/],
    [{ start: NaN }, /start/],
    [{ start: Infinity }, /start/],
    [{ start: 2 ** 53 }, /start/],
    [{ length: -1 }, /length/],
    [{ length: null }, /length/],
    [{ encoding: 'latin-1' }, /encoding/],
    ['utf8', /object/],
    [[], /object/],
    [null, /object/],
    [5, /object/],
  ])('%j are refused by name', (options, message) => {
    const error = errorOf(() => files().readFile('f', options));
    expect(error).toMatchObject({ code: 'invalid_request', details: { capability: 'read_file', path: 'f' } });
    expect(error.message).toMatch(message);
  });
});

describe('caps', () => {
  test('one read: says the size and how to go on, and counts nothing', () => {
    const files = accessTo(makeFolder({ f: 'a'.repeat(101) }), { maxReadBytes: 100 });
    for (const options of [undefined, { length: 101 }, { start: 0, length: 5000 }, { encoding: 'base64' }]) {
      const error = errorOf(() => files.readFile('f', options));
      expect(error).toMatchObject({
        code: 'limit_exceeded',
        details: { capability: 'read_file', limit: 'read_bytes', value: 100, unit: 'bytes', path: 'f' },
      });
      expect(error.message).toMatch(/101 bytes.*\{start, length: 100\}/);
    }
    expect(files.bytesRead).toBe(0);
    // Clipped to the file first, so these fit.
    expect(files.readFile('f', { start: 1 }).length).toBe(100);
    expect(files.readFile('f', { start: 2, length: 1e9, encoding: 'base64' }).length).toBe(132);
    expect(files.bytesRead).toBe(199);
  });

  test('all reads of a run', () => {
    const files = accessTo(makeFolder({ f: 'a'.repeat(60) }), { maxTotalReadBytes: 100 });
    files.readFile('f', undefined);
    expect(errorOf(() => files.readFile('f', { encoding: 'base64' }))).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'total_read_bytes', value: 100, unit: 'bytes', path: 'f' },
    });
    expect(files.readFile('f', { length: 40 }).length).toBe(40);
    expect(errorOf(() => files.readFile('f', { length: 1 }))).toMatchObject({ details: { limit: 'total_read_bytes' } });
    expect(files.readFile('f', { length: 0 }).length).toBe(0);
    expect(files.bytesRead).toBe(100);
  });
});

test('each read sees the file as it is now', () => {
  const root = makeFolder({ f: 'a' });
  const files = accessTo(root);
  expect(files.readFile('f', {}).toString()).toBe('a');
  appendFileSync(join(root, 'f'), 'b');
  expect(files.readFile('f', {}).toString()).toBe('ab');
});
