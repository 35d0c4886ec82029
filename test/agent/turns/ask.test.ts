import { beforeAll, expect, test } from 'vitest';
import { assemble, Stage } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

test('an answer streams into the page and the database, and the next turn has it', async () => {
  const { chat } = await stage.chat('ask', { 'src/a.ts': 'export const a = 1;\n' });
  stage.model.reply([{ reasoning: 'Hm. ' }, { text: 'One ' }, { text: 'two.' }], [{ text: 'Again.' }]);
  const { messageId } = await stage.send(chat, 'What is there?');
  const message = await stage.page.ended(messageId);
  expect(message.state).toBe('complete');
  expect(message.parts).toEqual([
    { type: 'reasoning', text: 'Hm. ' },
    { type: 'text', text: 'One two.' },
  ]);
  expect([...assemble(stage.page, messageId).values()]).toEqual(['Hm. ', 'One two.']);
  await stage.answer(chat, 'And now?');
  const messages = await stage.messages(chat);
  expect(messages.map(({ role, state }) => `${role} ${state}`)).toEqual([
    'user complete',
    'assistant complete',
    'user complete',
    'assistant complete',
  ]);
  const sent = stage.model.requests.at(-1)?.messages ?? [];
  expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(JSON.stringify(sent)).toContain('One two.');
  expect((await stage.page.ask('list-chats', { appId: chat.appId }))[0]?.title).toBe('What is there?');
});

test('the size of attachments is asked about before anything is sent, and cancel sends nothing', async () => {
  const { chat } = await stage.chat('ask');
  const before = stage.model.requests.length;
  const upload = await stage.upload(chat, 'big.txt', 'x'.repeat(600 * 1024));
  const asked: unknown[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind === 'size') asked.push((question.summary as { sources: unknown }).sources);
    return question.kind === 'size' ? 'cancel' : undefined;
  };
  const message = await stage.answer(chat, 'Read it', [upload]);
  stage.page.onQuestion = undefined;
  expect(message.state).toBe('cancelled');
  // Its name, not the hash that it is stored under.
  expect(asked).toEqual([[{ source: 'big.txt', isPattern: false, files: 1, bytes: 600 * 1024 }]]);
  expect(stage.model.requests.length).toBe(before);
  expect(message.parts).toEqual([]);
});

test('how much is asked about is a setting', async () => {
  const { chat } = await stage.chat('ask');
  const thresholds: unknown[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind === 'size') thresholds.push((question.summary as { thresholdBytes: unknown }).thresholdBytes);
    return question.kind === 'size' ? 'cancel' : undefined;
  };
  const upload = await stage.upload(chat, 'small.txt', 'x'.repeat(3 * 1024));
  await stage.page.ask('update-settings', { sizeThreshold: 2 * 1024 });
  expect((await stage.answer(chat, 'Read it', [upload])).state).toBe('cancelled');
  expect(thresholds).toEqual([2 * 1024]);
  await stage.page.ask('update-settings', { sizeThreshold: 512 * 1024 });
  stage.page.onQuestion = undefined;
  for (const sizeThreshold of [0, 1.5, -1, 2 ** 40]) {
    await expect(stage.page.ask('update-settings', { sizeThreshold })).rejects.toThrow(/sizeThreshold/);
  }
});
