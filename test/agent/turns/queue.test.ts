// Messages that wait for the end of an answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Chat } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { tempFolder } from '../support.ts';
import { Stage, TestPage, textOf } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
beforeEach(() => stage.model.clear());

const wait = async (chat: Chat, text: string, uploads: string[] = []): Promise<unknown> =>
  await stage.page.ask('queue-message', { chatId: chat.id, text, uploads });
const queueOf = async (chat: Chat): Promise<{ id: string; text: string }[]> =>
  (await stage.page.ask('get-chat', { chatId: chat.id })).queue;
/** The model has begun: what is stopped before takes no answer of the script. */
const begun = async (chat: Chat): Promise<void> => {
  await expect.poll(async () => (await textsOf(chat)).at(-1)).toBe('Half');
};
const textsOf = async (chat: Chat): Promise<string[]> => (await stage.messages(chat)).map(textOf);

test('messages wait in order and are sent one after the other, each once; every window sees them', async () => {
  const { chat } = await stage.chat('ask');
  const other = await TestPage.open(stage.program);
  stage.model.reply([{ wait: 'in-order' }, { text: 'One.' }], [{ text: 'Two.' }], [{ text: 'Three.' }]);
  await stage.send(chat, 'First');
  await wait(chat, 'Second');
  await wait(chat, 'Third');
  const told = await other.until('chat:queue', ({ chatId, queue }) => chatId === chat.id && queue.length === 2);
  expect(told.queue.map(({ text }) => text)).toEqual(['Second', 'Third']);
  stage.model.release('in-order');
  await expect.poll(async () => await textsOf(chat)).toEqual(['First', 'One.', 'Second', 'Two.', 'Third', 'Three.']);
  expect(await queueOf(chat)).toEqual([]);
  await other.until('chat:queue', ({ chatId, queue }) => chatId === chat.id && queue.length === 0);
  await other.close();
});

test('what waits is changed and removed, and what was sent meanwhile cannot be', async () => {
  const { chat } = await stage.chat('ask');
  const chatId = chat.id;
  stage.model.reply([{ wait: 'changed' }, { text: 'One.' }], [{ text: 'Two.' }]);
  await stage.send(chat, 'First');
  await wait(chat, 'Secnd');
  await wait(chat, 'Third');
  const [second, third] = (await queueOf(chat)) as { id: string }[] as [{ id: string }, { id: string }];
  await stage.page.ask('edit-queued', { chatId, id: second.id, text: 'Second' });
  await stage.page.ask('remove-queued', { chatId, id: third.id });
  stage.model.release('changed');
  await expect.poll(async () => await textsOf(chat)).toEqual(['First', 'One.', 'Second', 'Two.']);
  for (const id of [second.id, third.id]) {
    for (const asked of [
      stage.page.ask('edit-queued', { chatId, id, text: 'x' }),
      stage.page.ask('remove-queued', { chatId, id }),
      stage.page.ask('send-queued', { chatId, id }),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'not_found' });
    }
  }
});

test('"send now" stops the answer, and two windows that say so send it once', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply([{ text: 'Half' }, 'hang'], [{ text: 'Now.' }], [{ text: 'Later.' }]);
  await stage.send(chat, 'First');
  await begun(chat);
  await wait(chat, 'Later');
  await wait(chat, 'At once');
  const id = (await queueOf(chat))[1]!.id;
  const other = await TestPage.open(stage.program);
  const sent = await Promise.allSettled(
    [stage.page, other].map(async (page) => await page.ask('send-queued', { chatId: chat.id, id })),
  );
  expect(sent.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  // To its end: what is sent later would take the answers of the next test.
  await expect.poll(async () => (await textsOf(chat)).at(-1)).toBe('Later.');
  expect((await textsOf(chat)).filter((text) => text === 'At once')).toHaveLength(1);
  await other.close();
});

