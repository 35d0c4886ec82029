import { createConsentQueue } from '@mustard-sandbox/cards';
import { expect, test } from 'vitest';

const request = { script: '1', preview: '1', files: [] };

test('questions wait in line, each with an answer of its own', async () => {
  const queue = createConsentQueue();
  const { signal } = new AbortController();
  const answers = [queue.ask(request, { signal }), queue.ask(request, { signal })];
  const [first, second] = queue.getSnapshot();
  expect(queue.getSnapshot()).toHaveLength(2);
  queue.answer(second!.id, 'allow-once');
  queue.answer(first!.id, 'deny');
  queue.answer(first!.id, 'allow-always');
  expect(await Promise.all(answers)).toEqual(['deny', 'allow-once']);
  expect(queue.getSnapshot()).toEqual([]);
});

test('a question that nobody waits for any more goes away, and is no yes', async () => {
  const queue = createConsentQueue();
  const leaving = new AbortController();
  const answer = queue.ask(request, leaving);
  leaving.abort();
  expect(queue.getSnapshot()).toEqual([]);
  expect(await answer).toBe('deny');
  expect(await queue.ask(request, leaving)).toBe('deny');
});
