import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Chat, Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git } from '../changes/apps.ts';
import { partsOf, Stage, textOf } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
beforeEach(async () => {
  stage.page.onQuestion = undefined;
  await stage.page.ask('update-settings', { autoApprove: false, autoFix: false });
});

async function gitChat(files: Record<string, string>, mode: 'build' | 'agent' = 'build') {
  const made = await stage.chat(mode, files);
  await stage.page.ask('init-git', { appId: made.chat.appId });
  return made;
}

const block = (search: string, replacement: string): string =>
  `<<<<<<< SEARCH\n${search}=======\n${replacement}>>>>>>> REPLACE\n`;
const edit = (path: string, body: string): string =>
  `<agent-edit path="${path}" description="For the test">\n${body}</agent-edit>\n`;
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
const many = lines(40);
const both = edit('a.txt', block('line 3\n', 'THREE\n') + block('line 33\n', 'THIRTY-THREE\n'));

async function answered(chat: Chat, text: string): Promise<Message> {
  // In pieces that cut tags and marks.
  stage.model.reply((text.match(/[^]{1,7}/g) ?? []).map((piece) => ({ text: piece })));
  return await stage.answer(chat, 'Change it');
}
/** What the model was told last, beside what it had said itself. */
const told = (): string => JSON.stringify(stage.model.requests.at(-1)?.messages);

test('an edit is approved by hunk, nothing else is written, and the model is told what was left out', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': many, 'b.txt': 'b\n' });
  const diff = '--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n';
  const message = await answered(chat, both + edit('', diff) + '<agent-chat-summary>Edit</agent-chat-summary>');
  expect(partsOf(message, 'tool').map(({ title, state }) => `${title} ${state}`)).toEqual([
    'Edit a.txt done',
    'Edit files by a diff done',
  ]);
  expect(message.proposal?.files.map(({ path, hunks }) => `${path} ${hunks.length}`)).toEqual(['a.txt 2', 'b.txt 1']);
  const approved = await stage.page.ask('approve-proposal', {
    chatId: chat.id,
    messageId: message.id,
    choice: { files: [{ path: 'a.txt', hunks: [1] }], dependencies: true },
  });
  expect(approved.proposal).toMatchObject({ state: 'approved', declined: ['1 of 2 hunks of a.txt', 'b.txt'] });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe(many.replace('line 33\n', 'THIRTY-THREE\n'));
  expect(await readFile(join(appPath, 'b.txt'), 'utf8')).toBe('b\n');
  expect(git(appPath, 'log', '-1', '--format=%s')).toBe('[agent] Edit - wrote 1 file(s)\n');
  expect(git(appPath, 'status', '--porcelain')).toBe('');
  await answered(chat, 'Yes.');
  expect(told()).toContain('approved a part of it and left these out: \\"1 of 2 hunks of a.txt\\", \\"b.txt\\"');
  await stage.page.ask('undo-turn', { chatId: chat.id });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe(many);
});

test('what the person edits is what is applied, and only who has seen it can approve it', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': many });
  const message = await answered(chat, both);
  const ids = { chatId: chat.id, messageId: message.id };
  const { content, revision } = await stage.page.ask('read-proposed-file', { ...ids, path: 'a.txt' });
  expect(content).toContain('THREE');
  const edited = { ...ids, path: 'a.txt', content: content.replace('THREE', 'Three'), revision };
  const saved = await stage.page.ask('edit-proposed-file', edited);
  expect(saved.proposal).toMatchObject({ state: 'pending', revision: 1, files: [{ edited: true }] });
  await expect(stage.page.ask('edit-proposed-file', edited)).rejects.toMatchObject({ code: 'changed' });
  await expect(stage.page.ask('approve-proposal', ids)).rejects.toMatchObject({ code: 'changed' });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe(many);
  // An edit that comes while it is applied is refused, or was made before and nobody has seen it: never both.
  const [approved, late] = await Promise.allSettled([
    stage.page.ask('approve-proposal', { ...ids, revision: 1 }),
    stage.page.ask('edit-proposed-file', { ...edited, revision: 1, content: 'late\n' }),
  ]);
  expect(approved).toMatchObject({ status: 'fulfilled', value: { proposal: { state: 'approved' } } });
  expect(late).toMatchObject({ status: 'rejected' });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe(
    many.replace('line 3\n', 'Three\n').replace('line 33\n', 'THIRTY-THREE\n'),
  );
  await expect(stage.page.ask('read-proposed-file', { ...ids, path: 'a.txt' })).rejects.toMatchObject({
    code: 'changed',
  });
  await answered(chat, 'Yes.');
  expect(told()).toContain('The person changed these files before they were applied: \\"a.txt\\"');
});

