import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pictureIn } from '../../../../packages/desktop-agent/src/shared/picture.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)));
const be16 = (n: number): number[] => [n >> 8, n & 255];
const le16 = (n: number): number[] => [n & 255, n >> 8];
const be32 = (n: number): number[] => [...be16(n >>> 16), ...be16(n & 0xffff)];
const le24 = (n: number): number[] => [...le16(n & 0xffff), n >> 16];

const png = (width: number, height: number): Uint8Array =>
  bytes('\x89PNG\r\n\x1a\n', be32(13), 'IHDR', be32(width), be32(height), [8, 2, 0, 0, 0]);
/** With a picture of a camera in front, in which another size stands. */
const jpeg = (width: number, height: number): Uint8Array =>
  bytes(
    '\xff\xd8\xff\xe1',
    be16(12),
    '\xff\xc0',
    be16(8),
    [8],
    be16(1),
    be16(1),
    [0],
    '\xff\xff\xc2',
    be16(11),
    [8],
    [...be16(height), ...be16(width)],
  );
const gif = (screen: number, frame: number): Uint8Array =>
  bytes(
    'GIF89a',
    le16(screen),
    le16(screen),
    [0x80, 0, 0],
    [0, 0, 0, 255, 255, 255],
    [0x21, 0xf9, 4, 0, 0, 0, 0, 0],
    [0x2c, ...le16(0), ...le16(0), ...le16(frame), ...le16(frame)],
  );
const webp = (width: number, height: number): Uint8Array =>
  bytes('RIFF', be32(0), 'WEBPVP8X', be32(10), [0, 0, 0, 0], le24(width - 1), le24(height - 1));

test('the size stands where each format has it', () => {
  expect(pictureIn(png(3000, 2000))).toEqual({ mediaType: 'image/png', width: 3000, height: 2000 });
  expect(pictureIn(jpeg(3000, 2000))).toEqual({ mediaType: 'image/jpeg', width: 3000, height: 2000 });
  expect(pictureIn(gif(300, 200))).toEqual({ mediaType: 'image/gif', width: 300, height: 300 });
  expect(pictureIn(webp(3000, 2000))).toEqual({ mediaType: 'image/webp', width: 3000, height: 2000 });
  const picture = readFileSync(new URL('../../../../docs/images/agent-settings.png', import.meta.url));
  expect(pictureIn(picture)).toEqual({ mediaType: 'image/png', width: 960, height: 760 });
});

test.each([
  ['a PNG of 900 megapixels', png(30_000, 30_000)],
  ['a JPEG of 4,300 megapixels', jpeg(65_535, 65_535)],
  ['a GIF of one pixel whose frame has 4,300 megapixels', gif(1, 65_535)],
  ['a WebP of 260 megapixels', webp(16_384, 16_384)],
  ['a PNG without a pixel', png(0, 10)],
  ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
  ['a page', bytes('<!doctype html><script>alert(1)</script>')],
  ['a PDF', bytes('%PDF-1.7')],
  ['a bitmap', bytes('BM', be32(100))],
  ['nothing', bytes()],
])('%s is not drawn', (_, content) => expect(pictureIn(content)).toBeUndefined());

test('a file that is cut anywhere, or of any bytes, is no error, and none is too large', () => {
  const headers = fc.constantFrom(png(10, 10), jpeg(10, 10), gif(10, 10), webp(10, 10));
  const cut = fc.tuple(headers, fc.nat(40)).map(([file, length]) => file.slice(0, length));
  const noise = fc.tuple(headers, fc.nat(14), fc.uint8Array({ maxLength: 60 }));
  const broken = noise.map(([file, length, more]) => Uint8Array.from([...file.slice(0, length), ...more]));
  fc.assert(
    fc.property(fc.oneof(cut, broken, fc.uint8Array()), (content) => {
      const { width, height } = pictureIn(content) ?? { width: 1, height: 1 };
      expect(width * height).toBeLessThanOrEqual(50_000_000);
    }),
  );
});
