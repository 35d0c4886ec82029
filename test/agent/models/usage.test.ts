// What servers say of their usage, also when they lie.
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Usage } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { load, Stage, textOf } from '../turns/support.ts';

const { costOf, withRequest } =
  await load<typeof import('../../../packages/desktop-agent/src/server/models/usage.ts')>('server/models/usage.js');

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

const told = (input: unknown, output: unknown, cached?: unknown): string =>
  JSON.stringify({
    prompt_tokens: input,
    completion_tokens: output,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  });
const options = { contextWindow: 50_000, maxTokens: 300, temperature: 0.5, effort: 'low' as const, price: null };

test('an answer has the tokens that the server says, and costs what the price of then says', async () => {
  const { chat } = await stage.chat('ask');
  const model = stage.model.modelId;
  const price = { input: 3, output: 15, cached: 0.3 };
  await stage.page.ask('set-model-options', { model, options: { ...options, price } });
  stage.model.reply([{ text: 'One.' }, { usage: told(400, 20, 100) }]);
  const message = await stage.answer(chat, 'Count');
  expect(message.usage).toMatchObject({ model, requests: 1, untold: 0, input: 400, cached: 100, output: 20 });
  // 300 at 3, 100 at 0.3, 20 at 15, of a million.
  expect(message.usage?.cost).toBeCloseTo(0.00123, 10);
  expect(message.usage?.context).toBe(420);
  const request = stage.model.requests.at(-1);
  expect(request).toMatchObject({ stream_options: { include_usage: true }, temperature: 0.5, max_tokens: 300 });
  expect(request?.reasoning_effort).toBe('low');
  const { models } = await stage.page.ask('list-models', {});
  expect(models.find(({ id }) => id === model)).toMatchObject({ contextWindow: 50_000, price });
  // A price of later changes nothing of what was.
  await stage.page.ask('set-model-options', { model, options: null });
  expect((await stage.messages(chat)).at(-1)?.usage?.cost).toBeCloseTo(0.00123, 10);
  stage.model.reply([{ text: 'Two.' }, { usage: told(400, 20) }]);
  expect((await stage.answer(chat, 'Again')).usage?.cost).toBeNull();
  expect(stage.model.requests.at(-1)).not.toHaveProperty('temperature');
});

test('the requests of all steps of an answer are added up', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'one\n' });
  stage.model.reply(
    [{ call: 'read_file', args: { path: 'a.txt' } }, { usage: told(1_000, 10) }],
    [{ text: 'It says one.' }, { usage: told(1_100, 12) }],
  );
  const { usage } = await stage.answer(chat, 'Read it');
  expect(usage).toMatchObject({ requests: 2, untold: 0, input: 2_100, output: 22, context: 1_112 });
});

describe('a server that lies', () => {
  test.each([
    ['nothing', ''],
    ['negative numbers', told(-400, -20)],
    ['more than there can be', told(1e15, 1e15)],
    ['infinity', '{"prompt_tokens":1e999,"completion_tokens":1}'],
    ['words', told('many', 'few')],
    ['fractions', told(1.5, 0.5)],
    ['a list', '[1,2]'],
    ['a number', '7'],
    ['zero', told(0, 0)],
    ['words in the details', told(1, 1, 'all')],
    ['itself, very deep', '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000)],
  ])('%s: the answer is whole, and no number of it is believed', async (_, usage) => {
    const { chat } = await stage.chat('ask');
    stage.model.reply([{ text: 'All of it.' }, ...(usage === '' ? [] : [{ usage }])]);
    const message = await stage.answer(chat, 'Tell me');
    expect(message).toMatchObject({ state: 'complete', error: null });
    expect(textOf(message)).toBe('All of it.');
    expect(message.usage).toMatchObject({ requests: 1, input: 0, output: 0, cached: 0, untold: 1 });
    // What we think ourselves: the prompt alone has some hundred tokens.
    expect(message.usage?.context).toBeGreaterThan(100);
    expect(message.usage?.context).toBeLessThan(5_000);
  });

  test('a number that is far from what was sent fills no context window', async () => {
    const { chat } = await stage.chat('ask');
    stage.model.reply([{ text: 'Small.' }, { usage: told(19_000_000, 1) }]);
    const { usage } = await stage.answer(chat, 'Tell me');
    expect(usage?.input).toBe(19_000_000);
    expect(usage?.context).toBeLessThan(5_000);
  });
});

const anything = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.string(),
  fc.constant(undefined),
  fc.constant(null),
);
const price = { input: 3, output: 15, cached: 0.3 };

const request = fc.record({ inputTokens: anything, outputTokens: anything, cachedTokens: anything });

test('whatever is said, each number is a count, and what is added never becomes less', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1 }), (said) => {
      let usage: Usage | null = null;
      for (const told of said) {
        const next: Usage = withRequest(usage, { model: 'm', price, told, estimate: 1_000 });
        for (const field of ['requests', 'untold', 'input', 'cached', 'output'] as const) {
          expect(Number.isSafeInteger(next[field]) && next[field] >= (usage?.[field] ?? 0)).toBe(true);
        }
        expect(next.context).toBeGreaterThanOrEqual(250);
        expect(next.context).toBeLessThanOrEqual(4_000);
        expect(next.cached).toBeLessThanOrEqual(next.input);
        expect(next.cost).toBeGreaterThanOrEqual(usage?.cost ?? 0);
        usage = next;
      }
      expect(costOf(usage!, price)).toBeCloseTo(usage?.cost ?? -1, 6);
    }),
  );
});