test('after Stop and after a failure nothing is sent by itself', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply([{ text: 'Half' }, 'hang']);
  await stage.send(chat, 'First');
  await begun(chat);
  await wait(chat, 'Second');
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  stage.model.reply({ status: 400 });
  expect((await stage.answer(chat, 'Beside it')).state).toBe('failed');
  expect((await queueOf(chat)).map(({ text }) => text)).toEqual(['Second']);
  stage.model.reply([{ text: 'Two.' }]);
  await stage.page.ask('send-queued', { chatId: chat.id, id: (await queueOf(chat))[0]!.id });
  await expect.poll(async () => (await textsOf(chat)).at(-1)).toBe('Two.');
});

test('with no answer under way a message is sent at once', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply([{ text: 'One.' }]);
  await wait(chat, 'First');
  await expect.poll(async () => await textsOf(chat)).toEqual(['First', 'One.']);
  await expect(wait(chat, '  ')).rejects.toMatchObject({ code: 'invalid_request' });
});

test('files wait with their message: nobody else takes them, and cleaning leaves them', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply([{ wait: 'files' }, { text: 'One.' }], [{ text: 'Two.' }]);
  await stage.send(chat, 'First');
  const upload = await stage.upload(chat, 'a.txt', 'what is in it');
  await wait(chat, 'Read it', [upload]);
  await expect(wait(chat, 'Mine', [upload])).rejects.toMatchObject({ code: 'not_found' });
  await stage.page.ask('discard-upload', { chatId: chat.id, uploadId: upload });
  await stage.program.services.uploads.clean(-60_000);
  stage.model.release('files');
  await expect.poll(async () => (await textsOf(chat)).at(-1)).toBe('Two.');
  expect((await stage.messages(chat))[2]?.attachments).toMatchObject([{ name: 'a.txt' }]);
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain('what is in it');
});

test('a queue has an end', async () => {
  const { chat } = await stage.chat('ask');
  stage.model.reply(['hang']);
  await stage.send(chat, 'First');
  for (let count = 0; count < 100; count++) await wait(chat, `Message ${count}`);
  await expect(wait(chat, 'One more')).rejects.toMatchObject({ code: 'limit_exceeded' });
  await stage.page.ask('chat:cancel', { chatId: chat.id });
});

test('after a kill what waited still waits, in order, and is sent when a person says so', async () => {
  const fixture = fileURLToPath(new URL('fixtures/program.mjs', import.meta.url));
  const dataDir = await tempFolder();
  const child = spawn(process.execPath, [fixture, dataDir, stage.model.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  const page = await TestPage.open({ url });
  const app = await page.ask('add-app', { path: await tempFolder() });
  const { id: chatId } = await page.ask('create-chat', { appId: app.id, mode: 'ask' });
  await page.ask('update-chat', { chatId, model: stage.model.modelId });
  const before = stage.model.requests.length;
  stage.model.reply(['hang']);
  await page.ask('chat:stream', { chatId, text: 'First', uploads: [] });
  for (const text of ['Second', 'Third']) await page.ask('queue-message', { chatId, text, uploads: [] });
  await expect.poll(() => stage.model.requests.length).toBe(before + 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const again = await Stage.start({
    dataDir,
    turns: { models: { local: [{ url: stage.model.url, name: 'Scripted' }] } },
  });
  const { queue, messages } = await again.page.ask('get-chat', { chatId });
  expect(queue.map(({ text }) => text)).toEqual(['Second', 'Third']);
  expect(messages.map(({ state }) => state)).toEqual(['complete', 'interrupted']);
  stage.model.reply([{ text: 'Two.' }], [{ text: 'Three.' }]);
  await again.page.ask('send-queued', { chatId, id: queue[0]!.id });
  await expect
    .poll(async () => (await again.page.ask('get-chat', { chatId })).messages.map(textOf).slice(2))
    .toEqual(['Second', 'Two.', 'Third', 'Three.']);
});
