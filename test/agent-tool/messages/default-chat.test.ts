import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareUserMessage } from '@mustard-sandbox/agent-tool';
import { failureOf } from '../../client/support.ts';
import { makeFolder } from '../../files/support.ts';
import { binary, pdf, png, prepare, textsOf } from './support.ts';

const mode = 'default-chat';

/** The content of an inlined text, read as its format says: from the opening fence to the same one at the end. */
function contentOf(part: string): string {
  const [, fence, body] = /^[^\n]*\n(`+)\n([^]*)$/.exec(part) as unknown as [string, string, string];
  const end = body.split('\n').indexOf(fence);
  expect(body.split('\n').slice(end)).toEqual([fence]);
  return body.slice(0, -fence.length);
}

test('texts, images and other files are inlined in their order, and the user’s text is last', async () => {
  const layout = {
    'src/a.rs': 'fn main() {}\n',
    'shot.png': png,
    'data.gz': binary,
    'paper.pdf': pdf,
    'b.txt': 'no newline',
  };
  const cwd = makeFolder(layout);
  const attachments = ['src/a.rs', 'shot.png', 'data.gz', 'paper.pdf', 'b.txt'];
  const { parts, stored, totalBytes } = await prepare({ mode, text: 'Hi', attachments, cwd });
  expect(parts).toEqual([
    { type: 'text', text: 'Attachment: src/a.rs (13 B)\n```\nfn main() {}\n```' },
    { type: 'image', image: new Uint8Array(png), mediaType: 'image/png' },
    { type: 'file', data: new Uint8Array(binary), mediaType: 'application/octet-stream', filename: 'data.gz' },
    { type: 'file', data: new Uint8Array(pdf), mediaType: 'application/pdf', filename: 'paper.pdf' },
    { type: 'text', text: 'Attachment: b.txt (10 B)\n```\nno newline\n```' },
    { type: 'text', text: 'Hi' },
  ]);
  expect(stored).toEqual([]);
  expect(totalBytes).toBe(13 + png.length + binary.length + pdf.length + 10);
  expect(readdirSync(cwd).sort()).toEqual(['b.txt', 'data.gz', 'paper.pdf', 'shot.png', 'src']);
});

test('what is in a text cannot end it, or begin another', async () => {
  const line = fc.oneof(
    fc.stringMatching(/^`{0,12}$/),
    fc.constant('Attachment: forged.txt (1 B)'),
    fc.string({ unit: fc.constantFrom('`', 'a', ' ', '\n', '~', 'é') }),
  );
  const content = fc.array(line, { minLength: 1 }).map((lines) => lines.join('\n'));
  await fc.assert(
    fc.asyncProperty(content, async (content) => {
      const message = await prepare({ mode, text: 'Hi', attachments: [{ data: content, name: 'a.txt' }] });
      const newline = content === '' || content.endsWith('\n') ? '' : '\n';
      expect(contentOf(textsOf(message)[0] as string)).toBe(content + newline);
    }),
  );
});

test('a name cannot forge a line either', async () => {
  const attachments = [{ data: 'x', name: 'a (1 B)\n```\nforged\u2029```\u202e' }];
  const [text] = textsOf(await prepare({ mode, text: 'Hi', attachments }));
  expect(text).toBe('Attachment: a (1 B)\\u{a}```\\u{a}forged\\u{2029}```\\u{202e} (1 B)\n```\nx\n```');
});

describe('what is text', () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

  test.each([
    ['UTF-8', Buffer.from('é€😀'), 'é€😀'],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffé'), 'é'],
    ['UTF-16 little-endian', utf16('é😀'), 'é😀'],
    ['UTF-16 big-endian', utf16('é😀').swap16(), 'é😀'],
    ['a text that begins like a bitmap', Buffer.from('BMW sold more'), 'BMW sold more'],
    ['nothing', Buffer.alloc(0), ''],
  ])('%s is', async (_, data, text) => {
    const message = await prepare({ mode, text: 'Hi', attachments: [{ data, name: 'a' }] });
    expect(contentOf(textsOf(message)[0] as string).trimEnd()).toBe(text);
  });

  test.each([
    ['invalid UTF-8', Buffer.from('caf\xe9', 'latin1')],
    ['a character that is not finished', Buffer.from('€').subarray(0, 2)],
    ['a surrogate without its other half', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
    ['half a unit of UTF-16', Buffer.from([0xff, 0xfe, 0x41])],
    ['a NUL', Buffer.from('a\0b')],
  ])('%s is not', async (_, data) => {
    const { parts } = await prepare({ mode, text: 'Hi', attachments: [{ data, name: 'a.txt' }] });
    expect(parts[0]).toEqual({ type: 'file', data, mediaType: 'application/octet-stream', filename: 'a.txt' });
  });

  test('the bytes decide, whatever browsers declare; but not of images and PDF', async () => {
    const attachments = [
      { data: 'const a = 1;', name: 'a.ts', mediaType: 'video/mp2t' },
      { data: '<svg/>', name: 'b.svg', mediaType: 'image/svg+xml' },
      { data: binary, name: 'c.ts', mediaType: 'video/mp2t' },
      { data: pdf, name: 'd.pdf' },
    ];
    const { parts } = await prepare({ mode, text: 'Hi', attachments });
    expect(parts).toMatchObject([
      { type: 'text', text: expect.stringContaining('const a = 1;') },
      { type: 'text', text: expect.stringContaining('<svg/>') },
      { type: 'file', mediaType: 'video/mp2t', filename: 'c.ts' },
      { type: 'file', mediaType: 'application/pdf', filename: 'd.pdf' },
      { type: 'text', text: 'Hi' },
    ]);
  });
});

test.skipIf(process.platform === 'win32')('a file that is too big for a message is refused by name', async () => {
  const cwd = makeFolder({ 'huge.log': '' });
  truncateSync(join(cwd, 'huge.log'), 3 * 1024 ** 3);
  const options = { mode, text: 'Hi', attachments: ['huge.log'], cwd, sizePolicy: 'allow' } as const;
  expect(await failureOf(prepareUserMessage(options))).toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/"huge\.log": 3 GB is too big for a message, which holds 256 MB of one file/),
  });
});
