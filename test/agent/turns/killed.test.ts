import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Program } from '../../../packages/desktop-agent/src/server/program.ts';
import type { Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git } from '../changes/apps.ts';
import { ModelServer } from '../models/model-server.ts';
import { assemble, load, TestPage, textOf } from './support.ts';

const fixture = fileURLToPath(new URL('fixtures/program.mjs', import.meta.url));

let folder: string;
let model: ModelServer;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-killed-')));
  model = await ModelServer.start();
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function newApp(): Promise<string> {
  const appPath = await mkdtemp(join(folder, 'app-'));
  await writeFile(join(appPath, 'a.txt'), 'one\n');
  return appPath;
}

async function restart(dataDir: string): Promise<Program> {
  const { startProgram } =
    await load<typeof import('../../../packages/desktop-agent/src/server/program.ts')>('server/program.js');
  return await startProgram({ dataDir, turns: { models: { local: [{ url: model.url, name: 'Scripted' }] } } });
}

test('after a kill in the middle of an answer what there was of it is interrupted, and the chat goes on', async () => {
  const dataDir = join(folder, 'killed');
  await mkdir(dataDir);
  const child = spawn(process.execPath, [fixture, dataDir, model.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  const page = await TestPage.open({ url });
  const app = await page.ask('add-app', { path: await newApp() });
  const { id: chatId } = await page.ask('create-chat', { appId: app.id, mode: 'ask' });
  await page.ask('update-chat', { chatId, model: model.modelId });
  model.reply([{ text: 'The first half' }, 'hang']);
  const { messageId } = await page.ask('chat:stream', { chatId, text: 'Tell me', uploads: [] });
  const database = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
  await expect
    .poll(
      async () => (await database.execute("SELECT parts FROM messages WHERE role = 'assistant'")).rows[0]?.['parts'],
    )
    .toContain('The first half');
  database.close();
  const shown = [...assemble(page, messageId).values()].join('');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const program = await restart(dataDir);
  const again = await TestPage.open(program);
  const { chat, messages } = await again.ask('get-chat', { chatId });
  expect(chat.streaming).toBe(false);
  expect(messages.map(({ state }) => state)).toEqual(['complete', 'interrupted']);
  expect(textOf(messages[1]!)).toBe(shown);
  model.reply([{ text: 'The second half' }]);
  const next = await again.ask('chat:stream', { chatId, text: 'Go on', uploads: [] });
  expect((await again.ended(next.messageId)).state).toBe('complete');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('The first half');
  await again.close();
  await program.close();
});

test('the end of the program keeps an answer as interrupted, and ends its request', async () => {
  const dataDir = join(folder, 'closed');
  const program = await restart(dataDir);
  const page = await TestPage.open(program);
  const appId = await program.addFolder(await newApp());
  const { id: chatId } = await page.ask('create-chat', { appId, mode: 'ask' });
  await page.ask('update-chat', { chatId, model: model.modelId });
  model.reply([{ text: 'Half' }, 'hang']);
  const gone = model.gone;
  const { messageId } = await page.ask('chat:stream', { chatId, text: 'Tell me', uploads: [] });
  await page.until('chat:response:chunk', (chunk) => chunk.messageId === messageId);
  await program.close();
  await expect.poll(() => model.gone).toBe(gone + 1);
  const later = await restart(dataDir);
  const messages = await later.services.chats.listMessages(chatId);
  expect(messages[1]).toMatchObject({ state: 'interrupted', parts: [{ type: 'text', text: 'Half' }] });
  await later.close();
});

/** A chat with a proposal that is being applied, as a kill leaves it that comes right after the first write of an approval. */
async function applying(program: Program, page: TestPage, appPath: string, reply: string): Promise<Message> {
  const appId = await program.addFolder(appPath);
  await page.ask('init-git', { appId });
  const { id: chatId } = await page.ask('create-chat', { appId, mode: 'build' });
  await page.ask('update-chat', { chatId, model: model.modelId });
  model.reply([{ text: reply }]);
  const { messageId } = await page.ask('chat:stream', { chatId, text: 'Change it', uploads: [] });
  const { proposal } = await page.ended(messageId);
  await program.services.chats.updateMessage(messageId, { proposal: { ...proposal!, state: 'applying' } });
  return await program.services.chats.getMessage(chatId, messageId);
}

const changesFile = '<agent-write path="a.txt" description="">\nchanged\n</agent-write>';

async function applied(program: Program, appPath: string, messageId: string): Promise<string | null> {
  const { applyPlan } =
    await load<typeof import('../../../packages/desktop-agent/src/server/changes/index.ts')>('server/changes/index.js');
  const { commit } = await applyPlan(appPath, (await program.services.chats.getPlan(messageId))!, { messageId });
  return commit;
}

test('what was being applied is settled at the next start: as before, or as approved', async () => {
  const dataDir = join(folder, 'applying');
  const program = await restart(dataDir);
  const page = await TestPage.open(program);
  const [beforePath, afterPath] = [await newApp(), await newApp()];
  const before = await applying(program, page, beforePath, changesFile);
  const after = await applying(program, page, afterPath, changesFile);
  const commit = await applied(program, afterPath, after.id);
  await program.close();
  const later = await restart(dataDir);
  const { chats } = later.services;
  expect((await chats.getMessage(before.chatId, before.id)).proposal?.state).toBe('pending');
  expect(await readFile(join(beforePath, 'a.txt'), 'utf8')).toBe('one\n');
  expect(await chats.getMessage(after.chatId, after.id)).toMatchObject({ proposal: { state: 'approved' }, commit });
  await later.close();
});

test('what was applied to files that git ignores, and to nothing else, is approved at the next start', async () => {
  const dataDir = join(folder, 'ignored');
  const program = await restart(dataDir);
  const page = await TestPage.open(program);
  const appPath = await newApp();
  await writeFile(join(appPath, '.gitignore'), 'a.txt\n');
  const message = await applying(program, page, appPath, changesFile);
  const waiting = await applying(program, page, appPath, changesFile.replace('changed', 'other'));
  expect(await applied(program, appPath, message.id)).toBeNull();
  await program.close();
  const later = await restart(dataDir);
  const settled = async ({ chatId, id }: Message): Promise<unknown> =>
    (await later.services.chats.getMessage(chatId, id)).proposal?.state;
  expect(await settled(message)).toBe('approved');
  expect(await settled(waiting)).toBe('pending');
  await later.close();
});

test("a proposal gets its own commit at the next start, and never another's or the person's", async () => {
  const dataDir = join(folder, 'own-commit');
  const program = await restart(dataDir);
  const page = await TestPage.open(program);
  const appPath = await newApp();
  const [first, second, packages] = [
    await applying(program, page, appPath, changesFile),
    await applying(program, page, appPath, changesFile),
    await applying(program, page, appPath, '<agent-add-dependency packages="zod"></agent-add-dependency>'),
  ];
  expect(packages.proposal?.dependencies).toEqual(['zod']);
  const base = git(appPath, 'rev-parse', 'HEAD').trim();
  const commit = await applied(program, appPath, first.id);
  await program.close();
  git(appPath, 'commit', '-qm', 'mine', '--allow-empty');
  // As a kill leaves it between HEAD and the end of the journal.
  await mkdir(join(appPath, '.git/mustard-agent/apply'));
  const head = { ref: 'refs/heads/main', commit: base };
  const { Staging } =
    await load<typeof import('../../../packages/desktop-agent/src/server/changes/journal.ts')>(
      'server/changes/journal.js',
    );
  const { openRepository } =
    await load<typeof import('../../../packages/desktop-agent/src/server/git/repository.ts')>(
      'server/git/repository.js',
    );
  const staging = new Staging(await openRepository(appPath));
  await staging.write({
    version: 1,
    prefix: '',
    head,
    commit,
    steps: [],
    folders: [],
    modules: null,
    own: false,
    messageId: first.id,
  });
  const later = await restart(dataDir);
  const settled = async ({ chatId, id }: Message): Promise<unknown[]> => {
    const { proposal, commit: made } = await later.services.chats.getMessage(chatId, id);
    return [proposal?.state, made];
  };
  expect(await settled(first)).toEqual(['approved', commit]);
  expect(await settled(second)).toEqual(['pending', null]);
  expect(await settled(packages)).toEqual(['pending', null]);
  await later.close();
});

test('what a person should know of a change that was cut, or of their own that were committed, is said', async () => {
  const dataDir = join(folder, 'said');
  const program = await restart(dataDir);
  const page = await TestPage.open(program);
  const appPath = await newApp();
  const appId = await program.addFolder(appPath);
  await page.ask('init-git', { appId });
  await program.close();
  await mkdir(join(appPath, '.git/mustard-agent/apply'));
  await writeFile(join(appPath, '.git/mustard-agent/apply/journal.json'), '{');
  // No page is open while the program starts.
  const later = await restart(dataDir);
  const first = await TestPage.open(later);
  await first.until('notice', ({ text }) => /is broken.*kept-/.test(text));
  const second = await TestPage.open(later);
  await writeFile(join(appPath, 'a.txt'), 'by hand\n');
  const { hash } = await first.ask('read-app-file', { appId, path: 'a.txt' });
  await first.ask('edit-app-file', { appId, path: 'a.txt', content: 'two\n', hash });
  await second.until('notice', ({ text }) => text.includes('Changes made by hand'));
  expect(second.of('notice')).toHaveLength(1);
  await later.close();
});
