import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accessTo, makeFolder } from './support.ts';

const probed = 8192;

test('size in bytes and the time of the last change', () => {
  const root = makeFolder({ f: 'é€' });
  utimesSync(join(root, 'f'), 0, new Date('2024-05-06T07:08:09.123Z'));
  const files = accessTo(root);
  expect(files.fileStats('f')).toEqual({ size: 5, isText: true, encoding: 'utf8', mtime: '2024-05-06T07:08:09.123Z' });
  expect(files.bytesRead).toBe(0);
});

test.each<[what: string, content: string | Uint8Array, isText: boolean]>([
  ['nothing', '', true],
  ['ASCII', 'abc', true],
  ['a byte order mark', '\ufeffabc', true],
  ['a character across the end of what is looked at', `${'a'.repeat(probed - 1)}€${'b'.repeat(9)}`, true],
  ['a character that ends the file', `${'a'.repeat(probed - 3)}€`, true],
  ['NUL past what is looked at', `${'a'.repeat(probed)}\0`, true],
  ['NUL', 'a\0b', false],
  ['NUL at the end of what is looked at', `${'a'.repeat(probed - 1)}\0`, false],
  ['Latin-1', Buffer.from('caf\xe9 au lait', 'latin1'), false],
  ['a file cut within a character', Buffer.from('a€').subarray(0, 3), false],
  ['a broken byte at the end of what is looked at', Buffer.from(`${'a'.repeat(probed - 1)}\xffbbbb`, 'latin1'), false],
  ['UTF-16 with a byte order mark', Buffer.from('\ufeffabc', 'utf16le'), false],
  ['UTF-16 without an ASCII character', Buffer.from('\ufeff漢字', 'utf16le'), false],
  ['PNG', Buffer.from('89504e470d0a1a0a', 'hex'), false],
])('text or not: %s', (_what, content, isText) => {
  // By content, not by name.
  const files = accessTo(makeFolder({ 'f.png': content, 'f.txt': content }));
  expect([files.fileStats('f.png').isText, files.fileStats('f.txt').isText]).toEqual([isText, isText]);
});