test('a part that cannot be applied leaves the whole proposal to be decided about', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': many, 'b.txt': 'b\n' });
  const message = await answered(chat, both + edit('b.txt', block('b\n', 'c\n')));
  const ids = { chatId: chat.id, messageId: message.id };
  const only = (path: string, hunks: number[]) => ({ files: [{ path, hunks }], dependencies: true });
  await expect(stage.page.ask('approve-proposal', { ...ids, choice: only('x.txt', []) })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  await writeFile(join(appPath, 'a.txt'), many.replace('line 3\n', 'by hand\n'));
  const failed = await stage.page.ask('approve-proposal', { ...ids, choice: only('a.txt', [0]) });
  expect(failed.proposal).toMatchObject({ state: 'failed', files: [{ path: 'a.txt' }, { path: 'b.txt' }] });
  expect(failed.proposal?.files[0]?.hunks).toHaveLength(2);
  expect(failed.proposal?.declined).toBeUndefined();
  // The other hunk does not touch what was changed by hand.
  const approved = await stage.page.ask('approve-proposal', { ...ids, choice: only('a.txt', [1]) });
  expect(approved.proposal?.error).toBeUndefined();
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe(
    many.replace('line 3\n', 'by hand\n').replace('line 33\n', 'THIRTY-THREE\n'),
  );
});

test('an edit that does not fit goes back to the model with the reason, and what fits stays', async () => {
  await stage.page.ask('update-settings', { autoFix: true });
  const { chat } = await gitChat({ 'a.txt': many, 'b.txt': 'b\nb\n' });
  stage.model.reply(
    [{ text: both + edit('b.txt', block('b\n', 'c\n')) }],
    [{ text: edit('b.txt', block('b\nb\n', 'b\nc\n')) }],
  );
  const requests = stage.model.requests.length;
  const message = await stage.answer(chat, 'Change it');
  expect(stage.model.requests.length).toBe(requests + 2);
  expect(told()).toContain('- b.txt: Block 1 fits in 2 places, at the lines 1, 2.');
  expect(textOf(message)).toContain('Some edits do not fit their files (1 of at most 2 attempts');
  expect(message.proposal?.misplaced).toBeUndefined();
  expect(message.proposal?.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
});

test('without that setting it is left out, said to the person, and told to the model with the next message', async () => {
  const { chat } = await gitChat({ 'a.txt': many, 'b.txt': 'b\n' });
  const message = await answered(chat, edit('b.txt', block('b\n', 'c\n')) + edit('a.txt', block('nothing\n', 'x\n')));
  expect(message.proposal?.files.map(({ path }) => path)).toEqual(['b.txt']);
  expect(textOf(message)).toContain('"a.txt" is left out: Block 1: the file has no lines like "nothing"');
  await answered(chat, 'Yes.');
  expect(told()).toContain('These edits do not fit their files');
});

test('a place that is not exact is never applied by the setting', async () => {
  await stage.page.ask('update-settings', { autoApprove: true });
  const { chat, appPath } = await gitChat({ 'a.txt': 'x\n\ty\n' });
  const message = await answered(chat, edit('a.txt', block('    y\n', '    z\n')));
  expect(message.proposal).toMatchObject({ state: 'pending', needsPerson: true });
  expect(message.proposal?.files[0]?.inexact).toEqual(['Block 1 has other white space than the file at line 2']);
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('x\n\ty\n');
});

test('an edit that was cut off is gone on with', async () => {
  const { chat } = await gitChat({ 'a.txt': 'one\ntwo\n' });
  stage.model.reply(
    [{ text: '<agent-edit path="a.txt" description="">\n<<<<<<< SEARCH\none\n=====' }, 'length'],
    [{ text: '==\nfirst\n>>>>>>> REPLACE\n</agent-edit>' }],
  );
  const message = await stage.answer(chat, 'Change it');
  expect(message.proposal?.files[0]).toMatchObject({ path: 'a.txt', added: 1, removed: 1 });
});

test('the tool edits what is on the disk and what was proposed before, and says what does not fit', async () => {
  const { chat } = await gitChat({ 'a.txt': many, '.env': 'KEY=1\n' }, 'agent');
  stage.page.onQuestion = ({ kind }) => (kind === 'write' ? 'allow-once' : undefined);
  const call = (path: string, search: string, replace: string) => ({
    call: 'edit_file',
    args: { path, edits: [{ search, replace }] },
  });
  stage.model.reply(
    [call('a.txt', 'line', 'row')],
    [call('a.txt', 'line 3\n', 'three\n')],
    [call('./a.txt', 'three\n', 'THREE\n')],
    [{ call: 'edit_file', args: { path: 'a.txt', diff: '@@ -99 +99 @@\n-line 5\n+five\n' } }],
    [call('.env', 'KEY=1\n', 'KEY=2\n')],
    [{ call: 'edit_file', args: { path: 'a.txt' } }],
    [{ call: 'delete_file', args: { path: 'a.txt' } }],
    [call('a.txt', 'line 7\n', 'x\n')],
    [{ text: 'Done.' }],
  );
  const message = await stage.answer(chat, 'Change it');
  const results = stage.model.requests
    .at(-1)!
    .messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
  expect(results[0]).toContain('"a.txt" is left out: Block 1: ');
  expect(results[1]).toContain('It is in the proposal');
  expect(results[2]).toContain('It is in the proposal');
  expect(results[3]).toContain('It is in the proposal');
  expect(results[4]).toMatch(/It failed: .*\.env/);
  expect(results[5]).toContain('Give either edits or a diff');
  expect(results[7]).toContain('proposes to remove this file');
  expect(message.proposal?.files.map(({ path, change }) => `${change} ${path}`)).toEqual(['deleted a.txt']);
});
