import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Chat, Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git } from '../changes/apps.ts';
import { partsOf, Stage, textOf } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

const write = (path: string, content: string): string =>
  `<agent-write path="${path}" description="">\n${content}</agent-write>`;

async function gitChat(files: Record<string, string> = { 'a.txt': 'one\n' }): Promise<{ chat: Chat; appPath: string }> {
  const made = await stage.chat('build', files);
  await stage.page.ask('init-git', { appId: made.chat.appId });
  return made;
}

/** A message, an answer that changes a.txt, and its approval. */
async function change(chat: Chat, text: string, content: string): Promise<Message> {
  stage.model.reply([{ text: write('a.txt', content) }]);
  const answer = await stage.answer(chat, text);
  await stage.page.ask('approve-proposal', { chatId: chat.id, messageId: answer.id });
  return answer;
}

const idsOf = async (chat: Chat, text: string): Promise<{ chatId: string; messageId: string }> => {
  const found = (await stage.messages(chat)).find((message) => message.role === 'user' && textOf(message) === text);
  return { chatId: chat.id, messageId: found!.id };
};

/** Waits for the answer in the chat that was continued. */
async function ended(chat: Chat): Promise<Message[]> {
  await stage.page.ended((await stage.messages(chat)).at(-1)!.id);
  return await stage.messages(chat);
}

test('an edited message goes on in a new chat, with the files of that time, and the old chat stays as it was', async () => {
  const { chat, appPath } = await gitChat();
  await change(chat, 'First', 'two\n');
  await change(chat, 'Second', 'three\n');
  await change(chat, 'Third', 'four\n');
  const before = await stage.messages(chat);
  const ids = await idsOf(chat, 'Second');
  await writeFile(join(appPath, 'mine.txt'), 'mine\n');
  const { before: count, wayBack } = await stage.page.ask('read-checkpoint', ids);
  expect(count).toBe(2);
  expect(wayBack).toMatchObject({
    isOfBranch: true,
    more: 0,
    own: 1,
    changed: [
      { path: 'a.txt', change: 'changed' },
      { path: 'mine.txt', change: 'deleted' },
    ],
  });
  stage.model.reply([{ text: 'As you say.' }]);
  const { commit, seen } = wayBack!;
  const head = git(appPath, 'rev-parse', 'HEAD').trim();
  const made = await stage.page.ask('go-on-from', {
    ...ids,
    text: 'Second, but well',
    attachments: [],
    back: { commit, seen },
  });
  const messages = await ended(made.chat);
  expect(messages.map(textOf).map((text) => text.slice(0, 16))).toEqual([
    'First',
    '',
    'Second, but well',
    'As you say.',
  ]);
  expect(made.chat.continuedFrom).toMatchObject({ ...ids, files: 'back', to: commit });
  expect(made.chat.title).not.toBe(chat.title);
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('two\n');
  expect(existsSync(join(appPath, 'mine.txt'))).toBe(false);
  // The person's own changes, and then one commit; both came on top of what was there.
  expect(git(appPath, 'log', '--format=%s', `${head}..HEAD`).trim().split('\n')).toEqual([
    expect.stringMatching(/^\[agent\] Go back to /),
    'Changes made by hand - 1 file(s)',
  ]);
  expect(await stage.messages(chat)).toEqual(before);
  // The model got the history up to there, and nothing of what came later.
  const sent = JSON.stringify(stage.model.requests.at(-1)?.messages);
  expect(sent).toContain('First');
  expect(sent).not.toContain('Third');
  await stage.page.ask('undo-version', { appId: chat.appId, commit: made.undo! });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('four\n');
  expect(await readFile(join(appPath, 'mine.txt'), 'utf8')).toBe('mine\n');
});

test('attachments go along as the person chose, mentions are read anew, and both chats have files of their own', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'old\n' });
  const uploads = [
    await stage.upload(chat, 'one.log', 'first file\n'),
    await stage.upload(chat, 'two.log', 'second\n'),
  ];
  stage.model.reply([{ text: 'Read.' }]);
  await stage.answer(chat, 'See @a.txt', uploads);
  await writeFile(join(appPath, 'a.txt'), 'new\n');
  const ids = await idsOf(chat, 'See @a.txt');
  stage.model.reply([{ text: 'Read again.' }]);
  const asked = { ...ids, text: 'Look at @a.txt', attachments: ['one.log'], back: null };
  const { chat: next, undo } = await stage.page.ask('go-on-from', asked);
  expect(undo).toBeNull();
  const messages = await ended(next);
  expect(messages[0]?.attachments.map(({ name }) => name)).toEqual(['one.log']);
  const sent = JSON.stringify(stage.model.requests.at(-1)?.messages);
  for (const part of ['Look at @a.txt', 'new\\n', 'first file']) expect(sent).toContain(part);
  expect(sent).not.toContain('second');
  // A file that is taken off one chat stays in the other.
  await stage.page.ask('remove-attachment', { chatId: chat.id, name: 'one.log' });
  const { path } = messages[0]!.attachments[0]!;
  expect(await readFile(path!, 'utf8')).toBe('first file\n');
  await expect(stage.page.ask('go-on-from', { ...asked, attachments: ['one.log'] })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect((await stage.page.ask('list-chats', { appId: chat.appId })).map(({ id }) => id).sort()).toEqual(
    [chat.id, next.id].sort(),
  );
});

