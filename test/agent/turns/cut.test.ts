// Answers that do not come to their end: what is whole of them can be approved, and the rest asked for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Chat, Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { ModelServer, type ModelStep } from '../models/model-server.ts';
import { load, partsOf, Stage, TestPage } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
  await stage.page.ask('update-settings', { autoApprove: true, autoFix: false });
});

const whole = '<agent-write path="whole.txt" description="">\nwhole\n</agent-write>\n';
const half = '<agent-write path="half.txt" description="">\nfirst line\nsecond';
const rest = ' line\nlast line\n</agent-write>\n<agent-chat-summary>Write both</agent-chat-summary>';

async function gitChat(mode: 'build' | 'agent'): Promise<{ chat: Chat; appPath: string }> {
  const made = await stage.chat(mode, { 'a.txt': 'one\n' });
  await stage.page.ask('init-git', { appId: made.chat.appId });
  return made;
}

async function approved(chat: Chat, message: Message): Promise<Message> {
  return await stage.page.ask('approve-proposal', { chatId: chat.id, messageId: message.id });
}

async function withProposal(chat: Chat, messageId: string): Promise<Message> {
  const found = async (): Promise<Message | undefined> =>
    (await stage.messages(chat)).find(({ id, proposal }) => id === messageId && proposal !== null);
  await expect.poll(found).toBeDefined();
  return (await found())!;
}

/** Stops an answer when all of its last text is in the message. */
async function stopped(chat: Chat, steps: readonly ModelStep[], shown: string): Promise<Message> {
  stage.model.reply([...steps, 'hang']);
  const { messageId } = await stage.send(chat, 'Write them');
  await expect.poll(async () => JSON.stringify((await stage.messages(chat)).at(-1)?.parts)).toContain(shown);
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  return await stage.page.ended(messageId);
}

test('Stop keeps the whole files of an answer for approval, and "go on" writes the rest of the one that was cut', async () => {
  const { chat, appPath } = await gitChat('build');
  const { id, state } = await stopped(chat, [{ text: whole }, { text: half }], 'Write half.txt');
  expect(state).toBe('cancelled');
  const message = await withProposal(chat, id);
  expect(message.proposal).toMatchObject({ state: 'pending', needsPerson: true, files: [{ path: 'whole.txt' }] });
  expect(partsOf(message, 'tool').map(({ title, state: is }) => `${title} ${is}`)).toEqual([
    'Write whole.txt done',
    'Write half.txt failed',
  ]);
  stage.model.reply([{ text: `second${rest}` }]);
  const next = await stage.answer(chat, 'Go on');
  expect(next.proposal?.files).toMatchObject([{ path: 'half.txt', change: 'added', added: 3 }]);
  const { role, content } = stage.model.requests.at(-1)!.messages.at(-1)!;
  expect([role, JSON.stringify(content)]).toEqual(['user', expect.stringMatching(/Go on.*exactly where it stopped/)]);
  expect((await approved(chat, message)).proposal?.state).toBe('approved');
  expect(await readFile(join(appPath, 'whole.txt'), 'utf8')).toBe('whole\n');
  await expect.poll(async () => await readFile(join(appPath, 'half.txt'), 'utf8').catch(() => '')).not.toBe('');
  expect(await readFile(join(appPath, 'half.txt'), 'utf8')).toBe('first line\nsecond line\nlast line\n');
});

test.each(['cut', 'stop-short'] as const)('a connection that is %s costs no whole file', async (end) => {
  const { chat } = await gitChat('build');
  stage.model.reply([{ text: whole + half }, end]);
  const message = await stage.answer(chat, 'Write them');
  expect(message).toMatchObject({ state: 'failed', proposal: { state: 'pending', files: [{ path: 'whole.txt' }] } });
  expect((await approved(chat, message)).proposal?.state).toBe('approved');
});

