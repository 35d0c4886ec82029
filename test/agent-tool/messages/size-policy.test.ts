import { appendFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  prepareUserMessage,
  type PrepareUserMessageOptions,
  type SizeAnswer,
  type SizeSummary,
} from '@mustard-sandbox/agent-tool';
import { failureOf } from '../../client/support.ts';
import { makeFolder } from '../../files/support.ts';
import { binary, png, prepare, textsOf } from './support.ts';

const KB = 1024;
const mode = 'default-chat';
const text = 'Hi';

/** A prompt that gives an answer and remembers what it was asked. */
function answering(answer: SizeAnswer) {
  const asked: SizeSummary[] = [];
  const sizePrompt = (summary: SizeSummary): Promise<SizeAnswer> => {
    asked.push(summary);
    return Promise.resolve(answer);
  };
  return { asked, sizePrompt };
}

const big = [{ data: 'x'.repeat(600 * KB), name: 'big.txt' }];

describe('the threshold', () => {
  test('is 512 KB, and what is at it is attached without a question', async () => {
    const { asked, sizePrompt } = answering('cancel');
    const at = [{ data: 'x'.repeat(512 * KB), name: 'a' }];
    const over = [...at, { data: 'y', name: 'b' }];
    expect(await prepareUserMessage({ mode, text, attachments: at, sizePrompt })).toMatchObject({ status: 'prepared' });
    expect(asked).toEqual([]);
    expect(await prepareUserMessage({ mode, text, attachments: over, sizePrompt })).toEqual({
      status: 'cancelled',
      totalBytes: 512 * KB + 1,
    });
    expect(asked).toMatchObject([{ totalBytes: 512 * KB + 1, thresholdBytes: 512 * KB, truncateToBytes: 256 * KB }]);
  });

  test('is for the bytes of all attachments, whatever they are, grouped as they were given', async () => {
    const file = fc.oneof(
      fc.uint8Array({ maxLength: 50 }).map((data) => ({ data, name: 'bytes' })),
      fc.string({ unit: 'binary', maxLength: 50 }).map((data) => ({ data: `-${data}`, name: 'text' })),
      fc.constant({ data: png, name: 'image' }),
    );
    const folder = makeFolder({ 'a.txt': 'aa', 'b.txt': 'é', 'c.bin': binary });
    const onDisk = fc.subarray(['*.txt', 'a.txt', 'c.bin', '*']);
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 5 }), onDisk, async (data, paths) => {
        const { asked, sizePrompt } = answering('attach');
        const attachments = [...data, ...paths];
        const { totalBytes } = await prepare({ mode, text, attachments, cwd: folder, sizeThreshold: 0, sizePrompt });
        const has = (...names: string[]): boolean => names.some((name) => paths.includes(name));
        const expected =
          data.reduce((total, { data }) => total + Buffer.byteLength(data), 0) +
          (has('*', '*.txt') ? 4 : has('a.txt') ? 2 : 0) +
          (has('*', 'c.bin') ? binary.length : 0);
        expect(totalBytes).toBe(expected);
        if (expected === 0) return;
        const [summary] = asked as [SizeSummary];
        expect(summary.totalBytes).toBe(expected);
        expect(summary.sources.reduce((total, { bytes }) => total + bytes, 0)).toBe(expected);
        expect(summary.sources.length).toBeLessThanOrEqual(attachments.length);
      }),
    );
  });

  test('groups the files of a pattern', async () => {
    const cwd = makeFolder({ 'src/a.rs': 'aa', 'src/b/c.rs': 'ccc', 'Cargo.lock': 'lock', 'x.txt': 'x' });
    const { asked, sizePrompt } = answering('attach');
    const attachments = [
      'src/**/*.rs',
      { path: 'Cargo.lock', name: 'lock' },
      { data: '1', name: 'd' },
      'src/a.rs',
      '*.txt',
    ];
    await prepare({ mode, text, attachments, cwd, sizeThreshold: 1, sizePrompt });
    expect(asked[0]?.sources).toEqual([
      { source: 'src/**/*.rs', isPattern: true, files: 2, bytes: 5 },
      { source: 'lock', isPattern: false, files: 1, bytes: 4 },
      { source: 'd', isPattern: false, files: 1, bytes: 1 },
      { source: '*.txt', isPattern: true, files: 1, bytes: 1 },
    ]);
  });
});

