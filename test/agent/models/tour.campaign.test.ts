import { beforeAll, expect, test } from 'vitest';
import { partsOf, Stage, textOf } from '../turns/support.ts';

let stage: Stage;
beforeAll(async () => {
  // No model anywhere.
  stage = await Stage.start({ turns: { models: { local: [] } } });
});

test('without a model a chat gets the tour, whose script is real', async () => {
  expect((await stage.page.ask('list-models', {})).models.map(({ id }) => id)).toEqual(['tour']);
  const { chat } = await stage.chat('agent');
  await stage.page.ask('update-chat', { chatId: chat.id, model: null });
  stage.page.onQuestion = ({ kind }) => (kind === 'script' ? 'allow-once' : undefined);
  const message = await stage.answer(chat, 'Hello');
  expect(message.error).toBeNull();
  const scripts = partsOf(message, 'script').map(({ record }) => record as { result?: { text: string } });
  expect(scripts).toHaveLength(2);
  const counts = JSON.parse(scripts[0]?.result?.text ?? '') as { code: string; count: number }[];
  // What plain Node counts in the same file.
  const [question] = await stage.messages(chat);
  const { readFile } = await import('node:fs/promises');
  const log = await readFile(question!.attachments[0]!.path!, 'utf8');
  expect(counts[0]?.count).toBe(log.split(` ERROR ${counts[0]?.code} `).length - 1);
  expect(textOf(message)).toContain(`**${counts[0]?.code}**, ${counts[0]?.count.toLocaleString('en')} times`);
  expect(scripts[1]?.result?.text).toContain('"unit":"minute"');
});

test('who says no to the script of the tour is told what that means', async () => {
  const { chat } = await stage.chat('agent');
  await stage.page.ask('update-chat', { chatId: chat.id, model: 'tour' });
  stage.page.onQuestion = () => 'deny';
  expect(textOf(await stage.answer(chat, 'Hello'))).toContain('You said no, so nothing ran');
});

test('in Build the tour proposes a file, in Ask it says what that is', async () => {
  const { chat } = await stage.chat('build');
  await stage.page.ask('update-chat', { chatId: chat.id, model: 'tour' });
  expect((await stage.answer(chat, 'Hello')).proposal?.files.map(({ path }) => path)).toEqual(['TOUR.md']);
  const { chat: other } = await stage.chat('ask');
  await stage.page.ask('update-chat', { chatId: other.id, model: 'tour' });
  expect(textOf(await stage.answer(other, 'Hello'))).toContain('the mode **Ask**');
});
