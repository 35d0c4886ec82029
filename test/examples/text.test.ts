import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../full.ts';
import { failureOf } from '../client/support.ts';
import { attach, runExample, seeded } from './support.ts';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

describe('kwic.js', () => {
  /** With letters of any language, where the script looks at what stands beside a place. */
  const placesOf = (text: string, word: string, flags: string): RegExpExecArray[] => [
    ...text.matchAll(new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_])${word}(?![\\p{L}\\p{M}\\p{N}_])`, `${flags}u`)),
  ];

  test.each([
    ['script', true],
    ['Node', false],
    ['THE', true],
    ['80 MB', true],
  ])('finds %s in a real text', async (word, ignoreCase) => {
    const inputs = { word, ignoreCase, limit: 1000, width: 30 };
    const { value } = await runExample('kwic.js', { scope: attach('a.md', readme), inputs });
    const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
    const expected = placesOf(readme, word, ignoreCase ? 'gi' : 'g').map(({ index, 0: found }) => ({
      line: readme.slice(0, index).split('\n').length,
      before: oneLine(readme.slice(Math.max(0, index - 30), index)),
      word: found,
      after: oneLine(readme.slice(index + found.length, index + found.length + 30)),
    }));
    expect(expected.length).toBeGreaterThan(0);
    expect(value).toEqual({ count: expected.length, places: expected });
  });

  test.each([
    ['other letters', 'Übersee, übersee; Überseekoffer sÜbersee', 'übersee', 2],
    ['a letter that is longer in lower case', 'İstanbul word WORD', 'word', 2],
    ['signs of regular expressions', 'a.b axb (a.b)', 'a.b', 2],
    ['neighbours', 'go gogo go', 'go', 2],
    ['a word that is no letter', '++x++', '++', 2],
  ])('%s', async (_, text, word, count) => {
    const { value } = await runExample('kwic.js', { scope: attach('a', text), inputs: { word } });
    expect(value).toMatchObject({ count });
  });

  test('in lines far from the start', async () => {
    const text = `${'some words\r\n'.repeat(300_000)}the whale\n`;
    const { value } = await runExample('kwic.js', { scope: attach('a', text), inputs: { word: 'whale' } });
    expect(value).toMatchObject({ count: 1, places: [{ line: 300_001, word: 'whale' }] });
  });
});

describe('sample.js', () => {
  const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1} ${'ü'.repeat(index % 40)}`);
  type Sample = { lines: number; sample: { line: number; text: string }[] };

  test.each([
    ['LF', '\n', true],
    ['CRLF', '\r\n', true],
    ['no line break at the end', '\n', false],
  ])('gives different lines as they are (%s)', async (_, lineBreak, hasEnd) => {
    const text = lines.join(lineBreak) + (hasEnd ? lineBreak : '');
    const { value } = await runExample('sample.js', { scope: attach('a', text), inputs: { count: 200 } });
    const { lines: total, sample } = value as Sample;
    expect(total).toBe(lines.length);
    expect(new Set(sample.map(({ line }) => line)).size).toBe(200);
    expect(sample.map(({ text }) => text)).toEqual(sample.map(({ line }) => lines[line - 1]));
  });

  test('chooses every line as often as any other', async () => {
    const counts = [0, 0, 0, 0];
    const scope = attach('a', 'a\nb\nc\nd\n');
    for (let seed = 0; seed < 400; seed++) {
      const { value } = await runExample('sample.js', { scope, inputs: { count: 1, seed } });
      counts[((value as Sample).sample[0]?.line as number) - 1]!++;
    }
    // 100 each; six standard deviations are 52.
    for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(52);
  });

  test.each([
    ['all of a short file', 'a\nb', 10, [1, 2]],
    ['no lines', '', 3, []],
    ['a single line', 'a', 3, [1]],
    ['empty lines', '\n\n', 3, [1, 2]],
  ])('%s', async (_, text, wanted, expected) => {
    const { value } = await runExample('sample.js', { scope: attach('a', text), inputs: { count: wanted } });
    expect((value as Sample).sample.map(({ line }) => line)).toEqual(expected);
  });

  test('cuts very long lines', async () => {
    const text = `${'é'.repeat(3_000_000)}\n${'z'.repeat(3_000_000)}`;
    const { value } = await runExample('sample.js', { scope: attach('a', text), inputs: { width: 5 } });
    expect(value).toEqual({
      lines: 2,
      sample: [
        { line: 1, text: 'ééééé…' },
        { line: 2, text: 'zzzzz…' },
      ],
    });
  });
});