describe('the policy', () => {
  test('ask: the answer is done', async () => {
    const ask = async (answer: SizeAnswer) =>
      await prepareUserMessage({ mode, text, attachments: big, sizePrompt: answering(answer).sizePrompt });
    expect(await ask('attach')).toMatchObject({ status: 'prepared', truncated: [] });
    expect(await ask('truncate')).toMatchObject({ status: 'prepared', truncated: ['big.txt'] });
    expect(await ask('cancel')).toEqual({ status: 'cancelled', totalBytes: 600 * KB });
  });

  test.each(['allow', 'truncate', 'reject'] as const)('%s never asks', async (sizePolicy) => {
    const { asked, sizePrompt } = answering('cancel');
    await prepareUserMessage({ mode, text, attachments: big, sizePolicy, sizePrompt }).catch(() => undefined);
    expect(asked).toEqual([]);
  });

  test('reject is an error with both numbers', async () => {
    const error = await failureOf(prepareUserMessage({ mode, text, attachments: big, sizePolicy: 'reject' }));
    expect(error.code).toBe('limit_exceeded');
    expect(error.message).toMatch(/^Attachments total 600 KB \(threshold: 512 KB\)\. /);
    expect(error.details).toMatchObject({ limit: 'attachment_bytes', value: 512 * KB, totalBytes: 600 * KB });
  });

  test.each<[string, unknown]>([
    ["'yes'", 'yes'],
    ['undefined', undefined],
    ['object', { answer: 'attach' }],
  ])('an answer that there is not is refused: %s', async (shown, answer) => {
    const sizePrompt = (() => answer) as unknown as NonNullable<PrepareUserMessageOptions['sizePrompt']>;
    const { signal } = new AbortController();
    const error = await failureOf(prepareUserMessage({ mode, text, attachments: big, sizePrompt, signal }));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(`answered ${shown};`) });
  });

  test('what the prompt throws is the error', async () => {
    const error = new Error('the window is gone');
    const attempt = prepareUserMessage({ mode, text, attachments: big, sizePrompt: () => Promise.reject(error) });
    expect(await failureOf(attempt)).toBe(error);
  });

  test('a prompt that never answers ends with the signal', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const sizePrompt = (): Promise<never> => {
      queueMicrotask(() => controller.abort());
      return new Promise<never>(() => undefined);
    };
    const error = await failureOf(prepareUserMessage({ mode, text, attachments: big, sizePrompt, signal }));
    expect(error).toMatchObject({ code: 'cancelled' });
  });
});

