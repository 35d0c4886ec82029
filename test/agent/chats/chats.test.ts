import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { describe, expect, test, vi } from 'vitest';
import type { App, Chat } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { Program } from '../../../packages/desktop-agent/src/server/program.ts';
import { originOf, Peer, startAgent, tempFolder, tokenOf } from '../support.ts';

interface Started {
  program: Program & { dataDir: string };
  page: Peer;
  app: App;
  chat: Chat;
}

async function startWithChat(): Promise<Started> {
  const program = await startAgent();
  const page = await Peer.ready(program);
  const app = await page.ask('add-app', { path: await tempFolder() });
  const chat = await page.ask('create-chat', { appId: app.id });
  return { program, page, app, chat };
}

async function upload(program: Program, chatId: string, name: string, body: string): Promise<{ id: string }> {
  const query = new URLSearchParams({ chat: chatId, name });
  const response = await fetch(`${originOf(program)}/uploads?${query.toString()}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${tokenOf(program)}`, origin: originOf(program) },
    body,
  });
  const answer = (await response.json()) as { id: string; message?: string };
  if (response.status !== 201) throw new Error(answer.message);
  return answer;
}

async function count(dataDir: string, table: string): Promise<number> {
  const client = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
  try {
    return Number((await client.execute(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.['n']);
  } finally {
    client.close();
  }
}

async function stored(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'media')).catch(() => []);
  return names.filter((name) => /^[0-9a-f]{64}\./.test(name));
}

describe('a chat', () => {
  test('has its messages in order, with what belongs to them', async () => {
    const { program, page, chat } = await startWithChat();
    const { id } = await upload(program, chat.id, 'server.log', 'one\ntwo\n');
    const text = (words: string) => [{ type: 'text' as const, text: words }];
    const [question, answer] = await program.services.chats.add(
      { chatId: chat.id, role: 'user', parts: text('What?'), state: 'complete', attachments: [id] },
      { chatId: chat.id, role: 'assistant', parts: [], state: 'streaming' },
    );
    expect((await page.ask('list-chats', { appId: chat.appId }))[0]).toMatchObject({ streaming: true });
    await program.services.chats.updateMessage(answer!.id, {
      parts: text('That.'),
      state: 'complete',
      commit: 'a'.repeat(40),
      modelMessages: [{ secret: 'for the model' }],
    });
    const found = await page.ask('get-chat', { chatId: chat.id });
    expect(found.chat.streaming).toBe(false);
    expect(found.messages.map((message) => [message.id, message.role])).toEqual([
      [question!.id, 'user'],
      [answer!.id, 'assistant'],
    ]);
    expect(found.messages[0]!.attachments).toMatchObject([{ name: 'server.log', bytes: 8, mediaType: 'text/plain' }]);
    expect(JSON.stringify(found)).not.toContain('for the model');
    expect(await program.services.chats.listModelMessages(chat.id)).toMatchObject([
      { modelMessages: null },
      { modelMessages: [{ secret: 'for the model' }] },
    ]);
    expect(await count(program.dataDir, 'versions')).toBe(1);
  });

  test('takes no attachment of another chat, and none twice', async () => {
    const { program, page, app, chat } = await startWithChat();
    const other = await page.ask('create-chat', { appId: app.id });
    const { id } = await upload(program, other.id, 'a.txt', 'x');
    const question = { role: 'user', parts: [], state: 'complete', attachments: [id] } as const;
    const add = (chatId: string) => program.services.chats.add({ chatId, ...question, parts: [] });
    await expect(add(chat.id)).rejects.toMatchObject({ code: 'not_found' });
    await add(other.id);
    await expect(add(other.id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await page.ask('get-chat', { chatId: chat.id })).messages).toEqual([]);
  });

  test('that streamed when the program died has an interrupted answer', async () => {
    const dataDir = join(await tempFolder(), 'data');
    const first = await startAgent({ dataDir });
    const page = await Peer.ready(first);
    const app = await page.ask('add-app', { path: await tempFolder() });
    const chat = await page.ask('create-chat', { appId: app.id });
    await first.services.chats.add({ chatId: chat.id, role: 'assistant', parts: [], state: 'streaming' });
    await first.close();
    const again = await Peer.ready(await startAgent({ dataDir }));
    const { messages } = await again.ask('get-chat', { chatId: chat.id });
    expect(messages.map(({ state }) => state)).toEqual(['interrupted']);
  });
});