describe('duplicates.js', () => {
  const random = seeded(3);
  const lines = Array.from({ length: 50_000 }, () => `id=${Math.floor(random() * 40_000)} größer`);

  test.each([
    ['whole lines', undefined, (line: string) => line],
    ['ids', 'id=\\d+', (line: string) => line.split(' ')[0] as string],
  ])('counts %s', async (_, pattern, keyOf) => {
    const counts = new Map<string, number>();
    for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
    const repeated = [...counts].filter(([, count]) => count > 1);
    const top = repeated
      .map(([text, count]) => ({ text, count }))
      .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
      .slice(0, 10);
    const inputs = pattern === undefined ? {} : { pattern };
    const { value } = await runExample('duplicates.js', { scope: attach('a', lines.join('\r\n')), inputs });
    expect(value).toEqual({
      compared: lines.length,
      different: counts.size,
      repeated: repeated.length,
      extra: lines.length - counts.size,
      top,
    });
  });

  test('says when there are too many', async () => {
    const error = await failureOf(
      runExample('duplicates.js', { scope: attach('a', lines.join('\n')), inputs: { max: 1000 } }),
    );
    expect(error).toMatchObject({ code: 'script_error', message: expect.stringContaining('more than 1000 different') });
  });

  test('says what is wrong with the pattern', async () => {
    const error = await failureOf(runExample('duplicates.js', { scope: attach('a', 'a'), inputs: { pattern: '(' } }));
    expect(error.message).toContain('pattern is not a regular expression');
  });
});

describe('diff.js', () => {
  interface Difference {
    line: { before: number; after: number };
    removed: string[];
    added: string[];
  }
  interface Diff {
    same: boolean;
    removed: number;
    added: number;
    shown: Difference[];
    lines: { before: number; after: number };
  }
  const all = { limit: 100_000, each: 100_000, width: 1_000_000 };

  async function diff(before: string, after: string, inputs: object = all): Promise<Diff> {
    const attachments = [
      ...(attach('before', before).attachments ?? []),
      ...(attach('after', after).attachments ?? []),
    ];
    const { value } = await runExample('diff.js', { scope: { attachments }, inputs: { ...inputs } });
    return value as unknown as Diff;
  }

  /** The one, with the differences applied, is the other. */
  function patch(lines: string[], { shown }: Diff): string[] {
    const patched: string[] = [];
    let next = 0;
    for (const { line, removed, added } of shown) {
      patched.push(...lines.slice(next, line.before - 1));
      expect(patched.length).toBe(line.after - 1);
      expect(lines.slice(line.before - 1, line.before - 1 + removed.length)).toEqual(removed);
      patched.push(...added);
      next = line.before - 1 + removed.length;
    }
    return [...patched, ...lines.slice(next)];
  }

  const linesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');

  test('its differences make the one of the other', async () => {
    const line = fc.constantFrom('a', 'b', 'c', 'größer', '', 'x'.repeat(300));
    const text = fc.array(line, { minLength: 1, maxLength: 40 }).map((lines) => `${lines.join('\n')}\n`);
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const found = await diff(before, after);
        expect(patch(linesOf(before), found)).toEqual(linesOf(after));
        expect(found.same).toBe(before === after);
        const { removed, added, lines } = found;
        expect(lines).toEqual({ before: linesOf(before).length, after: linesOf(after).length });
        expect(lines.before - removed + added).toBe(lines.after);
      }),
      runs(60),
    );
  });

  test('finds few differences in big files, and no more than there are', async () => {
    const random = seeded(4);
    const before = Array.from({ length: 60_000 }, (_, index) => `${index} größer ${Math.floor(random() * 1e9)}`);
    const after = before.flatMap((text, index) => {
      if (index % 9973 === 5) return [];
      if (index % 7919 === 7) return [text, 'new', 'lines'];
      return index % 8999 === 11 ? [`${text}!`] : [text];
    });
    const found = await diff(`${before.join('\n')}\n`, after.join('\r\n'));
    expect(patch(before, found)).toEqual(after);
    const changed = { removed: Math.ceil(60_000 / 9973) + 7, added: 8 * 2 + 7 };
    expect({ removed: found.removed, added: found.added }).toEqual(changed);
  });

  test('goes on where nothing agrees', async () => {
    const numbers = (letter: string): string => Array.from({ length: 3000 }, (_, index) => letter + index).join('\n');
    const found = await diff(`${numbers('a')}\nend\n`, `${numbers('b')}\nend\n`, { limit: 1 });
    expect(found).toMatchObject({ same: false, removed: 3000, added: 3000, shown: { length: 1 } });
  });

  test.each([
    ['both empty', '', '', true],
    ['only the last line break', 'a\nb\n', 'a\nb', true],
    ['only the kind of line breaks', 'a\r\nb\r\n', 'a\nb\n', true],
    ['an empty one', '', 'a\n', false],
  ])('%s', async (_, before, after, same) => {
    expect(await diff(before, after)).toMatchObject({ same });
  });
});
