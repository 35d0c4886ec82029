import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Chat } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
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

async function gitChat(
  files: Record<string, string>,
  mode: 'build' | 'agent' = 'build',
): Promise<{ chat: Chat; appPath: string }> {
  const made = await stage.chat(mode, files);
  await stage.page.ask('init-git', { appId: made.chat.appId });
  return made;
}

const write = (path: string, content: string): string =>
  `<agent-write path="${path}" description="For the test">\n${content}</agent-write>\n`;

test('tags become a proposal, nothing is written before it is approved, and then it is one commit', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const answer = `I change two files.\n${write('a.txt', 'changed\n')}<agent-delete path="b.txt"></agent-delete>\n<agent-chat-summary>Change a, drop b</agent-chat-summary>`;
  // In pieces that cut tags.
  stage.model.reply((answer.match(/[^]{1,7}/g) ?? []).map((text) => ({ text })));
  const message = await stage.answer(chat, 'Change it');
  expect(message.error).toBeNull();
  expect(message.proposal).toMatchObject({ state: 'pending', summary: 'Change a, drop b', problems: null });
  expect(message.proposal?.unchecked).toContain('TypeScript');
  expect(message.proposal?.files.map(({ path, change }) => `${change} ${path}`).toSorted()).toEqual([
    'changed a.txt',
    'deleted b.txt',
  ]);
  expect(partsOf(message, 'tool').map(({ title, state }) => `${title} ${state}`)).toEqual([
    'Write a.txt done',
    'Delete b.txt done',
  ]);
  expect(textOf(message)).not.toContain('<agent');
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('one\n');
  expect((await stage.page.ask('list-chats', { appId: chat.appId }))[0]?.title).toBe('Change a, drop b');
  // Two windows at once: it is done once.
  const ids = { chatId: chat.id, messageId: message.id };
  const [first, second] = await Promise.all([
    stage.page.ask('approve-proposal', ids),
    stage.page.ask('approve-proposal', ids),
  ]);
  expect(first.proposal?.error).toBeUndefined();
  expect(first.proposal?.state).toBe('approved');
  expect(second).toEqual(first);
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('changed\n');
  await expect(readFile(join(appPath, 'b.txt'))).rejects.toThrow('ENOENT');
  const { versions, more } = await stage.page.ask('list-versions', { appId: chat.appId });
  expect(more).toBe(false);
  expect(versions[0]).toMatchObject({ commit: first.commit, messageId: message.id });
  await expect(stage.page.ask('reject-proposal', ids)).rejects.toMatchObject({ code: 'changed' });
  // Those of one chat are found by what it made, not among the last of all.
  const other = await stage.page.ask('create-chat', { appId: chat.appId });
  const ofChat = async (chatId: string): Promise<string[]> =>
    (await stage.page.ask('list-versions', { appId: chat.appId, chatId })).versions.map(({ commit }) => commit);
  expect((await ofChat(chat.id))[0]).toBe(first.commit);
  expect((await ofChat(other.id)).filter((commit) => commit !== other.initialCommit)).toEqual([]);
});

test('a proposal that is rejected stays rejected', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n' });
  stage.model.reply([{ text: write('a.txt', 'changed\n') }]);
  const { id: messageId } = await stage.answer(chat, 'Change it');
  const ids = { chatId: chat.id, messageId };
  expect((await stage.page.ask('reject-proposal', ids)).proposal?.state).toBe('rejected');
  expect((await stage.page.ask('reject-proposal', ids)).proposal?.state).toBe('rejected');
  await expect(stage.page.ask('approve-proposal', ids)).rejects.toMatchObject({ code: 'changed' });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('one\n');
});

