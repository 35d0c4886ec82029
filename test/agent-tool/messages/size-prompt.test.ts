import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createTerminalSizePrompt, formatSizeSummary, type SizeSummary } from '@mustard-sandbox/agent-tool';
import { failureOf } from '../../client/support.ts';

const summary: SizeSummary = {
  totalBytes: 847 * 1024,
  thresholdBytes: 512 * 1024,
  truncateToBytes: 256 * 1024,
  sources: [
    { source: 'src/**/*.rs', isPattern: true, files: 127, bytes: 623 * 1024 },
    { source: 'Cargo.lock', isPattern: false, files: 1, bytes: 224 * 1024 },
  ],
};

const shown = `⚠ Attachments total 847 KB (threshold: 512 KB)

  src/**/*.rs  — 127 files, 623 KB
  Cargo.lock   — 224 KB

`;
const question = 'Attach large content? [y,t,n,?]? ';
const help = `  y  attach everything as it is
  t  cut each text attachment to 256 KB, and attach the others as they are
  n  attach nothing and cancel
  ?  show this
`;
const again = 'Please answer y, t, n or ?.\n';

/** The answer to what is typed before the input ends, and all that was shown. */
async function answerTo(typed: string): Promise<[string, string]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const seen = text(output);
  input.end(typed);
  const answer = await createTerminalSizePrompt({ input, output })(summary, {});
  output.end();
  return [answer, await seen];
}

describe('the prompt', () => {
  test.each([
    ['y\n', 'attach', ''],
    ['t\n', 'truncate', ''],
    ['n\n', 'cancel', ''],
    [' YES \r\n', 'attach', ''],
    ['Truncate\n', 'truncate', ''],
    ['no', 'cancel', ''],
    ['?\ny\n', 'attach', help + question],
    ['?\n?\nt\n', 'truncate', (help + question).repeat(2)],
    ['\nyo\n__proto__\nn\n', 'cancel', (again + question).repeat(3)],
    ['', 'cancel', '\n'],
    ['what', 'cancel', again + question + '\n'],
  ])('%j is %s', async (typed, answer, after) => {
    expect(await answerTo(typed)).toEqual([answer, shown + question + after]);
  });

  test('leaves nothing on its streams, so that the next one can ask', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const prompt = createTerminalSizePrompt({ input, output });
    input.write('y\n');
    expect(await prompt(summary, {})).toBe('attach');
    input.write('n\n');
    expect(await prompt(summary, {})).toBe('cancel');
    expect(input.listenerCount('data') + input.listenerCount('end')).toBe(0);
  });

  test('ends when it is aborted, before and while it asks', async () => {
    const prompt = createTerminalSizePrompt({ input: new PassThrough(), output: new PassThrough() });
    const controller = new AbortController();
    const asking = failureOf(prompt(summary, { signal: controller.signal }));
    controller.abort();
    expect(await asking).toMatchObject({ code: 'cancelled' });
    expect(await failureOf(prompt(summary, { signal: AbortSignal.abort() }))).toMatchObject({ code: 'cancelled' });
  });
});

describe('the summary', () => {
  const sources = (names: string[]): SizeSummary => ({
    ...summary,
    sources: names.map((source) => ({ source, isPattern: false, files: 1, bytes: 1024 })),
  });

  test('counts the files of patterns only', () => {
    const one = { source: '*.md', isPattern: true, files: 1, bytes: 10 };
    expect(formatSizeSummary({ ...summary, sources: [one] })).toContain('\n  *.md  — 1 file, 10 B');
  });

  test('shows no control characters of names', () => {
    expect(formatSizeSummary(sources(['a\u001b[2Jb\nc', 'd']))).toContain(
      '\n  a\\u{1b}[2Jb\\u{a}c  — 1 KB\n  d                  — 1 KB',
    );
  });

  test('can be long', () => {
    const names = Array.from({ length: 200_000 }, (_, index) => String(index));
    expect(formatSizeSummary(sources(names)).split('\n')).toHaveLength(200_002);
  });
});
