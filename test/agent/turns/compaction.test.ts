// A chat that is summed up: what the model gets then, and that nothing is lost, whatever the model writes.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Chat, Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { ModelReply } from '../models/model-server.ts';
import { load, Stage, textOf } from './support.ts';

const { transcriptOf } = await load<
  typeof import('../../../packages/desktop-agent/src/server/turns/compaction/transcript.ts')
>('server/turns/compaction/transcript.js');

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

const unset = { maxTokens: null, temperature: null, effort: null, price: null };
const long = 'The order of rows is by date. '.repeat(200);

beforeEach(async () => {
  stage.model.clear();
  const { modelId: model } = stage.model;
  await stage.page.ask('set-model-options', { model, options: { ...unset, contextWindow: 2_000 } });
  await stage.page.ask('update-settings', { largeRequest: 0 });
});

/** A chat whose next message fills the window. */
async function fullChat(): Promise<Chat> {
  const { chat } = await stage.chat('ask');
  stage.model.reply([{ text: long }]);
  await stage.answer(chat, 'How are rows ordered?');
  return chat;
}

const words = (sent: unknown): string => JSON.stringify(sent);
const summaries = (messages: readonly Message[]): Message[] =>
  messages.filter(({ parts }) => parts[0]?.type === 'summary');
const request = (back: number) => stage.model.requests.at(-back)?.messages;

test('a full window is summed up before the next message; the model gets the summary, the chat keeps everything', async () => {
  const chat = await fullChat();
  stage.model.reply([{ text: '<think>short</think>Rows go by date.' }], [{ text: 'As I said.' }]);
  const answer = await stage.answer(chat, 'And columns?');
  expect(textOf(answer)).toBe('As I said.');
  expect(words(request(2))).toContain('order of rows is by date');
  expect(words(request(1))).not.toContain('order of rows is by date');
  expect(request(1)?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(words(request(1))).toContain('Rows go by date.');
  const messages = await stage.messages(chat);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'user', 'assistant']);
  expect(messages[2]?.parts).toEqual([
    { type: 'summary', text: 'Rows go by date.', messages: 2, before: expect.any(Number), after: 5 },
  ]);
  expect(textOf(messages[1]!)).toBe(long);
  const { markdown } = await stage.page.ask('export-chat', { chatId: chat.id, attachments: false });
  expect(markdown).toContain(long.trim());
  expect(markdown).toContain('> Rows go by date.');
  // There is room now: no second summary.
  stage.model.reply([{ text: 'Columns.' }]);
  await stage.answer(chat, 'Sure?');
  expect(summaries(await stage.messages(chat))).toHaveLength(1);
});

test('a person sums up at any time; a second summary has the first one in it', async () => {
  const chat = await fullChat();
  for (const text of ['First summary.', 'Second.']) {
    stage.model.reply([{ text }]);
    const { messageId } = await stage.page.ask('compact-chat', { chatId: chat.id });
    expect((await stage.page.ended(messageId)).state).toBe('complete');
    await expect.poll(async () => (await stage.page.ask('get-chat', { chatId: chat.id })).chat.streaming).toBe(false);
  }
  expect(words(request(1))).toContain('First summary.');
  expect(words(request(1))).not.toContain('order of rows');
  stage.model.reply([{ text: 'Yes.' }]);
  await stage.answer(chat, 'Go on');
  expect(words(request(1))).toContain('Second.');
  expect(words(request(1))).not.toContain('First summary.');
});

test('an empty chat has nothing to sum up, and none is summed up while it answers', async () => {
  const { chat } = await stage.chat('ask');
  await expect(stage.page.ask('compact-chat', { chatId: chat.id })).rejects.toMatchObject({ code: 'invalid_request' });
  stage.model.reply([{ wait: 'busy' }, { text: 'Done.' }]);
  const { messageId } = await stage.send(chat, 'Wait');
  await expect(stage.page.ask('compact-chat', { chatId: chat.id })).rejects.toMatchObject({ code: 'busy' });
  stage.model.release('busy');
  await stage.page.ended(messageId);
});

const bad: Record<string, [ModelReply, RegExp]> = {
  'an empty summary': [[{ text: ' \n ' }], /wrote an empty summary/],
  'thoughts and no summary': [[{ reasoning: 'Hm.' }], /wrote an empty summary/],
  'a summary that is longer than the chat': [[{ text: long.repeat(3) }], /no shorter than the chat/],
  'a summary that was cut': [[{ text: 'Rows' }, 'length'], /was cut, because/],
  'a call of a tool': [[{ call: 'write_file', args: { path: 'a', content: 'b' } }], /wrote an empty summary/],
  'a summary without an end': [[{ endless: 'text' }], /did not come to an end/],
  'a stream that is cut': [[{ text: 'Rows' }, 'cut'], /ended in the middle/],
  'an error': [{ status: 400, body: { error: { message: 'no' } } }, /refused the request/],
};