test.each([
  ['another file', '<agent-write path="other.txt" description="">\nother\n</agent-write>', ['other.txt']],
  ['all of it, after some words', `Here it is:\n${half}${rest}`, ['half.txt']],
  ['all of it', half + rest, ['half.txt']],
  ['words alone', 'I would rather not.', undefined],
])('"go on" that is answered by %s does not put that into the file', async (_, text, paths) => {
  const { chat } = await gitChat('build');
  await stopped(chat, [{ text: half }], 'Write half.txt');
  stage.model.reply([{ text }], [{ text }], [{ text }]);
  const { proposal } = await stage.answer(chat, 'go on');
  stage.model.clear();
  expect(proposal?.files.map(({ path }) => path)).toEqual(paths);
  if (paths?.[0] === 'half.txt') expect(proposal?.files[0]?.added).toBe(3);
});

test('Stop keeps what write tools had proposed', async () => {
  const { chat, appPath } = await gitChat('agent');
  const call = { call: 'write_file', args: { path: 'tool.txt', content: 'by a tool\n' } };
  stage.model.reply([call]);
  const { id } = await stopped(chat, [{ text: 'Now the next one.' }], 'the next one');
  const message = await withProposal(chat, id);
  expect(message.proposal).toMatchObject({ state: 'pending', files: [{ path: 'tool.txt' }] });
  await approved(chat, message);
  expect(await readFile(join(appPath, 'tool.txt'), 'utf8')).toBe('by a tool\n');
});

test.each(['build', 'agent'] as const)(
  'a kill in the mode %s costs no whole file, and "go on" works after it',
  async (mode) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-cut-')));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [dataDir, appPath] = [join(folder, 'data'), join(folder, 'app')];
    await mkdir(appPath);
    await writeFile(join(appPath, 'a.txt'), 'one\n');
    await using model = await ModelServer.start();
    const fixture = fileURLToPath(new URL('fixtures/program.mjs', import.meta.url));
    const child = spawn(process.execPath, [fixture, dataDir, model.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const page = await TestPage.open({ url });
    await page.ask('update-settings', { autoApprove: true });
    const app = await page.ask('add-app', { path: appPath });
    await page.ask('init-git', { appId: app.id });
    const { id: chatId } = await page.ask('create-chat', { appId: app.id, mode });
    await page.ask('update-chat', { chatId, model: model.modelId });
    if (mode === 'build') model.reply([{ text: whole }, { text: half }, 'hang']);
    else {
      model.reply(
        [
          { call: 'write_file', args: { path: 'whole.txt', content: 'whole\n' } },
          { call: 'read_file', args: { path: 'a.txt' } },
        ],
        ['hang'],
      );
    }
    const { messageId } = await page.ask('chat:stream', { chatId, text: 'Write them', uploads: [] });
    const database = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
    const saved = async (): Promise<unknown> =>
      (await database.execute("SELECT model_messages FROM messages WHERE role = 'assistant'")).rows[0]?.[
        'model_messages'
      ];
    await expect.poll(saved).toContain(mode === 'build' ? 'second' : 'tool-result');
    database.close();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { startProgram } =
      await load<typeof import('../../../packages/desktop-agent/src/server/program.ts')>('server/program.js');
    const program = await startProgram({
      dataDir,
      turns: { models: { local: [{ url: model.url, name: 'Scripted' }] } },
    });
    const again = await TestPage.open(program);
    const [, message] = (await again.ask('get-chat', { chatId })).messages;
    expect(message).toMatchObject({
      state: 'interrupted',
      proposal: { state: 'pending', files: [{ path: 'whole.txt' }] },
    });
    const done = await again.ask('approve-proposal', { chatId, messageId });
    expect(done.proposal?.error).toBeUndefined();
    expect(await readFile(join(appPath, 'whole.txt'), 'utf8')).toBe('whole\n');
    if (mode === 'build') {
      model.reply([{ text: rest }]);
      const next = await again.ask('chat:stream', { chatId, text: 'go on', uploads: [] });
      expect((await again.ended(next.messageId)).proposal?.files).toMatchObject([{ path: 'half.txt', added: 3 }]);
    }
    await again.close();
    await program.close();
  },
);
