import { beforeAll, expect, test } from 'vitest';
import { partsOf, Stage, textOf } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

const mark = '[Response cancelled by user]';

test('Stop while the model speaks keeps what it said and ends its request', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply([{ text: 'The first half' }, 'hang'], [{ text: 'Fine.' }]);
  const { messageId } = await stage.send(chat, 'Tell me');
  await stage.page.until('chat:response:chunk', (chunk) => chunk.messageId === messageId);
  await expect(stage.send(chat, 'Me too')).rejects.toMatchObject({ code: 'busy' });
  const gone = stage.model.gone;
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  const [, message] = await stage.messages(chat);
  expect(message?.state).toBe('cancelled');
  // The page says by the state that it was stopped, and says it once.
  expect(textOf(message!)).toBe('The first half');
  await expect.poll(() => stage.model.gone).toBe(gone + 1);
  // The next turn knows what was said and that it was stopped.
  await stage.answer(chat, 'Go on');
  const sent = JSON.stringify(stage.model.requests.at(-1)?.messages);
  expect(sent).toContain('The first half');
  expect(sent).toContain(mark);
});

test('Stop before the model has said anything', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply(['hang']);
  const before = stage.model.requests.length;
  const { messageId } = await stage.send(chat, 'Tell me');
  await expect.poll(() => stage.model.requests.length).toBe(before + 1);
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  const message = await stage.page.ended(messageId);
  expect(message.state).toBe('cancelled');
  expect(message.parts).toEqual([]);
});

test('Stop ends a script, whose card says so, and the next answer runs', async () => {
  const { chat } = await stage.chat('agent');
  await stage.page.ask('update-settings', { scripts: { enabled: true, consent: 'always', timeoutMs: 10_000 } });
  const script = 'let n = 0; while (true) n++;';
  stage.model.reply([{ text: 'Counting.' }, { call: 'execute_sandbox_script', args: { script } }], [{ text: 'Done.' }]);
  const { messageId } = await stage.send(chat, 'Count');
  await stage.page.until('chat:run', ({ chatId, event }) => chatId === chat.id && isType(event, 'sandbox.script.run'));
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  expect((await stage.page.ended(messageId)).state).toBe('cancelled');
  await expect
    .poll(async () => partsOf((await stage.messages(chat))[1]!, 'script')[0]?.record)
    .toMatchObject({ error: { code: 'cancelled' } });
  expect((await stage.answer(chat, 'Again')).state).toBe('complete');
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages).split(mark).length - 1).toBe(1);
});

test('Stop makes no failure of a tool or a change that was under way', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'one\n' });
  await stage.page.ask('init-git', { appId: chat.appId });
  stage.model.reply([{ call: 'write_file', args: { path: 'a.txt', content: 'two\n' } }]);
  const { messageId } = await stage.send(chat, 'Write');
  await stage.page.until('question:asked', ({ question }) => question.chatId === chat.id);
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  expect((await stage.page.ended(messageId)).state).toBe('cancelled');
  await expect
    .poll(async () => partsOf((await stage.messages(chat))[1]!, 'tool').map(({ state, detail }) => [state, detail]))
    .toEqual([['stopped', '']]);
});

test('Stop closes a question, and nothing of it runs', async () => {
  const { chat } = await stage.chat('agent');
  await stage.page.ask('update-settings', { scripts: { enabled: true, consent: 'ask', timeoutMs: 2_000 } });
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script: '1 + 1' } }]);
  const { messageId } = await stage.send(chat, 'Add');
  const { question } = await stage.page.until('question:asked', ({ question }) => question.chatId === chat.id);
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  expect((await stage.page.ended(messageId)).state).toBe('cancelled');
  await stage.page.until('question:closed', ({ id }) => id === question.id);
  await expect(stage.page.ask('answer-question', { id: question.id, answer: 'allow-once' })).rejects.toMatchObject({
    code: 'changed',
  });
  expect(
    stage.page.of('chat:run').some(({ chatId, event }) => chatId === chat.id && isType(event, 'sandbox.script.run')),
  ).toBe(false);
});

test('a chat that is deleted ends its answer, and can be taken back with what there was', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply([{ text: 'Half' }, 'hang']);
  const gone = stage.model.gone;
  const { messageId } = await stage.send(chat, 'Tell me');
  await stage.page.until('chat:response:chunk', (chunk) => chunk.messageId === messageId);
  await stage.page.ask('delete-chat', { chatId: chat.id });
  await expect.poll(() => stage.model.gone).toBe(gone + 1);
  await expect(stage.send(chat, 'Hello?')).rejects.toMatchObject({ code: 'not_found' });
  await stage.page.ask('restore-chat', { chatId: chat.id });
  expect((await stage.messages(chat))[1]).toMatchObject({
    state: 'cancelled',
    parts: [{ type: 'text', text: 'Half' }],
  });
});

function isType(event: unknown, type: string): boolean {
  return (event as { type?: unknown }).type === type;
}