describe('a model that fails at it', () => {
  test.each(Object.entries(bad))('%s: the answer is made with the whole chat', async (_, [reply, why]) => {
    const chat = await fullChat();
    stage.model.reply(reply, [{ text: 'Whole.' }]);
    const answer = await stage.answer(chat, 'And columns?');
    expect(textOf(answer)).toBe('Whole.');
    expect(words(request(1))).toContain('order of rows is by date');
    const [summary] = summaries(await stage.messages(chat));
    expect(summary).toMatchObject({ state: 'failed', error: expect.stringMatching(why) });
    expect(summary?.error).toMatch(/still gets the whole chat/);
    // It is not tried again at once: each attempt costs a request.
    const before = stage.model.requests.length;
    stage.model.reply([{ text: 'Again.' }]);
    await stage.answer(chat, 'And now?');
    expect(stage.model.requests.length).toBe(before + 1);
  });
});

test('Stop ends the summary and the answer, and the chat goes on whole', async () => {
  const chat = await fullChat();
  stage.model.reply(['hang']);
  const before = stage.model.requests.length;
  const { messageId } = await stage.send(chat, 'And columns?');
  await expect.poll(() => stage.model.requests.length).toBe(before + 1);
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  expect((await stage.page.ended(messageId)).state).toBe('cancelled');
  expect(summaries(await stage.messages(chat)).map(({ state }) => state)).toEqual(['cancelled']);
  stage.model.reply([{ text: 'Here.' }]);
  await stage.answer(chat, 'Once more');
  expect(words(request(1))).toContain('order of rows is by date');
});

test('a server that lies about its usage makes no summary of a short chat', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply(
    [{ text: 'Short.' }, { usage: '{"prompt_tokens":19000000,"completion_tokens":19000000}' }],
    [{ text: 'Short, too.' }],
  );
  await stage.answer(chat, 'One');
  await stage.answer(chat, 'Two');
  expect(summaries(await stage.messages(chat))).toEqual([]);
});

describe('a large request', () => {
  const asked: unknown[] = [];
  const answering = async (chat: Chat, answer: string | undefined): Promise<Message> => {
    asked.length = 0;
    stage.page.onQuestion = (question) => {
      asked.push(question);
      return answer;
    };
    const message = await stage.answer(chat, long);
    stage.page.onQuestion = undefined;
    return message;
  };

  test('is asked about with its tokens and its cost, and a no sends nothing', async () => {
    const price = { input: 3, output: 15, cached: 0.3 };
    const { modelId: model } = stage.model;
    await stage.page.ask('set-model-options', { model, options: { ...unset, contextWindow: 100_000, price } });
    await stage.page.ask('update-settings', { largeRequest: 1_000 });
    const { chat } = await stage.chat('ask');
    const before = stage.model.requests.length;
    expect((await answering(chat, 'deny')).state).toBe('cancelled');
    expect(stage.model.requests.length).toBe(before);
    expect(asked).toMatchObject([{ kind: 'request', model: 'scripted', contextWindow: 100_000 }]);
    const [{ tokens, cost }] = asked as [{ tokens: number; cost: number }];
    expect(tokens).toBeGreaterThan(1_500);
    expect(cost).toBeCloseTo((tokens * 3) / 1_000_000, 10);
    stage.model.reply([{ text: 'One.' }], [{ text: 'Two.' }]);
    expect(textOf(await answering(chat, 'allow-always'))).toBe('One.');
    expect(textOf(await answering(chat, undefined))).toBe('Two.');
    expect(asked).toEqual([]);
  });

  test('that does not fit is asked about each time', async () => {
    await stage.page.ask('update-settings', { largeRequest: 1_000_000 });
    const { chat } = await stage.chat('ask');
    const { modelId: model } = stage.model;
    await stage.page.ask('set-model-options', { model, options: { ...unset, contextWindow: 1_000 } });
    stage.model.reply([{ text: 'One.' }]);
    expect(textOf(await answering(chat, 'allow-always'))).toBe('One.');
    expect(asked).toHaveLength(1);
    stage.model.reply(bad['an empty summary']![0]);
    expect((await answering(chat, 'deny')).state).toBe('cancelled');
    expect(asked).toHaveLength(1);
  });
});

test('a transcript keeps short messages whole, cuts long ones in their middle, and has the newest', () => {
  const messages = [
    { role: 'user' as const, content: 'Where is it?' },
    { role: 'assistant' as const, content: `begin ${'x'.repeat(50_000)} end` },
    { role: 'user' as const, content: 'Thanks' },
  ];
  const text = transcriptOf(messages, 1_000);
  expect(text).toMatch(
    /## user\n\nWhere is it\?\n\n## assistant\n\nbegin x+\n\[\d+ characters are left out here\]\nx+ end/,
  );
  expect(text.length).toBeLessThan(3_500);
  const many = Array.from({ length: 500 }, (_, index) => ({ role: 'user' as const, content: `Message ${index}.` }));
  expect(transcriptOf(many, 200)).toMatch(/^## user\n\nMessage \d{3}\.[^]*Message 499\.$/);
});
