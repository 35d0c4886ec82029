import { builtinNames } from '@mustard-sandbox/client';
import { printable as textOfTheTool, printableCode } from '@mustard-sandbox/protocol/text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFull } from '../full.ts';
import { findAll } from '../../packages/cards/src/text/find.ts';
import { highlightLines } from '../../packages/cards/src/text/highlight.ts';
import { findHidden, oneLine, outputLine, pieces, printable } from '../../packages/cards/src/text/printable.ts';
import { rowsOf } from '../../packages/cards/src/text/rows.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('a', '\n', '\r', '😀', '\u202e'), maxLength: 3_000 }),
);

describe('rows', () => {
  test('hold every character of any text, in order, and none of them is long', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const rows = rowsOf(text);
        const pieces = Array.from({ length: rows.count }, (_, row) => text.slice(rows.start(row), rows.start(row + 1)));
        expect(pieces.join('')).toBe(text);
        expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1_003);
        expect(rows.lines).toBe(text.split('\n').length);
      }),
    );
  });

  test('never split a surrogate pair, and say which line they begin', () => {
    const rows = rowsOf(`${'x'.repeat(999)}😀${'y'.repeat(1_500)}\nlast`);
    const texts = Array.from({ length: rows.count }, (_, row) => rows.text(row));
    expect(texts.every((text) => !/\p{Cs}/u.test(text))).toBe(true);
    expect(Array.from({ length: rows.count }, (_, row) => rows.line(row))).toEqual([1, undefined, undefined, 2]);
  });

  test('are found by any place in them', () => {
    fc.assert(
      fc.property(anyText, fc.nat(3_000), (text, place) => {
        const rows = rowsOf(text);
        const row = rows.at(Math.min(place, text.length));
        expect(rows.start(row)).toBeLessThanOrEqual(Math.min(place, text.length));
        if (row + 1 < rows.count) expect(rows.start(row + 1)).toBeGreaterThan(Math.min(place, text.length));
      }),
    );
  });
});

describe('printable', () => {
  test('leaves nothing invisible in any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(findHidden(printable(text))).toBeUndefined();
        expect(
          pieces(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(printable(text));
        expect(pieces(text).filter(({ isHidden }) => isHidden)).toHaveLength(findHidden(text)?.count ?? 0);
        expect(oneLine(text)).not.toMatch(/[\n\r\t]/);
      }),
    );
  });

  test('escapes each character that the tool escapes, in code and in output', () => {
    const inOutput = (text: string): string =>
      pieces(text, true)
        .map((piece) => piece.text)
        .join('');
    const around = (code: number): string => {
      const character = String.fromCodePoint(code);
      return `a${character}b\té${character}\t\u26a0${character}\t1${character}\u20e3`;
    };
    const isOther = (text: string): boolean =>
      printable(text) !== printableCode(text) || inOutput(text) !== textOfTheTool(text);
    const differing: string[] = [];
    // Many at once, because each call costs more than a character.
    for (let first = 0; first <= 0x10ffff; first += 256) {
      // The other planes have a few kinds of characters, each in long runs.
      const isVaried = isFull || [0, 1, 14].includes(first >> 16);
      const codes = Array.from({ length: isVaried ? 256 : 2 }, (_, at) => first + at).filter((code) => code !== 0xd);
      if (!isOther(codes.map(around).join('\n'))) continue;
      for (const code of codes) if (isOther(around(code))) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });

  test('keeps emoji of several characters whole in output, and shows their joiners in names', () => {
    const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
    expect(outputLine(family)).toBe(family);
    expect(pieces(family, true)).toEqual([{ text: family, isHidden: false }]);
    expect(oneLine(family)).toBe('\u{1f468}\\u{200d}\u{1f469}\\u{200d}\u{1f467}');
  });

  test('leaves no two names that look the same', () => {
    for (const hidden of ['\u3164', '\ufeff', '\u200d', '\ufe0f', '\u2800', '\u00ad', '\u{e0100}']) {
      expect(oneLine(`x${hidden}`)).toBe(`x\\u{${hidden.codePointAt(0)?.toString(16)}}`);
    }
    expect(oneLine(' a \n\t b ')).toBe('a b');
    expect(oneLine('\u26a0\ufe0f 1\ufe0f\u20e3')).toBe('\u26a0\ufe0f 1\ufe0f\u20e3');
  });

  test('shows what turns the direction of writing, and the escapes of a terminal', () => {
    expect(printable('a\u202eb\u001b[31m')).toBe('a\\u{202e}b\\u{1b}[31m');
  });
});

describe('find', () => {
  test('finds what a plain search finds, whatever the query', () => {
    const query = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '(', '\\', '[', '$', '{', '-'), maxLength: 3 });
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'A', '.', '*', '(', '\\', '[', '$', '{', '-'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, query, (text, query) => {
        const expected: number[] = [];
        const [in_, what] = [text.toLowerCase(), query.toLowerCase()];
        if (what === '') return;
        for (let at = in_.indexOf(what); at !== -1; at = in_.indexOf(what, at + what.length)) {
          expected.push(at);
        }
        expect(findAll(text, query)).toEqual(expected);
      }),
    );
  });
});

describe('highlight', () => {
  const joined = (script: string): string =>
    highlightLines(script)
      .map((line) => line.map(({ text }) => text).join(''))
      .join('\n');

  test('keeps every character of any script', () => {
    const code = fc.string({
      unit: fc.constantFrom('`', '$', '{', '}', '/', '*', '"', "'", '\\', '[', 'a', '1', '\n', ' '),
      maxLength: 80,
    });
    fc.assert(
      fc.property(fc.oneof(code, anyText), (script) => {
        expect(joined(script)).toBe(script.replaceAll('\r\n', '\n'));
      }),
    );
  });

  test('knows every built-in', () => {
    expect(
      highlightLines(builtinNames.join(' '))
        .flat()
        .filter(({ kind }) => kind === 'builtin'),
    ).toEqual(builtinNames.map((text) => ({ kind: 'builtin', text })));
  });

  test('knows the parts of a script', () => {
    const kinds = highlightLines('const n = read_file("a").split(/[/"]/g).length / 2; // half\n`a${ {b: `c${1}`} }d`');
    expect(
      kinds.map((line) => line.filter(({ kind }) => kind !== 'plain').map(({ kind, text }) => `${kind} ${text}`)),
    ).toEqual([
      ['keyword const', 'builtin read_file', 'string "a"', 'string /[/"]/g', 'number 2', 'comment // half'],
      ['string `a${', 'string `c${', 'number 1', 'string }`', 'string }d`'],
    ]);
  });

  test.each(['`${', '/[', '/*', '"', '\\', '((', '<', '/(', 'a/'])(
    'gets to the end of the longest script that is only %s',
    (part) => {
      const script = part.repeat(32_768 / part.length);
      expect(joined(script)).toBe(script);
    },
  );
});
