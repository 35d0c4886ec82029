import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../full.ts';
import type { FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import { readLines } from '../../packages/sandbox-daemon/src/files/read-lines.ts';
import { countNewlines } from '../../packages/sandbox-daemon/src/files/search/newlines.ts';
import { accessTo, errorOf, makeFolder } from './support.ts';

/** The lines of a text, each without its end. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function read(files: FileAccess, options?: object, path = 'a'): string[] {
  return linesOf(readLines(files, path, options).toString());
}

function loop(files: FileAccess, path = 'a', id = 1): string[] {
  const found: string[] = [];
  for (let bytes; (bytes = files.lineReaders.next(files, path, undefined, id)).length > 0;)
    found.push(...linesOf(bytes.toString()));
  return found;
}

const piece = fc.constantFrom('a', 'long line', '\n', '\n\n', 'é', '😀', '\r\n', 'x'.repeat(70_000));
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('lines by number and from the end are those of the text', () => {
  const root = makeFolder({ a: '' });
  const number = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(text, fc.array(fc.tuple(number, number)), number, (content, ranges, tail) => {
      writeFileSync(join(root, 'a'), content);
      writeFileSync(join(root, 'b'), gzipSync(content));
      const all = linesOf(content);
      const files = accessTo(root, { maxReadBytes: 20 * 2 ** 20 });
      for (const [start, count] of ranges) {
        expect(read(files, { start, count })).toEqual(all.slice(start - 1, start - 1 + count));
      }
      expect(read(files, { tail })).toEqual(all.slice(-tail));
      expect(read(files, { tail }, 'b')).toEqual(all.slice(-tail));
      expect(read(files, { start: tail }, 'b')).toEqual(all.slice(tail - 1));
      expect(loop(files)).toEqual(all);
      expect(loop(files, 'b', 2)).toEqual(all);
    }),
    runs(60),
  );
});

test('what was read of a file is not read again to find a line', () => {
  const content = Array.from({ length: 400_000 }, (_, index) => `line ${index + 1}`).join('\n');
  const files = accessTo(makeFolder({ a: content }));
  expect(read(files, { start: 390_000, count: 1 })).toEqual(['line 390000']);
  const once = files.bytesRead;
  expect(read(files, { start: 390_001, count: 2 })).toEqual(['line 390001', 'line 390002']);
  expect(read(files, { start: 5, count: 1 })).toEqual(['line 5']);
  expect(files.bytesRead - once).toBeLessThan(once / 1.5);
});

test('a file that changes meanwhile is looked through anew', () => {
  const root = makeFolder({ a: 'x\n'.repeat(1_000_000) });
  const files = accessTo(root);
  expect(read(files, { start: 900_000, count: 1 })).toEqual(['x']);
  writeFileSync(join(root, 'a'), 'one\ntwo\n');
  expect(read(files, { start: 2 })).toEqual(['two']);
});

describe('a loop over lines', () => {
  test('goes on in a file that grows, and ends in one that is cut', () => {
    const root = makeFolder({ a: 'x\n'.repeat(500_000) });
    const files = accessTo(root);
    const first = files.lineReaders.next(files, 'a', undefined, 1);
    appendFileSync(join(root, 'a'), 'end\n');
    let last = first;
    for (let bytes; (bytes = files.lineReaders.next(files, 'a', undefined, 1)).length > 0;) last = bytes;
    expect(last.toString().endsWith('x\nend\n')).toBe(true);
    files.lineReaders.next(files, 'a', undefined, 2);
    truncateSync(join(root, 'a'), 10);
    // What was read before may still come.
    let rest = 0;
    for (let bytes; (bytes = files.lineReaders.next(files, 'a', undefined, 2)).length > 0;) rest += bytes.length;
    expect(rest).toBeLessThan(500_000);
  });

  test('refuses a line that is longer than one call may read', () => {
    const root = makeFolder({ a: 'x' });
    truncateSync(join(root, 'a'), 2 ** 30);
    const files = accessTo(root, { maxTotalReadBytes: 2 ** 30 });
    expect(errorOf(() => loop(files))).toMatchObject({ code: 'limit_exceeded', details: { limit: 'read_bytes' } });
    expect(files.bytesRead).toBeLessThan(4 * 2 ** 20);
  });

  test('leaves no descriptor behind, however many are left', () => {
    const files = accessTo(makeFolder({ a: 'x\n'.repeat(600_000) }));
    for (let id = 1; id <= 100; id++) files.lineReaders.next(files, 'a', undefined, id);
    expect(errorOf(() => files.lineReaders.next(files, 'a', undefined, 1))).toMatchObject({ code: 'script_error' });
    files[Symbol.dispose]();
  });
});

test.each([
  [{ tail: 1, start: 1 }, 'invalid_request'],
  [{ start: 0 }, 'invalid_request'],
  [{ from: 1 }, 'invalid_request'],
  [{}, 'limit_exceeded'],
  [{ tail: 1_000_000 }, 'limit_exceeded'],
])('%j is refused for a large file', (options, code) => {
  const files = accessTo(makeFolder({ a: 'x\n'.repeat(1_000_000) }));
  expect(errorOf(() => read(files, options))).toMatchObject({ code });
});

test('the last 0 lines are none, also of a text whose last line has no end', () => {
  const bytes = { plain: Buffer.from('a'), utf16: Buffer.from('\ufeffa', 'utf16le'), gzip: gzipSync('a') };
  const files = accessTo(makeFolder(bytes));
  for (const path of Object.keys(bytes)) {
    expect(read(files, { tail: 0 }, path), path).toEqual([]);
    expect(read(files, { tail: 1 }, path), path).toEqual(['a']);
  }
});

test('a file of nothing but a byte order mark, and a line or two behind one, can be read', () => {
  for (const rest of ['', 'a', '\n', 'a\n', 'ab\n\n']) {
    const files = accessTo(makeFolder({ a: `\ufeff${rest}` }));
    expect(read(files, { start: 1, count: 9 })).toEqual(linesOf(rest));
    expect(read(files, { tail: 9 })).toEqual(linesOf(rest));
    expect(loop(files)).toEqual(linesOf(rest));
  }
});

test('line ends are counted in bytes of any length that begin anywhere', () => {
  const bytes = Buffer.from('\n\na\n\n\nbc\n\n\n\nd\n');
  for (let start = 0; start <= bytes.length; start++) {
    for (let end = start; end <= bytes.length; end++) {
      const part = bytes.subarray(start, end);
      expect(countNewlines(part), `${start} to ${end}`).toBe(part.toString().split('\n').length - 1);
    }
  }
});
