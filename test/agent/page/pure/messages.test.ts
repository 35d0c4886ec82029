import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../packages/desktop-agent/src/shared/contract/index.ts';
import { blocksOf } from '../../../../packages/desktop-agent/src/page/chat/blocks.ts';
import { safeAddress, showHidden, visible } from '../../../../packages/desktop-agent/src/page/chat/harmless.ts';
import { withChunk, withMessage, withPart } from '../../../../packages/desktop-agent/src/page/state/messages.ts';
import { runs } from '../../../full.ts';

const answer = (parts: Message['parts'] = []): Message => ({
  id: 'm',
  chatId: 'c',
  role: 'assistant',
  parts,
  attachments: [],
  state: 'streaming',
  error: null,
  proposal: null,
  workPlan: null,
  commit: null,
  usage: null,
  createdAt: '2026-03-02T10:15:00.000Z',
});
const chunk = (offset: number, text: string, index = 0) =>
  ({ chatId: 'c', messageId: 'm', index, type: 'text', offset, text }) as const;
const textOf = (messages: readonly Message[] | undefined): unknown => messages?.[0]?.parts[0];

describe('chunks of an answer', () => {
  test('in any pieces, from any of them on, and some of them twice, they are the whole text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        fc.nat(),
        fc.nat(),
        (pieces, from, again) => {
          const whole = pieces.join('');
          const at = pieces.map((_, index) => pieces.slice(0, index).join('').length);
          // The chat was asked for in the middle of the answer, and knows it up to there.
          const begin = from % pieces.length;
          const known = whole.slice(0, at[begin]);
          let messages: readonly Message[] = [answer(known === '' ? [] : [{ type: 'text', text: known }])];
          for (const index of [...pieces.keys()].slice(again % (begin + 1))) {
            messages = withChunk(messages, chunk(at[index]!, pieces[index]!)) ?? [];
          }
          expect(textOf(messages)).toEqual({ type: 'text', text: whole });
        },
      ),
      runs(100),
    );
  });

  test('a gap, another part or an unknown message asks for the chat anew', () => {
    const messages = [answer([{ type: 'text', text: 'abc' }])];
    expect(withChunk(messages, chunk(4, 'x'))).toBeUndefined();
    expect(withChunk(messages, chunk(1, 'x', 1))).toBeUndefined();
    expect(withChunk(messages, chunk(0, 'x', 2))).toBeUndefined();
    expect(withChunk(messages, { ...chunk(3, 'x'), type: 'reasoning' })).toBeUndefined();
    expect(withChunk(messages, { ...chunk(3, 'x'), messageId: 'other' })).toBeUndefined();
    expect(
      withPart(messages, { chatId: 'c', messageId: 'm', index: 2, part: { type: 'text', text: '' } }),
    ).toBeUndefined();
  });

  test('what is known already changes nothing, not even the array', () => {
    const messages = [answer([{ type: 'text', text: 'abc' }])];
    expect(withChunk(messages, chunk(1, 'bc'))).toBe(messages);
  });

  test('a message that is there is replaced, another one comes to the end', () => {
    const first = answer();
    const ended: Message = { ...first, state: 'complete' };
    expect(withMessage([first], ended)).toEqual([ended]);
    expect(withMessage([first], { ...ended, id: 'n' }).map(({ id }) => id)).toEqual(['m', 'n']);
  });
});

describe('blocks of markdown', () => {
  test('nothing but blank lines is lost at a cut', () => {
    const line = fc.constantFrom('text', '', '- item', '  more', '```', '~~~~', '# head', '| a |', '> quote', '1. one');
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const bare = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
        expect(bare(blocksOf(lines.join('\n')).join('\n'))).toEqual(bare(lines.join('\n')));
      }),
      runs(200),
    );
  });

  test.each([
    ['one\n\ntwo', ['one\n', 'two']],
    ['```\na\n\nb\n```\n\nafter', ['```\na\n\nb\n```\n', 'after']],
    ['- a\n\n- b', ['- a\n\n- b']],
    ['- a\n\n  more of a\n\nafter', ['- a\n\n  more of a\n', 'after']],
    ['[a]\n\n[a]: https://x.org', ['[a]\n\n[a]: https://x.org']],
    ['````\n```\n\ntext\n````', ['````\n```\n\ntext\n````']],
  ])('%j', (text, blocks) => expect(blocksOf(text)).toEqual(blocks));
});

describe('what an address may be', () => {
  test.each(['https://example.org/a', 'http://127.0.0.1:80', 'mailto:a@example.org', ' HTTPS://example.org'])(
    'a link: %s',
    (address) => expect(safeAddress(address, 'href')).toBe(address.trim()),
  );
  test.each([
    'javascript:1',
    'JaVaScRiPt:1',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc',
    '//x.org',
    '#a',
    '/a',
    '',
  ])('no link: %s', (address) => expect(safeAddress(address, 'href')).toBe(''));
  test('an image has its data in it', () => {
    expect(safeAddress('data:image/png;base64,AA', 'src')).toBe('data:image/png;base64,AA');
    expect(safeAddress('https://example.org/pixel.png', 'src')).toBe('');
    expect(safeAddress('data:image/svg+xml;base64,AA', 'src')).toBe('');
  });
});

test('what turns the direction of writing is shown, what joins an emoji is not', () => {
  expect(visible('a\u202Eb\u001B[0m')).toBe('a\\u{202e}b\\u{1b}[0m');
  expect(visible('x\u3164 \u2800y\ufeff')).toBe('x\\u{3164} \\u{2800}y\\u{feff}');
  const text = { value: '\u202Ea' };
  const link = { properties: { title: '\u202Eb' }, children: [text] };
  showHidden()({ children: [link] });
  expect([text.value, link.properties.title]).toEqual(['\\u{202e}a', '\\u{202e}b']);
  expect(visible('👩‍💻 שלום\u200F\tx\n')).toBe('👩‍💻 שלום\u200F\tx\n');
});
