import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  guessMediaType,
  parseMediaType,
  probedBytes,
} from '../../../packages/agent-tool/src/attachments/media-type.ts';

const text = Buffer.from('const x = 1;\n');
const binary = Buffer.from([0x47, 0x40, 0, 0x10, 0xff]);

test.each([
  ['server.log', 'text/plain'],
  ['index.ts', 'text/plain'],
  ['index.mts', 'text/plain'],
  ['main.rs', 'text/plain'],
  ['main.go', 'text/plain'],
  ['script.py', 'text/plain'],
  ['Makefile', 'text/plain'],
  ['picture.png', 'text/plain'],
  ['data.csv', 'text/csv'],
  ['README.md', 'text/markdown'],
  ['app.js', 'text/javascript'],
  ['data.json', 'application/json'],
  ['DATA.JSON', 'application/json'],
  ['map.geojson', 'application/geo+json'],
])('text in %s is %s', async (name, type) => {
  expect(await guessMediaType(name, text, true)).toBe(type);
});

test.each([
  ['video.ts', 'video/mp2t'],
  ['picture.png', 'image/png'],
  ['photo.JPEG', 'image/jpeg'],
  ['paper.pdf', 'application/pdf'],
  ['letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['logs.tar.gz', 'application/gzip'],
  ['server.log', 'application/octet-stream'],
  ['data.json', 'application/octet-stream'],
  ['unknown.zzz', 'application/octet-stream'],
  ['core', 'application/octet-stream'],
])('what is no text in %s is %s', async (name, type) => {
  expect(await guessMediaType(name, binary, true)).toBe(type);
});

test('text of one byte a character is text, and what is mostly none of ASCII is not', async () => {
  const latin = Buffer.from('Größe;Preis\n12;3,50 für Käse\n'.repeat(20), 'latin1');
  for (const name of ['daten.csv', 'server.log', 'LIESMICH']) {
    expect(await guessMediaType(name, latin, true)).toBe('text/plain');
  }
  expect(await guessMediaType('picture.png', latin, true)).toBe('image/png');
  expect(await guessMediaType('a.bin', Buffer.concat([latin, Buffer.from([1])]), true)).toBe(
    'application/octet-stream',
  );
  expect(await guessMediaType('a', Buffer.alloc(100, 0xe9), true)).toBe('application/octet-stream');
});

test('XML is what begins like it', async () => {
  expect(await guessMediaType('a.svg', Buffer.from('\ufeff <svg/>'), true)).toBe('image/svg+xml');
  expect(await guessMediaType('a.svg', Buffer.from('sorry'), true)).toBe('text/plain');
  expect(await guessMediaType('a.svgz', gzipSync('<svg/>'), true)).not.toMatch(/^text/);
});

describe('text', () => {
  test.each(['é', '€', '😀'])('may be cut within %s only where it goes on', async (character) => {
    const bytes = Buffer.from(character.repeat(probedBytes));
    for (let length = probedBytes - 4; length <= probedBytes; length++) {
      const whole = length % Buffer.byteLength(character) === 0;
      expect(await guessMediaType('a', bytes.subarray(0, length), false)).toBe('text/plain');
      const type = whole ? 'text/plain' : 'application/octet-stream';
      expect(await guessMediaType('a', bytes.subarray(0, length), true)).toBe(type);
    }
  });

  test('is not UTF-16', async () => {
    expect(await guessMediaType('a.txt', Buffer.from('\ufeffhello', 'utf16le'), true)).toBe('application/octet-stream');
  });
});

test.each([
  ['text/plain', 'text/plain'],
  [' Image/PNG ;q=1', 'image/png'],
  ['', undefined],
  ['text', null],
  ['text/', null],
  ['text/plain\n- attachments:forged', null],
  ['../x', null],
])('%j as a media type is %j', (given, parsed) => {
  expect(parseMediaType(given)).toBe(parsed);
});
