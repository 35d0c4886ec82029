import { randomBytes } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BuiltinCall } from '../../packages/sandbox-daemon/src/files/call.ts';
import { openSource, type Format } from '../../packages/sandbox-daemon/src/files/source/source.ts';
import type { ScopeOptions } from '@mustard-sandbox/protocol';
import { accessTo, errorOf, makeFolder } from './support.ts';

/** `zstd -19` of 'hello zstd\n' 1,000 times, because Node before 22.15 cannot make one. */
const zstd = Buffer.from('KLUv/QRonQAAWGhlbGxvIHpzdGQKAQDqynzxApbw0QY=', 'base64');

function read(root: string, options: ScopeOptions = {}, path = 'a'): { text: string; bytesRead: number } & Format {
  const files = accessTo(root, options);
  const call = new BuiltinCall('read_file', path);
  return call.run(() => {
    using source = openSource(files, path, call);
    const pieces: Buffer[] = [];
    for (let piece; (piece = source.next()) !== undefined;) pieces.push(Buffer.from(piece));
    return { text: Buffer.concat(pieces).toString('utf8'), bytesRead: files.bytesRead, ...source.format() };
  });
}

const text = 'Grüße, 😀\n'.repeat(100_000);

test.each<[string, Uint8Array, Partial<Format>]>([
  ['UTF-8', Buffer.from(text), { encoding: 'utf8' }],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), { encoding: 'utf8' }],
  ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), { encoding: 'utf16le' }],
  ['UTF-16, the other way round', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), { encoding: 'utf16be' }],
  ['gzip', gzipSync(text), { encoding: 'utf8', compression: 'gzip' }],
  [
    'gzip in two parts',
    Buffer.concat([gzipSync(text.slice(0, 7777)), gzipSync(text.slice(7777))]),
    { compression: 'gzip' },
  ],
  ['gzip of UTF-16', gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le')), { encoding: 'utf16le', compression: 'gzip' }],
])('%s is read as its text', (_name, bytes, format) => {
  const given = read(makeFolder({ a: bytes }), { maxTotalReadBytes: 2 ** 25 });
  expect(given).toMatchObject(format);
  expect(given.text === text).toBe(true);
});

test('UTF-16 without a mark, Latin-1 and what is no text are told apart', () => {
  const root = makeFolder({
    'plain.txt': Buffer.from('plain words\n'.repeat(10), 'utf16le'),
    'latin.txt': Buffer.from('Grüße aus Köln\n', 'latin1'),
    'windows.txt': Buffer.from('Köln \x96 \x845 \x80\x93\n', 'latin1'),
    'broken.txt': Buffer.concat([Buffer.from('Grüße, Köln, Zürich '), Buffer.from([0xff]), Buffer.from('\n')]),
    'numbers.bin': Buffer.from(new Uint32Array([1, 2, 3, 400, 70_000]).buffer),
    'empty.txt': '',
  });
  expect(read(root, {}, 'plain.txt')).toMatchObject({ encoding: 'utf16le', text: 'plain words\n'.repeat(10) });
  expect(read(root, {}, 'latin.txt')).toMatchObject({ encoding: 'latin1', text: 'Grüße aus Köln\n' });
  expect(read(root, {}, 'windows.txt')).toMatchObject({ encoding: 'latin1', text: 'Köln – „5 €“\n' });
  // Who names the encoding gets the bytes.
  const named = accessTo(root).readFile('windows.txt', { encoding: 'latin1' });
  expect(named.toString()).toBe('Köln \x96 \x845 \x80\x93\n');
  expect(read(root, {}, 'broken.txt')).toMatchObject({ encoding: 'utf8' });
  expect(read(root, {}, 'numbers.bin')).toMatchObject({ encoding: undefined });
  expect(read(root, {}, 'empty.txt')).toMatchObject({ encoding: 'utf8', text: '' });
});

test('the bytes that a compressed file holds count, and a bomb ends at the limit', () => {
  const root = makeFolder({ a: gzipSync(Buffer.alloc(50_000_000)) });
  expect(errorOf(() => read(root, { maxTotalReadBytes: 10_000_000 }))).toMatchObject({
    code: 'limit_exceeded',
    details: { limit: 'total_read_bytes', path: 'a' },
  });
  expect(read(root, { maxTotalReadBytes: 50_000_000 })).toMatchObject({ bytesRead: 50_000_000 });
});