test('an answer that ends inside of a file is gone on with, at most twice', async () => {
  const { chat } = await gitChat({ 'a.txt': 'one\n' });
  stage.model.reply(
    [{ text: '<agent-write path="a.txt" description="">\nfirst line\nsecond' }, 'length'],
    [{ text: ' line\nthird line\n' }, 'length'],
    [{ text: 'last line\n</agent-write>' }],
  );
  const message = await stage.answer(chat, 'Write it');
  expect(
    message.proposal?.files[0]?.hunks[0]?.lines.flatMap(({ kind, text }) => (kind === 'added' ? [text] : [])),
  ).toEqual(['first line', 'second line', 'third line', 'last line']);
  stage.model.reply(
    [{ text: '<agent-write path="a.txt" description="">\nfirst' }, 'length'],
    [{ text: ' and' }, 'length'],
    [{ text: ' more' }, 'length'],
  );
  const cut = await stage.answer(chat, 'Again');
  expect(cut.proposal).toBeNull();
  expect(partsOf(cut, 'tool')).toMatchObject([{ title: 'Write a.txt', state: 'failed' }]);
  // The next turn sees one answer, and not how it was pieced together.
  stage.model.reply([{ text: 'Yes.' }]);
  await stage.answer(chat, 'And?');
  expect(stage.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
});

test('the last ten turns are sent, and the rules of the app with its files', async () => {
  const { chat } = await stage.chat('build', {
    'AI_RULES.md': 'Write like a pirate.',
    'src/a.ts': 'export const a = 1;\n',
  });
  for (let turn = 0; turn < 12; turn++) {
    stage.model.reply([{ text: `answer ${turn}` }]);
    await stage.answer(chat, `question ${turn}`);
  }
  const { messages } = stage.model.requests.at(-1)!;
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(11);
  expect(messages[1]).toMatchObject({ role: 'user', content: 'question 1' });
  const system = JSON.stringify(messages[0]);
  expect(system).toContain('like a pirate');
  expect(system).toContain('export const a = 1;');
});

test('write tools ask, and make one proposal of the message', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, 'agent');
  const asked: string[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind !== 'write' || question.chatId !== chat.id) return undefined;
    asked.push(question.title);
    return question.title.startsWith('Delete') ? 'deny' : 'allow-once';
  };
  stage.model.reply(
    [
      { call: 'write_file', args: { path: 'c.txt', content: 'new\n' } },
      { call: 'delete_file', args: { path: 'b.txt' } },
      { call: 'write_file', args: { path: '../outside.txt', content: 'no' } },
      { call: 'write_file', args: { path: '.git/config', content: 'no' } },
    ],
    [{ call: 'rename_file', args: { from: 'a.txt', to: 'd.txt' } }],
    [
      { call: 'read_file', args: { path: 'c.txt' } },
      { call: 'read_file', args: { path: 'd.txt' } },
    ],
    [{ text: 'Add c.txt. Then more.' }],
  );
  const message = await stage.answer(chat, 'Change it');
  expect(asked).toEqual(['Write c.txt', 'Delete b.txt', 'Rename a.txt to d.txt']);
  expect(partsOf(message, 'tool').map(({ name, state }) => `${name} ${state}`)).toEqual([
    'write_file done',
    'delete_file denied',
    'write_file failed',
    'write_file failed',
    'rename_file done',
    'read_file done',
    'read_file done',
  ]);
  const results = stage.model.requests
    .at(-1)!
    .messages.filter(({ role }) => role === 'tool')
    .slice(-2);
  expect(results.map(({ content }) => content)).toEqual(['new', 'one']);
  expect(message.proposal).toMatchObject({ state: 'pending', summary: 'Add c.txt' });
  await expect(readFile(join(appPath, 'c.txt'))).rejects.toThrow('ENOENT');
  const approved = await stage.page.ask('approve-proposal', { chatId: chat.id, messageId: message.id });
  expect(approved.proposal?.state).toBe('approved');
  expect(await readFile(join(appPath, 'd.txt'), 'utf8')).toBe('one\n');
});

test('the setting approves by itself, but no dependencies and nothing that cannot be shown whole', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n' });
  await stage.page.ask('update-settings', { autoApprove: true });
  stage.model.reply([{ text: write('a.txt', 'changed\n') }]);
  const { messageId } = await stage.send(chat, 'Change it');
  const { message } = await stage.page.until(
    'chat:message',
    ({ message }) => message.id === messageId && message.proposal?.state === 'approved',
  );
  expect(message.commit).not.toBeNull();
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('changed\n');
  stage.model.reply([
    { text: `${write('a.txt', 'again\n')}<agent-add-dependency packages="zod"></agent-add-dependency>` },
  ]);
  const other = await stage.answer(chat, 'Add zod');
  expect(other.proposal).toMatchObject({ state: 'pending', dependencies: ['zod'] });
  stage.model.reply([{ text: write('a.txt', 'pad\n'.repeat(110_000)) }]);
  const large = await stage.answer(chat, 'Pad it');
  expect(large.proposal).toMatchObject({ state: 'pending', files: [{ hidden: 'large', unshown: 109_750 }] });
});

test('the setting approves nothing whose types could not be checked', async () => {
  // Of a version that is not asked.
  const typescript = { 'tsconfig.json': '{}', 'node_modules/typescript/package.json': '{ "version": "3.9.0" }' };
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n', ...typescript });
  await stage.page.ask('update-settings', { autoApprove: true });
  stage.model.reply([{ text: write('a.txt', 'changed\n') }]);
  const { proposal } = await stage.answer(chat, 'Change it');
  expect(proposal).toMatchObject({ problems: null, needsPerson: true });
  // The next answer begins when all of this one has ended.
  stage.model.reply([{ text: 'Yes.' }]);
  await stage.answer(chat, 'Was it applied?');
  expect((await stage.messages(chat))[1]?.proposal?.state).toBe('pending');
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('one\n');
});

