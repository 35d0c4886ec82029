import { request } from 'node:http';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Upload } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { originOf, Peer, startAgent, tempFolder, tokenOf } from '../support.ts';

async function startWithChat() {
  const program = await startAgent();
  const page = await Peer.ready(program);
  const app = await page.ask('add-app', { path: await tempFolder() });
  const chat = await page.ask('create-chat', { appId: app.id });
  const put = async (name: string, body: string | Buffer, query: Record<string, string> = {}) => {
    const address = `${originOf(program)}/uploads?${new URLSearchParams({ chat: chat.id, name, ...query }).toString()}`;
    const headers = { authorization: `Bearer ${tokenOf(program)}` };
    const response = await fetch(address, { method: 'PUT', headers, body });
    return { status: response.status, answer: (await response.json()) as Upload & { code: string; message: string } };
  };
  const stored = async () => new Set(await readdir(join(program.dataDir, 'media')).catch(() => []));
  return { program, page, app, chat, put, stored };
}

let large: Buffer;
beforeAll(() => {
  large = Buffer.alloc(3 * 1024 * 1024, 'a line of a log\n');
});

test('a file is stored byte for byte, under its name, in a folder of this user only', async () => {
  const { page, chat, put, app } = await startWithChat();
  const { status, answer } = await put('server.log', large);
  expect(status).toBe(201);
  expect(answer).toMatchObject({ name: 'server.log', bytes: large.length, mediaType: 'text/plain' });
  const [attachment] = await page.ask('list-attachments', { chatId: chat.id });
  expect(Buffer.compare(await readFile(attachment!.path!), large)).toBe(0);
  // The person's folder gets nothing that they did not ask for.
  expect(await readdir(app.path)).toEqual([]);
});

test('a name is cut to its last part, and one that is taken gets a number', async () => {
  const { put } = await startWithChat();
  expect((await put('../../etc/passwd', 'x')).answer.name).toBe('passwd');
  expect((await put('a.txt', 'one')).answer.name).toBe('a.txt');
  const other = (await put('a.txt', 'two')).answer.name;
  expect(other).not.toBe('a.txt');
  expect((await put('Übung 😀.txt', 'x')).answer.name).toBe('Übung 😀.txt');
});

test('an upload that is cut leaves nothing', async () => {
  const { program, page, chat, put, stored } = await startWithChat();
  await put('whole.txt', 'whole');
  const before = await stored();
  const { hostname, port } = new URL(originOf(program));
  const cut = request({
    hostname,
    port,
    method: 'PUT',
    path: `/uploads?chat=${chat.id}&name=half.log`,
    headers: { authorization: `Bearer ${tokenOf(program)}`, 'content-length': large.length },
  });
  cut.on('error', () => {});
  cut.write(large.subarray(0, large.length / 2));
  await vi.waitUntil(async () => (await stored()).size > before.size);
  cut.destroy();
  await vi.waitUntil(async () => (await stored()).size === before.size);
  expect(await stored()).toEqual(before);
  expect(await page.ask('list-attachments', { chatId: chat.id })).toHaveLength(1);
});

test('uploads that are wrong are refused with a reason', async () => {
  const { put } = await startWithChat();
  expect(await put('', 'x')).toMatchObject({ status: 400, answer: { code: 'invalid_request' } });
  expect(await put('x'.repeat(1001), 'x')).toMatchObject({ status: 400, answer: { code: 'invalid_request' } });
  expect(await put('a.txt', 'x', { more: 'y' })).toMatchObject({ status: 400, answer: { code: 'invalid_request' } });
  expect(await put('a.txt', 'x', { chat: 'none' })).toMatchObject({ status: 400, answer: { code: 'not_found' } });
});

test('what no message used is removed later; what one used, and what another upload shares, stays', async () => {
  const { program, page, chat, put, stored } = await startWithChat();
  const used = await put('used.txt', 'used');
  await put('unused.txt', 'unused');
  const first = await put('twice.txt', 'twice');
  const second = await put('twice.txt', 'twice');
  expect(second.answer.name).toBe(first.answer.name);
  const { chats, uploads } = program.services;
  const attachments = [used.answer.id, second.answer.id];
  await chats.add({ chatId: chat.id, role: 'user', parts: [], state: 'complete', attachments });
  await uploads.clean(3600_000);
  expect(await page.ask('list-attachments', { chatId: chat.id })).toHaveLength(3);
  const client = createClient({ url: `file:${join(program.dataDir, 'agent.db')}` });
  await client.execute(`UPDATE attachments SET created_at = '2020-01-01T00:00:00.000Z'`);
  client.close();
  await uploads.clean(3600_000);
  const names = (await page.ask('list-attachments', { chatId: chat.id })).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['twice.txt', 'used.txt']);
  expect([...(await stored())].filter((name) => name.endsWith('.txt'))).toHaveLength(2);
});

