import { formatBytes, formatSizeSummary, createTerminalSizePrompt } from '@mustard-sandbox/agent-tool';
import fc from 'fast-check';
import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createFormat } from '../../packages/cards/src/messages/format.ts';
import { defaultMessages, type Messages } from '../../packages/cards/src/messages/messages.ts';
import { createTranslate } from '../../packages/cards/src/messages/translate.ts';

const t = createTranslate(defaultMessages, 'en');
const format = createFormat(t, 'en');

describe('sizes and times', () => {
  test('sizes are those of the terminal', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), (bytes) => {
        expect(format.bytes(bytes)).toBe(formatBytes(bytes));
      }),
    );
    for (const bytes of [0, 1023, 1024, 1_048_575, 80 * 2 ** 20, 5 * 2 ** 40]) {
      expect(format.bytes(bytes)).toBe(formatBytes(bytes));
    }
  });

  test.each([
    [1_048_576, 1_048_577, ['1,048,576 bytes', '1,048,577 bytes']],
    [1_048_576, 2_097_152, ['1 MB', '2 MB']],
    [1_048_576, 1_048_576, ['1 MB', '1 MB']],
    [0, 1, ['0 B', '1 B']],
  ])('%d and %d, which are compared, look like what they are', (one, other, expected) => {
    expect(format.bytesApart(one, other)).toEqual(expected);
  });

  test.each([
    [0.4, '0 ms'],
    [812.4, '812 ms'],
    [999.7, '1 s'],
    [4_212, '4.2 s'],
    [59_960, '1 min'],
    [60_000, '1 min'],
    [7_200_000, '2 h'],
    [3 * 86_400_000, '3 d'],
  ])('%d ms is %s', (ms, expected) => expect(format.duration(ms)).toBe(expected));

  test('numbers and words are those of the locale', () => {
    const german: Messages = { ...defaultMessages, rows: { one: '{count} Zeile', other: '{count} Zeilen' } };
    const in_ = createTranslate(german, 'de');
    expect([in_('rows', { count: 1 }), in_('rows', { count: 1_234 })]).toEqual(['1 Zeile', '1.234 Zeilen']);
    expect(createFormat(in_, 'de').bytes(1_536)).toBe('1,5 KB');
  });

  test('what is filled in is not filled in itself', () => {
    expect(t('ranScriptOnMore', { file: '{count}$&', count: 2 })).toBe('Ran a script on {count}$& and 2 more');
  });
});

test('the question about sizes has the words of the terminal', async () => {
  const summary = {
    totalBytes: 1_258_291,
    thresholdBytes: 524_288,
    truncateToBytes: 262_144,
    sources: [{ source: 'docs/*.md', isPattern: true, files: 14, bytes: 734_003 }],
  };
  const [heading] = formatSizeSummary(summary).split('\n');
  expect(heading).toBe(`⚠ ${t('sizeTitle', { total: format.bytes(1_258_291), threshold: format.bytes(524_288) })}`);
  expect(formatSizeSummary(summary)).toContain(t('sizeFiles', { count: 14, size: format.bytes(734_003) }));

  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end('?\nn\n');
  const answer = createTerminalSizePrompt({ input, output })(summary, {});
  expect(await answer).toBe('cancel');
  output.end();
  const help = await readAll(output);
  for (const key of ['sizeAttachHint', 'sizeTruncateHint', 'sizeCancelHint'] as const) {
    expect(help).toContain(t(key, { size: format.bytes(262_144) }));
  }
});