test('a later message with attachments in the history is copied with them, and scripts can read them there', async () => {
  const { chat } = await gitChat();
  await stage.page.ask('update-chat', { chatId: chat.id, mode: 'agent' });
  const upload = await stage.upload(chat, 'some.log', 'a line to find\n');
  stage.model.reply([{ text: 'Seen.' }]);
  await stage.answer(chat, 'Here', [upload]);
  stage.model.reply([{ text: 'Yes.' }]);
  await stage.answer(chat, 'And now?');
  stage.model.reply([{ call: 'read_file', args: { path: 'attachments:some.log' } }], [{ text: 'Found.' }]);
  const asked = { ...(await idsOf(chat, 'And now?')), text: 'Find it', attachments: [], back: null };
  const { chat: next } = await stage.page.ask('go-on-from', asked);
  const messages = await ended(next);
  expect(messages[0]?.attachments.map(({ name }) => name)).toEqual(['some.log']);
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain('a line to find');
});

test('a version that is gone, links, a folder without git and an old message are said, and nothing is done', async () => {
  const { chat, appPath } = await gitChat();
  await change(chat, 'First', 'two\n');
  const first = await idsOf(chat, 'First');
  expect((await stage.page.ask('read-checkpoint', first)).wayBack).not.toBeNull();
  const { commit, seen } = (await stage.page.ask('read-checkpoint', first)).wayBack!;
  // Another branch without that history: it can still go back, and it is said.
  git(appPath, 'checkout', '-q', '--orphan', 'other');
  git(appPath, 'commit', '-qm', 'all new');
  expect((await stage.page.ask('read-checkpoint', first)).wayBack).toMatchObject({ isOfBranch: false });
  // Then git removes it.
  git(appPath, 'branch', '-D', 'main');
  execFileSync('git', ['-C', appPath, 'reflog', 'expire', '--expire=now', '--all']);
  execFileSync('git', ['-C', appPath, 'gc', '-q', '--prune=now']);
  const gone = await stage.page.ask('read-checkpoint', first);
  expect(gone.wayBack).toBeNull();
  expect(gone.why).toContain('is not in git any more');
  const asked = { ...first, text: 'Again', attachments: [], back: { commit, seen } };
  const chats = (await stage.page.ask('list-chats', { appId: chat.appId })).length;
  await expect(stage.page.ask('go-on-from', asked)).rejects.toMatchObject({ code: 'not_found' });
  // A commit that is not that of the message is none of a page's to choose.
  const head = git(appPath, 'rev-parse', 'HEAD').trim();
  await expect(stage.page.ask('go-on-from', { ...asked, back: { commit: head, seen } })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect((await stage.page.ask('list-chats', { appId: chat.appId })).length).toBe(chats);
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('two\n');

  const plain = await stage.chat('ask', { 'a.txt': 'one\n' });
  stage.model.reply([{ text: 'Yes.' }]);
  await stage.answer(plain.chat, 'Hi');
  expect(await stage.page.ask('read-checkpoint', await idsOf(plain.chat, 'Hi'))).toMatchObject({
    before: 0,
    wayBack: null,
    why: expect.stringContaining('no git') as string,
  });
  const answer = (await stage.messages(plain.chat)).at(-1)!;
  await expect(
    stage.page.ask('read-checkpoint', { chatId: plain.chat.id, messageId: answer.id }),
  ).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a link in one of the two versions is said before, and refused', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  stage.model.reply([{ text: 'Yes.' }]);
  await stage.answer(chat, 'Hi');
  await rm(join(appPath, 'b.txt'));
  await symlink('a.txt', join(appPath, 'b.txt'));
  git(appPath, 'add', '-A');
  git(appPath, 'commit', '-qm', 'a link');
  const { wayBack, why } = await stage.page.ask('read-checkpoint', await idsOf(chat, 'Hi'));
  expect(wayBack).toBeNull();
  expect(why).toContain('b.txt is a link');
});

test('files that changed since the dialog was read are not taken back; two windows do it once', async () => {
  const { chat, appPath } = await gitChat();
  await change(chat, 'First', 'two\n');
  const ids = await idsOf(chat, 'First');
  const look = async () => (await stage.page.ask('read-checkpoint', ids)).wayBack!;
  const { commit, seen } = await look();
  await writeFile(join(appPath, 'b.txt'), 'new\n');
  const asked = { ...ids, text: 'Again', attachments: [], back: { commit, seen } };
  await expect(stage.page.ask('go-on-from', asked)).rejects.toMatchObject({ code: 'changed' });
  expect(await readFile(join(appPath, 'b.txt'), 'utf8')).toBe('new\n');
  const back = { commit, seen: (await look()).seen };
  stage.model.reply([{ text: 'So.' }], [{ text: 'So.' }]);
  const both = await Promise.allSettled([
    stage.page.ask('go-on-from', { ...asked, back }),
    stage.page.ask('go-on-from', { ...asked, back }),
  ]);
  const made = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(made).toHaveLength(1);
  await ended(made[0]!.chat);
  expect(git(appPath, 'log', '--format=%s').match(/Go back to/g)).toHaveLength(1);
  expect(await stage.page.ask('list-chats', { appId: chat.appId })).toHaveLength(2);
  stage.model.clear();
});

test('while an answer is under way nothing goes on, and what is still to be decided stays with the old chat', async () => {
  const { chat, appPath } = await gitChat();
  stage.model.reply([{ text: write('a.txt', 'two\n') }]);
  const open = await stage.answer(chat, 'First');
  stage.model.reply([{ text: 'Half' }, 'hang']);
  const { messageId } = await stage.send(chat, 'Second');
  await stage.page.until('chat:response:chunk', (chunk) => chunk.messageId === messageId);
  const asked = { ...(await idsOf(chat, 'Second')), text: 'Other', attachments: [], back: null };
  await expect(stage.page.ask('go-on-from', asked)).rejects.toMatchObject({ code: 'busy' });
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  await stage.page.ended(messageId);
  stage.model.reply([{ text: 'Other it is.' }]);
  const { chat: next } = await stage.page.ask('go-on-from', asked);
  const messages = await ended(next);
  expect(messages[1]?.proposal?.state).toBe('rejected');
  await expect(
    stage.page.ask('approve-proposal', { chatId: next.id, messageId: messages[1]!.id }),
  ).rejects.toMatchObject({ code: 'changed' });
  await stage.page.ask('approve-proposal', { chatId: chat.id, messageId: open.id });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('two\n');
  await expect(stage.page.ask('go-on-from', { ...asked, text: '  ' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('a plan goes along with its ticks, and each chat follows its own from there', async () => {
  const { chat } = await gitChat();
  await stage.page.ask('update-chat', { chatId: chat.id, mode: 'plan' });
  stage.model.reply([{ text: '<agent-plan>\n1. One\n2. Two\n3. Three\n</agent-plan>' }]);
  const { id: messageId } = await stage.answer(chat, 'Plan it');
  stage.model.reply([{ text: 'Done. <agent-step-done step="1"></agent-step-done>' }]);
  await stage.page.ask('approve-work-plan', { chatId: chat.id, messageId, revision: 0, mode: 'build' });
  await ended(chat);
  stage.model.reply([{ text: 'Done. <agent-step-done step="2"></agent-step-done>' }]);
  await stage.answer(chat, 'Go on');
  stage.model.reply([{ text: 'Done. <agent-step-done step="3"></agent-step-done>' }]);
  const asked = { ...(await idsOf(chat, 'Go on')), text: 'Three first', attachments: [], back: null };
  const { chat: next } = await stage.page.ask('go-on-from', asked);
  const messages = await ended(next);
  const sent = JSON.stringify(stage.model.requests.at(-1)?.messages.at(-1));
  expect(sent).toContain('1. [x] One\\n2. [ ] Two\\n3. [ ] Three');
  const plan = messages.find(({ workPlan }) => workPlan !== null)!;
  expect(messages.flatMap((message) => partsOf(message, 'step')).map((part) => [part.plan, part.step])).toEqual([
    [plan.id, 0],
    [plan.id, 2],
  ]);
});

test('a chat that a kill has left half made is not there, and the next start removes it', async () => {
  const { chat } = await gitChat();
  const { database } = stage.program.services;
  const now = new Date().toISOString();
  // As it is while the files are copied: the row counts as deleted.
  await database.run(
    `INSERT INTO chats (id, app_id, title, mode, created_at, updated_at, deleted_at)
     VALUES ('half', '${chat.appId}', 'half', 'build', '${now}', '${now}', '${now}')`,
  );
  expect((await stage.page.ask('list-chats', { appId: chat.appId })).map(({ id }) => id)).toEqual([chat.id]);
  expect((await stage.program.services.chats.listDeleted()).map(({ id }) => id)).toContain('half');
});
