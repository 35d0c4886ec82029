import fc from 'fast-check';
import { expect, test } from 'vitest';
import { load } from './support.ts';

const { LeadingThink } = await load<typeof import('../../../packages/desktop-agent/src/server/turns/leading-think.ts')>(
  'server/turns/leading-think.js',
);

/** In pieces of these lengths; what is left comes as one. */
function read(text: string, lengths: readonly number[]): Record<'text' | 'reasoning', string> {
  const think = new LeadingThink();
  const read = { text: '', reasoning: '' };
  let rest = text;
  const pieces = lengths.map((length) => {
    const piece = rest.slice(0, length);
    rest = rest.slice(length);
    return piece;
  });
  for (const piece of [...pieces, rest]) for (const { type, text } of think.push(piece)) read[type] += text;
  for (const { type, text } of think.end()) read[type] += text;
  return read;
}

test.each([
  ['plain', { text: 'plain', reasoning: '' }],
  ['<think>hm</think>\n\nso', { text: 'so', reasoning: 'hm' }],
  ['\n<thinking>\nhm < 3 </thing>\n</thinking>so <think>', { text: 'so <think>', reasoning: 'hm < 3 </thing>' }],
  ['<thin ice>', { text: '<thin ice>', reasoning: '' }],
  ['So: <think>no</think>', { text: 'So: <think>no</think>', reasoning: '' }],
  ['<think>never ends', { text: '', reasoning: 'never ends' }],
  ['<thi', { text: '<thi', reasoning: '' }],
])('%j', (text, expected) => {
  expect(read(text, [])).toEqual(expected);
  // However it comes in pieces.
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5 })), (lengths) => {
      expect(trimmed(read(text, lengths))).toEqual(trimmed(expected));
    }),
    { numRuns: 50 },
  );
});

/** White space around the tags may stay when it came before them. */
function trimmed({ text, reasoning }: { text: string; reasoning: string }): object {
  return { text: text.trim(), reasoning: reasoning.trim() };
}