describe('a deleted chat', () => {
  test('is gone from every list, can be taken back, and then has all that it had', async () => {
    const { program, page, chat } = await startWithChat();
    await upload(program, chat.id, 'a.txt', 'x');
    const { undoUntil } = await page.ask('delete-chat', { chatId: chat.id });
    expect(Date.parse(undoUntil)).toBeGreaterThan(Date.now());
    expect(await page.ask('list-chats', { appId: chat.appId })).toEqual([]);
    expect((await page.request('get-chat', { chatId: chat.id })).error).toMatchObject({ code: 'not_found' });
    await expect(upload(program, chat.id, 'b.txt', 'x')).rejects.toThrow('no longer exists');
    expect(await page.ask('restore-chat', { chatId: chat.id })).toMatchObject({ id: chat.id });
    expect(await page.ask('list-attachments', { chatId: chat.id })).toMatchObject([{ name: 'a.txt' }]);
  });

  test('is removed with messages and files by the next start, when its time had passed by then', async () => {
    const dataDir = join(await tempFolder(), 'data');
    const first = await startAgent({ dataDir });
    const page = await Peer.ready(first);
    const app = await page.ask('add-app', { path: await tempFolder() });
    const [gone, kept] = [
      await page.ask('create-chat', { appId: app.id }),
      await page.ask('create-chat', { appId: app.id }),
    ];
    for (const { id } of [gone, kept]) {
      const file = await upload(first, id, 'a.txt', 'the same in both');
      await first.services.chats.add({
        chatId: id,
        role: 'user',
        parts: [],
        state: 'complete',
        attachments: [file.id],
      });
    }
    await upload(first, gone.id, 'b.txt', 'only in one');
    expect(await stored(dataDir)).toHaveLength(2);
    await page.ask('delete-chat', { chatId: gone.id });
    await first.close();
    const client = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
    await client.execute(`UPDATE chats SET deleted_at = '2020-01-01T00:00:00.000Z' WHERE deleted_at IS NOT NULL`);
    client.close();

    const second = await startAgent({ dataDir });
    await vi.waitFor(async () => expect(await count(dataDir, 'chats')).toBe(1));
    expect(await count(dataDir, 'messages')).toBe(1);
    expect(await count(dataDir, 'attachments')).toBe(1);
    expect(await stored(dataDir)).toHaveLength(1);
    const again = await Peer.ready(second);
    expect((await again.request('restore-chat', { chatId: gone.id })).error).toMatchObject({ code: 'not_found' });
    expect(await again.ask('list-attachments', { chatId: kept.id })).toMatchObject([{ name: 'a.txt' }]);
  });
});

describe('an app', () => {
  test('is one whatever its folder is called, and must be a folder of its own', async () => {
    const { page, app } = await startWithChat();
    expect(await page.ask('add-app', { path: `${app.path}/./` })).toMatchObject({ id: app.id });
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'inner'));
    const { symlink } = await import('node:fs/promises');
    await symlink(app.path, join(folder, 'link'));
    expect(await page.ask('add-app', { path: join(folder, 'link') })).toMatchObject({ id: app.id });
    const { homedir } = await import('node:os');
    for (const path of ['/', homedir(), join(folder, 'file'), 'relative', '']) {
      expect((await page.request('add-app', { path })).error, path).toMatchObject({ code: 'invalid_request' });
    }
    expect((await page.request('add-app', { path: join(folder, 'none') })).error).toMatchObject({ code: 'not_found' });
    expect(await page.ask('list-folders', { path: folder })).toMatchObject({ path: folder, folders: ['inner'] });
    expect(await page.ask('list-apps', {})).toHaveLength(1);
  });

  test('is removed with its chats and their files, and its folder stays', async () => {
    const { program, page, app, chat } = await startWithChat();
    await writeFile(join(app.path, 'kept.txt'), 'mine');
    await upload(program, chat.id, 'a.txt', 'x');
    const deleted = await page.ask('create-chat', { appId: app.id });
    await page.ask('delete-chat', { chatId: deleted.id });
    await page.ask('remove-app', { appId: app.id });
    expect(await page.ask('list-apps', {})).toEqual([]);
    await vi.waitFor(async () => expect(await count(program.dataDir, 'apps')).toBe(0));
    expect(await count(program.dataDir, 'chats')).toBe(0);
    expect(await stored(program.dataDir)).toEqual([]);
    expect(await readdir(app.path)).toEqual(['kept.txt']);
    // The same folder again is another app.
    const again = await page.ask('add-app', { path: app.path });
    expect(again.id).not.toBe(app.id);
  });

  test('that is being removed can be added again at once', async () => {
    const { page, app } = await startWithChat();
    await page.ask('remove-app', { appId: app.id });
    expect(await page.ask('add-app', { path: app.path })).toMatchObject({ path: app.path });
  });

  test('whose folder went away is still on the list', async () => {
    const { page, app } = await startWithChat();
    await rm(app.path, { recursive: true });
    expect(await page.ask('get-app', { appId: app.id })).toMatchObject({ git: false });
  });
});

describe('an export', () => {
  test('has the words and scripts of a chat, and contents of attachments only when asked', async () => {
    const { program, page, chat } = await startWithChat();
    const { id } = await upload(program, chat.id, 'secret.log', 'the secret line\n');
    await page.ask('update-chat', { chatId: chat.id, title: 'Errors / by ../hour' });
    const record = { script: 'read_file("attachments:secret.log")', result: { text: 'the secret line' } };
    await program.services.chats.add(
      {
        chatId: chat.id,
        role: 'user',
        parts: [{ type: 'text', text: 'Count ```it```' }],
        state: 'complete',
        attachments: [id],
      },
      { chatId: chat.id, role: 'assistant', state: 'complete', parts: [{ type: 'script', runId: 'r', record }] },
    );
    const plain = await page.ask('export-chat', { chatId: chat.id, attachments: false });
    expect(plain.fileName).toMatch(/^[\d-]+-Errors-by-hour\.md$/);
    expect(plain.markdown).toContain('Count ```it```');
    expect(plain.markdown).toContain('read_file(');
    expect(plain.markdown).toContain('secret.log');
    expect(plain.markdown).not.toContain('the secret line');
    const whole = await page.ask('export-chat', { chatId: chat.id, attachments: true });
    expect(whole.markdown.split('the secret line')).toHaveLength(3);
  });
});