describe('truncate', () => {
  const sizePolicy = 'truncate';

  /** An inlined text without its head and its fences. */
  function bodyOf(part: string | undefined): string {
    return (part as string).split('\n').slice(2, -1).join('\n');
  }

  /** The one right answer: whole characters while they fit. */
  function longestStart(text: string, bytes: number, size: (character: string) => number): string {
    let kept = '';
    let used = 0;
    for (const character of text) {
      used += size(character);
      if (used > bytes) break;
      kept += character;
    }
    return kept;
  }

  test('ends in the mark, and says both sizes', async () => {
    const attachments = [{ data: 'x'.repeat(623 * KB), name: 'a.txt' }];
    const message = await prepare({ mode, text, attachments, sizePolicy });
    expect(message.truncated).toEqual(['a.txt']);
    expect(textsOf(message)[0]).toBe(
      `Attachment: a.txt (623 KB)\n\`\`\`\n${'x'.repeat(256 * KB)}... [truncated, 623 KB → 256 KB]\n\`\`\``,
    );
  });

  test('is for text: what begins as text and goes on as anything is a file, whole', async () => {
    const data = Buffer.concat([Buffer.from('línea\n'.repeat(50 * KB)), Buffer.alloc(300 * KB, 0xff)]);
    const message = await prepare({ mode, text, attachments: [{ data, name: 'mixed.log' }], sizePolicy });
    expect(message.truncated).toEqual([]);
    expect(message.parts).toContainEqual(
      expect.objectContaining({ type: 'file', filename: 'mixed.log', mediaType: 'application/octet-stream' }),
    );
    // A text in which a character was not written to its end yet is one.
    const log = Buffer.from('línea €'.repeat(100 * KB)).subarray(0, -1);
    const cut = await prepare({ mode, text, attachments: [{ data: log, name: 'a.log' }], sizePolicy });
    expect(cut.truncated).toEqual(['a.log']);
  });

  test('cuts at a character, for any text and size', async () => {
    const unit = fc.constantFrom('a', 'é', '€', '😀', '\n', '\ufeff', '\u0301');
    const texts = fc.string({ unit, minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(80), fc.boolean(), async (content, truncateTo, wide) => {
        const data = Buffer.from(wide ? `\ufeff${content}` : content, wide ? 'utf16le' : 'utf8');
        // A byte order mark at the start says the encoding, and is none of the text.
        const expected = content.startsWith('\ufeff') && !wide ? content.slice(1) : content;
        const offset = data.length - Buffer.byteLength(expected, wide ? 'utf16le' : 'utf8');
        const attachments = [{ data, name: 'a.txt' }];
        const options = { mode, text, attachments, sizeThreshold: 0, sizePolicy, truncateTo } as const;
        const message = await prepare(options);
        const body = bodyOf(textsOf(message)[0]);
        const cut = data.length > truncateTo;
        expect(message.truncated).toEqual(cut ? ['a.txt'] : []);
        const size = (character: string): number => Buffer.byteLength(character, wide ? 'utf16le' : 'utf8');
        const mark = `... [truncated, ${formatBytes(data.length)} → ${formatBytes(truncateTo)}]`;
        const whole = expected.endsWith('\n') ? expected.slice(0, -1) : expected;
        expect(body).toBe(cut ? longestStart(expected, truncateTo - offset, size) + mark : whole);
      }),
    );
  });

  test('cuts no binary, not even one that begins like a text', async () => {
    const data = Buffer.concat([Buffer.from('#!/bin/sh\n'), Buffer.from([0]), Buffer.from('x'.repeat(100))]);
    const attachments = [
      { data, name: 'a.run' },
      { data: png, name: 'b.png' },
    ];
    const { parts, truncated } = await prepare({ mode, text, attachments, sizeThreshold: 8, sizePolicy });
    expect(parts.slice(0, 2)).toEqual([
      { type: 'file', data, mediaType: 'application/octet-stream', filename: 'a.run' },
      { type: 'image', image: png, mediaType: 'image/png' },
    ]);
    expect(truncated).toEqual([]);
  });

  test('leaves what is small enough as it is', async () => {
    const attachments = [...big, { data: 'small', name: 'small.txt' }];
    const message = await prepare({ mode, text, attachments, sizePolicy });
    expect(message.truncated).toEqual(['big.txt']);
    expect(textsOf(message)[1]).toBe('Attachment: small.txt (5 B)\n```\nsmall\n```');
  });

  // Elsewhere the rest of the file is a hole, which takes no space.
  test.skipIf(process.platform === 'win32')(
    'reads no more than it keeps: the rest may be bigger than memory',
    async () => {
      const cwd = makeFolder();
      const path = join(cwd, 'huge.log');
      await appendFile(path, 'é'.repeat(300 * KB));
      await truncate(path, 100 * KB ** 3);
      const message = await prepare({ mode, text, attachments: ['huge.log'], cwd, sizePolicy });
      expect(bodyOf(textsOf(message)[0])).toBe(`${'é'.repeat(128 * KB)}... [truncated, 100 GB → 256 KB]`);
    },
  );
});
