import { describe, expect, it, test } from 'vitest';
import { inColumns, oneLine, printable, printableJson, quote, shorten } from '@mustard-sandbox/protocol';

const family = '👩‍👩‍👧';
const persian = 'می‌خواهم';

describe('printable', () => {
  it.each([
    ['a control character', 'a\x1b[2Kb', 'a\\u{1b}[2Kb'],
    ['a change of direction', 'a\u202eb', 'a\\u{202e}b'],
    ['a joiner that hides between letters', 'ad\u200dmin', 'ad\\u{200d}min'],
    ['a filler', 'x\u3164', 'x\\u{3164}'],
    ['a selector that is no part of an emoji', 'x\ufe0f\u26a0\ufe0f\ufe0f', 'x\\u{fe0f}\u26a0\ufe0f\\u{fe0f}'],
    ['tags that smuggle a text', '😀\u{e0101}\u{e0041}', '😀\\u{e0101}\\u{e0041}'],
    ['a braille cell without dots', '\u2800', '\\u{2800}'],
    ['a joiner at the start', '\u200dadmin', '\\u{200d}admin'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
    ['half a character', '\ud83d', '\\u{d83d}'],
    ['a line break of Windows', 'a\r\nb\rc', 'a\nb\\u{d}c'],
  ])('shows %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each([family, persian, 'क्‍ष', '🏳️‍🌈', '👩🏽‍🚀', 'a\tb\nc', 'naïve — “quoted”'])('leaves %j as it is', (text) => {
    expect(printable(text)).toBe(text);
  });
});

test('one line has no line breaks and is cut at a character', () => {
  expect(oneLine('a\nb\u2028c')).toBe('a\\u{a}b\\u{2028}c');
  expect(oneLine('😀😀😀', 2)).toBe('😀😀…');
  expect(quote('x'.repeat(201))).toBe(`"${'x'.repeat(200)}…"`);
  expect(shorten(`${'a'.repeat(9)}😀`, 10)).toBe(`${'a'.repeat(9)}😀`);
});

test('printable JSON is the same value', () => {
  const value = { a: 'x\u202ey\u{e0041}\x7f', b: [family] };
  const json = printableJson(JSON.stringify(value, undefined, 2));
  expect(json).not.toMatch(/[\u202e\x7f]/);
  expect(JSON.parse(json)).toEqual(value);
});

test('a line in columns keeps its length', () => {
  expect(inColumns('a\tb\x1b\u200dc')).toBe('a b  c');
});
