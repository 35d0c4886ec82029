import { describe, expect, test } from 'vitest';
import { isFull } from '../full.ts';
import { attach, runExample, seeded } from './support.ts';

function makeEvents(count: number): Record<string, unknown>[] {
  const random = seeded(2);
  return Array.from({ length: count }, (_, id) => ({
    id,
    level: random() < 0.05 ? 'error' : 'info',
    user: { name: `user ${Math.floor(random() * 50)}`, plan: random() < 0.5 ? 'free' : 'pro' },
    ms: Math.floor(random() * 400) / 2,
    retried: random() < 0.1,
    message: random() < 0.1 ? 'the word "error" — größer' : 'done, level: error',
  }));
}

const events = makeEvents(isFull ? 20_000 : 800);
const someEvents = events.slice(0, 5000);
const lines = events.map((event) => JSON.stringify(event)).join('\n');

type Inputs = { field?: string; equals?: unknown; limit?: number };

const questions: [string, Inputs, (event: Record<string, unknown>) => boolean][] = [
  ['the defaults', {}, ({ level }) => level === 'error'],
  ['a path', { field: 'user.plan', equals: 'pro' }, ({ user }) => (user as { plan: string }).plan === 'pro'],
  ['a whole number', { field: 'ms', equals: 7 }, ({ ms }) => ms === 7],
  ['a fraction', { field: 'ms', equals: 7.5 }, ({ ms }) => ms === 7.5],
  ['a boolean', { field: 'retried', equals: true }, ({ retried }) => retried === true],
  [
    'text with quotes',
    { field: 'message', equals: 'the word "error" — größer' },
    ({ message }) => message === 'the word "error" — größer',
  ],
  ['nothing', { field: 'none.such', equals: 'x' }, () => false],
];

describe('json-filter.js', () => {
  describe.each([
    ['JSON lines', `${lines}\n`],
    ['JSON lines without a last line break', lines],
    ['a document that is a list', JSON.stringify(someEvents, null, 1)],
    ['a document with a list', JSON.stringify({ version: 1, items: someEvents })],
  ])('in %s', (kind, content) => {
    const all = kind.startsWith('JSON lines') ? events : someEvents;
    test.each(questions)('finds %s', async (_, inputs, matches) => {
      const { value } = await runExample('json-filter.js', { scope: attach('events.jsonl', content), inputs });
      const expected = all.filter(matches);
      expect(value).toEqual({ matches: expected.length, records: expected.slice(0, 10) });
    });
  });

  test.each([
    ['one record', '{"level":"error"}', 1],
    ['two lines', '{"level":"error"}\n{"level":"error"}', 2],
    ['an empty list', '[]', 0],
  ])('%s', async (_, content, matches) => {
    const { value } = await runExample('json-filter.js', { scope: attach('events.jsonl', content) });
    expect(value).toMatchObject({ matches });
  });

  test('gives as many records as asked for', async () => {
    const scope = attach('a.json', lines);
    const { value } = await runExample('json-filter.js', { scope, inputs: { file: 'attachments:a.json', limit: 1 } });
    expect(value).toMatchObject({ records: [events.find(({ level }) => level === 'error')] });
  });
});