test('the setting approves nothing that runs by itself or steers a model', async () => {
  const manifest = { name: 'a', version: '1.0.0', scripts: { test: 'vitest' } };
  const json = (change: object): string => JSON.stringify({ ...manifest, ...change });
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n', 'package.json': json({}), 'CLAUDE.md': 'Be careful.\n' });
  await stage.page.ask('update-settings', { autoApprove: true });
  const later = { scripts: { ...manifest.scripts, postinstall: 'node a.txt' } };
  const changes = [
    ...['.vscode/tasks.json', '.husky/pre-commit', '.devcontainer/devcontainer.json', '.mcp.json', 'AI_RULES.md'],
    ...['.github/workflows/ci.yml', '.pnpmfile.cjs', 'sub/AGENTS.md', '.gitattributes', 'vite.config.ts', 'Makefile'],
  ].map((path) => write(path, 'x\n'));
  changes.push(write('package.json', json(later)), write('package.json', json({ dependencies: { a: '1' } })));
  changes.push(
    '<agent-delete path="CLAUDE.md"></agent-delete>',
    '<agent-rename from="a.txt" to=".bashrc"></agent-rename>',
  );
  for (const change of changes) {
    stage.model.reply([{ text: change }]);
    const { proposal } = await stage.answer(chat, 'Change it');
    expect([change, proposal?.error, proposal?.state, proposal?.files[0]?.runs]).toEqual([
      change,
      undefined,
      'pending',
      expect.stringMatching(/\w/),
    ]);
  }
  // What only tells about a package is applied, and so everything before it would have been.
  stage.model.reply([{ text: write('package.json', json({ version: '1.0.1' })) }]);
  const { messageId } = await stage.send(chat, 'Raise the version');
  await stage.page.until(
    'chat:message',
    ({ message }) => message.id === messageId && message.proposal?.state === 'approved',
  );
  expect(await readFile(join(appPath, 'package.json'), 'utf8')).toBe(json({ version: '1.0.1' }));
  const states = (await stage.messages(chat)).flatMap(({ proposal }) => proposal?.state ?? []);
  expect(states.filter((state) => state === 'approved')).toHaveLength(1);
});

test('one refused file of a good answer is left out, and the person and the model are told', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n' });
  await stage.page.ask('update-settings', { autoApprove: true });
  stage.model.reply([{ text: write('a.txt', 'changed\n') + write('.env', 'KEY=1\n') + write('/etc/x', 'x\n') }]);
  const message = await stage.answer(chat, 'Change it');
  expect(message.proposal).toMatchObject({ state: 'pending', leftOut: ['.env', '/etc/x'], files: [{ path: 'a.txt' }] });
  expect(textOf(message)).toMatch(/"\.env" is left out: .*denylist[^]*"\/etc\/x" is left out: .*absolute/);
  stage.model.reply([{ text: 'I see.' }]);
  await stage.answer(chat, 'And?');
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain('because these changes are refused');
  await stage.page.ask('approve-proposal', { chatId: chat.id, messageId: message.id });
  expect(await readFile(join(appPath, 'a.txt'), 'utf8')).toBe('changed\n');
  await expect(readFile(join(appPath, '.env'))).rejects.toThrow('ENOENT');
});

test('Undo goes back further than one turn and can be redone, and card and model know; also of a reset outside', async () => {
  const { chat, appPath } = await gitChat({ 'a.txt': 'one\n' });
  await stage.page.ask('update-settings', { autoApprove: false });
  const ids: string[] = [];
  for (const content of ['two\n', 'three\n']) {
    stage.model.reply([{ text: write('a.txt', content) }]);
    const { id: messageId } = await stage.answer(chat, 'Change it');
    await stage.page.ask('approve-proposal', { chatId: chat.id, messageId });
    ids.push(messageId);
  }
  const text = async (): Promise<string> => await readFile(join(appPath, 'a.txt'), 'utf8');
  const undone = async (): Promise<unknown[]> => {
    const messages = await stage.messages(chat);
    return ids.map((id) => messages.find((message) => message.id === id)?.proposal?.undone);
  };
  const chatId = chat.id;
  const last = await stage.page.ask('undo-turn', { chatId });
  expect([await text(), await undone()]).toEqual(['two\n', [undefined, last.commit]]);
  const first = await stage.page.ask('undo-turn', { chatId });
  expect([await text(), await undone()]).toEqual(['one\n', [first.commit, last.commit]]);
  await expect(stage.page.ask('undo-turn', { chatId })).rejects.toMatchObject({ code: 'not_found' });
  stage.model.reply([{ text: 'Yes.' }]);
  await stage.answer(chat, 'Is it as before?');
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages).match(/applied and then taken back/g)).toHaveLength(2);
  await stage.page.ask('redo-turn', { chatId });
  expect([await text(), await undone()]).toEqual(['two\n', [undefined, last.commit]]);
  await stage.page.ask('redo-turn', { chatId });
  expect([await text(), await undone()]).toEqual(['three\n', [undefined, undefined]]);
  await expect(stage.page.ask('redo-turn', { chatId })).rejects.toMatchObject({ code: 'not_found' });
  const head = git(appPath, 'rev-parse', 'HEAD').trim();
  git(appPath, 'reset', '-q', '--hard', 'HEAD~5');
  expect([await text(), await undone()]).toEqual(['two\n', [undefined, null]]);
  git(appPath, 'reset', '-q', '--hard', head);
  expect(await undone()).toEqual([undefined, undefined]);
});
