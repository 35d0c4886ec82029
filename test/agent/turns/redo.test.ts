import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Chat, Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git } from '../changes/apps.ts';
import { load, Stage, TestPage } from './support.ts';

const gitRoom =
  await load<typeof import('../../../packages/desktop-agent/src/server/git/index.ts')>('server/git/index.js');

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

interface Changed {
  chat: Chat;
  appPath: string;
  answers: Message[];
}

/** A chat whose answers have made `a.txt` one after the other of these. */
async function changed(...contents: string[]): Promise<Changed> {
  const { chat, appPath } = await stage.chat('build', { 'a.txt': 'zero\n' });
  await stage.page.ask('init-git', { appId: chat.appId });
  const answers: Message[] = [];
  for (const content of contents) {
    stage.model.reply([{ text: `<agent-write path="a.txt" description="">\n${content}</agent-write>` }]);
    const { id: messageId } = await stage.answer(chat, 'Change it');
    answers.push(await stage.page.ask('approve-proposal', { chatId: chat.id, messageId }));
  }
  return { chat, appPath, answers };
}

const contentOf = async (appPath: string): Promise<string> => await readFile(join(appPath, 'a.txt'), 'utf8');
const undoneIn = async (chat: Chat): Promise<unknown[]> =>
  (await stage.messages(chat)).flatMap(({ proposal }) => (proposal === null ? [] : [proposal.undone]));

test('turns are undone and done again in order, and each commit says which', async () => {
  const { chat, appPath, answers } = await changed('one\n', 'two\n');
  const { id: chatId } = chat;
  await stage.page.ask('undo-turn', { chatId });
  await stage.page.ask('undo-turn', { chatId });
  expect(await contentOf(appPath)).toBe('zero\n');
  await stage.page.ask('redo-turn', { chatId });
  expect(await contentOf(appPath)).toBe('one\n');
  const version = await stage.page.ask('redo-turn', { chatId });
  expect(await contentOf(appPath)).toBe('two\n');
  const { commit: done } = answers[1]!;
  expect(version.message).toMatch(new RegExp(`^\\[agent\\] Redo ${done!.slice(0, 10)}: (?!.*Undo)`));
  expect(await undoneIn(chat)).toEqual([undefined, undefined]);
  await expect(stage.page.ask('redo-turn', { chatId })).rejects.toMatchObject({ code: 'not_found' });
  // What was done again can be undone again.
  await stage.page.ask('undo-turn', { chatId });
  expect(await contentOf(appPath)).toBe('one\n');
});

test('two windows, or two presses, undo and do again one turn and not two', async () => {
  const { chat, appPath, answers } = await changed('one\n', 'two\n');
  const other = await TestPage.open(stage.program);
  const asked = { chatId: chat.id, messageId: answers[1]!.id };
  for (const [channel, content] of [
    ['undo-turn', 'one\n'],
    ['redo-turn', 'two\n'],
  ] as const) {
    const both = await Promise.allSettled([stage.page.ask(channel, asked), other.ask(channel, asked)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find((one) => one.status === 'rejected');
    expect(['changed', 'not_found']).toContain((refused?.reason as { code?: string } | undefined)?.code);
    expect(await contentOf(appPath)).toBe(content);
  }
  await other.close();
});

test('an own change in between is neither lost nor overwritten, and it is said what stands in the way', async () => {
  const { chat, appPath } = await changed('one\n');
  const { id: chatId } = chat;
  await stage.page.ask('undo-turn', { chatId });
  await writeFile(join(appPath, 'a.txt'), 'mine\n');
  await writeFile(join(appPath, 'b.txt'), 'also mine\n');
  const head = git(appPath, 'rev-parse', 'HEAD');
  await expect(stage.page.ask('redo-turn', { chatId })).rejects.toMatchObject({
    code: 'changed',
    message: expect.stringMatching(/^a\.txt was changed after the turn was undone/) as string,
  });
  expect(await contentOf(appPath)).toBe('mine\n');
  expect(git(appPath, 'rev-parse', 'HEAD')).toBe(head);
  await writeFile(join(appPath, 'a.txt'), 'zero\n');
  await stage.page.ask('redo-turn', { chatId });
  expect(await contentOf(appPath)).toBe('one\n');
  expect(await readFile(join(appPath, 'b.txt'), 'utf8')).toBe('also mine\n');
});

test('after a kill between the commit and the message, undo and redo go on where they were', async () => {
  const { chat, appPath, answers } = await changed('one\n', 'two\n');
  const { id: chatId } = chat;
  // As the kill leaves it: the commit is made, and no message knows of it.
  const cut = await gitRoom.undoCommit(appPath, answers[1]!.commit!);
  const version = await stage.page.ask('undo-turn', { chatId });
  expect(version.commit).toBe(cut.commit);
  expect(await undoneIn(chat)).toEqual([undefined, cut.commit]);
  await stage.page.ask('undo-turn', { chatId });
  expect(await contentOf(appPath)).toBe('zero\n');
  await stage.page.ask('redo-turn', { chatId });
  await gitRoom.redoCommit(appPath, cut.commit);
  await expect(stage.page.ask('redo-turn', { chatId })).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await undoneIn(chat)).toEqual([undefined, undefined]);
  expect(await contentOf(appPath)).toBe('two\n');
});