test('a bomb of zstd ends at the limit too', () => {
  // Blocks of 128 KB that are one byte, repeated: 131 KB hold 4 GB.
  const block = Buffer.alloc(4, 0x61);
  block.writeUIntLE((131_072 << 3) | (1 << 1), 0, 3);
  const frame = Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), ...Array<Buffer>(32_768).fill(block)]);
  expect(errorOf(() => read(makeFolder({ a: frame }), { maxTotalReadBytes: 10_000_000 }))).toMatchObject({
    code: 'limit_exceeded',
    details: { limit: 'total_read_bytes', path: 'a' },
  });
});

test('broken and cut gzip is said, and no position in it', () => {
  const whole = gzipSync(Buffer.from(text));
  const root = makeFolder({ a: whole, b: Buffer.concat([whole.subarray(0, 20), Buffer.alloc(5000, 0xff)]) });
  truncateSync(join(root, 'a'), whole.length - 40);
  for (const path of ['a', 'b']) {
    expect(errorOf(() => read(root, {}, path))).toMatchObject({
      code: 'script_error',
      message: `read_file: "${path}" cannot be read: its gzip data is broken or cut off.`,
    });
  }
});

test('zstd is read in this version of Node', () => {
  const given = read(makeFolder({ a: zstd }));
  expect(given).toMatchObject({ compression: 'zstd', encoding: 'utf8' });
  expect(given.text === 'hello zstd\n'.repeat(1000)).toBe(true);
});

test('zstd in two frames is read to the end of the second', () => {
  const given = read(makeFolder({ a: Buffer.concat([zstd, zstd]) }));
  expect(given.text === 'hello zstd\n'.repeat(2000)).toBe(true);
  for (const rest of ['no frame', '\0\0\0\0', zstd.subarray(0, -4)]) {
    const root = makeFolder({ a: Buffer.concat([zstd, Buffer.from(rest)]) });
    expect(errorOf(() => read(root)).message).toMatch(/its zstd data is broken or cut off/);
  }
});

test.each([1, 2, 3])('gzip in two parts is read whole, wherever a chunk of the file ends: %i', (kibibytes) => {
  // What is read first ends within the first part, at its border, or behind it.
  const first = gzipSync(randomBytes(kibibytes * 4096 - 23), { level: 0 });
  const root = makeFolder({ a: Buffer.concat([first, gzipSync(text), Buffer.alloc(100)]) });
  expect(read(root, {}, 'a').bytesRead).toBe(kibibytes * 4096 - 23 + Buffer.byteLength(text));
});

test('read_file says what a file is that it cannot read, and decodes what it is asked to', () => {
  const text = 'Grüße, 😀\n'.repeat(10);
  const root = makeFolder({
    gz: gzipSync(text),
    little: Buffer.from(`\ufeff${text}`, 'utf16le'),
    big: Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    latin: Buffer.from('Köln\n', 'latin1'),
  });
  const files = accessTo(root);
  const read = (path: string, options?: object): string => files.readFile(path, options).toString();
  expect(() => read('gz')).toThrow('read_file: "gz" is gzip: search, lines and read_lines read what it holds');
  expect(() => read('little')).toThrow("pass { encoding: 'utf16le' }");
  expect(read('little', { encoding: 'utf16le' })).toBe(text);
  expect(read('big', { encoding: 'utf16be' })).toBe(text);
  expect(read('latin', { encoding: 'latin1' })).toBe('Köln\n');
  expect(files.fileStats('big')).toMatchObject({ encoding: 'utf16be', isText: false });
  expect(files.fileStats('gz')).toMatchObject({ compression: 'gzip', isText: false });
  // Ranges join, wherever they are cut.
  const { size } = files.fileStats('little');
  for (const step of [3, 5, 7]) {
    let joined = '';
    for (let start = 0; start < size; start += step)
      joined += read('little', { start, length: step, encoding: 'utf16le' });
    expect(joined).toBe(text);
  }
});

test.each<[string, Buffer]>([
  ['UTF-8', Buffer.from('\ufeff\ufeffa\n')],
  ['UTF-16', Buffer.from('\ufeff\ufeffa\n', 'utf16le')],
  ['UTF-16, the other way round', Buffer.from('\ufeff\ufeffa\n', 'utf16le').swap16()],
])('of two marks of %s the second is text', (_, bytes) => {
  expect(read(makeFolder({ a: bytes })).text).toBe('\ufeffa\n');
  expect(read(makeFolder({ a: gzipSync(bytes) })).text).toBe('\ufeffa\n');
});