test('an attachment is removed from chat and disk, once', async () => {
  const { page, chat, put, stored } = await startWithChat();
  await put('a.txt', 'x');
  await page.ask('remove-attachment', { chatId: chat.id, name: 'a.txt' });
  expect(await page.ask('list-attachments', { chatId: chat.id })).toEqual([]);
  expect([...(await stored())].filter((name) => name.endsWith('.txt'))).toEqual([]);
  const { error } = await page.request('remove-attachment', { chatId: chat.id, name: 'a.txt' });
  expect(error).toMatchObject({ code: 'not_found' });
});

test('a file that is taken off the message is removed at once, unless a message or another upload has it', async () => {
  const { program, page, chat, put, stored } = await startWithChat();
  const sent = await put('sent.txt', 'sent');
  const attachments = [sent.answer.id];
  await program.services.chats.add({ chatId: chat.id, role: 'user', parts: [], state: 'complete', attachments });
  const again = await put('sent.txt', 'sent');
  const alone = await put('alone.txt', 'alone');
  const chatId = chat.id;
  const names = async () => (await page.ask('list-attachments', { chatId })).map(({ name }) => name);
  for (const { answer } of [sent, again]) await page.ask('discard-upload', { chatId, uploadId: answer.id });
  expect(await names()).toEqual(['sent.txt', 'alone.txt']);
  const other = await page.ask('create-chat', { appId: chat.appId });
  await page.ask('discard-upload', { chatId: other.id, uploadId: alone.answer.id });
  expect(await names()).toEqual(['sent.txt', 'alone.txt']);
  await page.ask('discard-upload', { chatId, uploadId: alone.answer.id });
  expect(await names()).toEqual(['sent.txt']);
  expect([...(await stored())].filter((name) => name.endsWith('.txt'))).toHaveLength(1);
});

test('many files at once are stored whole', async () => {
  const { put } = await startWithChat();
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => put(`${n}.log`, `${n}\n`.repeat(10_000))));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 201));
  expect(new Set(answers.map(({ answer }) => answer.id)).size).toBe(12);
});

test('a picture is given to the page alone, as bytes that no browser shows by themselves; nothing else is given', async () => {
  const { program, page, chat, put } = await startWithChat();
  const picture = await readFile(new URL('../../../docs/images/agent-settings.png', import.meta.url));
  const bomb = Buffer.from(picture);
  bomb.writeUInt32BE(30_000, 16);
  bomb.writeUInt32BE(30_000, 20);
  const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const large = Buffer.concat([picture, Buffer.alloc(20 * 1024 * 1024)]);
  const files = { 'shop.png': picture, 'bomb.png': bomb, 'a.svg': script, 'liar.png': script, 'large.png': large };
  for (const [name, content] of Object.entries(files)) await put(name, content);
  const get = async (path: string, chatId = chat.id, headers: Record<string, string> = {}) => {
    const query = new URLSearchParams({ chat: chatId, path, from: 'picture' }).toString();
    const authorization = `Bearer ${tokenOf(program)}`;
    return await fetch(`${originOf(program)}/workspace?${query}`, { headers: { authorization, ...headers } });
  };
  const shown = await get('shop.png');
  expect(Buffer.compare(Buffer.from(await shown.arrayBuffer()), picture)).toBe(0);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  for (const name of ['bomb.png', 'a.svg', 'liar.png', 'large.png']) expect((await get(name)).status).toBe(400);
  for (const name of ['none.png', '../agent.db', '..', '']) expect((await get(name)).status).toBe(404);
  const other = await page.ask('create-chat', { appId: chat.appId });
  expect((await get('shop.png', other.id)).status).toBe(404);
  expect((await get('shop.png', chat.id, { authorization: 'Bearer none' })).status).toBe(401);
  expect((await get('shop.png', chat.id, { origin: 'http://app-1.localhost' })).status).toBe(403);
  const [stored] = await page.ask('list-attachments', { chatId: chat.id });
  const secret = join(await tempFolder(), 'secret.png');
  await writeFile(secret, picture);
  await rm(stored!.path!);
  await symlink(secret, stored!.path!);
  expect((await get('shop.png')).status).toBe(404);
});
