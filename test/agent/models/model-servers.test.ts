import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { expect, test } from 'vitest';
import { migrations } from '../../../packages/desktop-agent/src/server/database/migrations.ts';
import type { ModelServerDraft } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { ModelServer } from './model-server.ts';
import { Peer, startAgent, tempFolder } from '../support.ts';

const draft = (more: Partial<ModelServerDraft>): ModelServerDraft => ({
  name: 'Office',
  url: 'http://127.0.0.1:4001/v1',
  models: [],
  headers: {},
  ...more,
});

/** A program, a page, and what saves a server. */
async function stage() {
  const program = await startAgent();
  const page = await Peer.ready(program);
  const save = async (more: Partial<ModelServerDraft>, id: string | null = null) =>
    await page.ask('save-model-server', { id, server: draft(more) });
  return { program, page, save };
}

test('several servers are kept, each with its key and its headers, of which no value comes out', async () => {
  const { program, page, save } = await stage();
  const other = await Peer.ready(program);
  await save({
    key: 'key-of-the-office',
    headers: { 'x-team': 'header-of-the-office' },
    models: ['one', 'two', 'one'],
  });
  const servers = await save({ name: 'Home', url: 'http://127.0.0.1:4002/v1/' });
  expect(servers).toMatchObject([
    { name: 'Office', url: 'http://127.0.0.1:4001/v1', key: 'file', headers: ['x-team'], models: ['one', 'two'] },
    { name: 'Home', url: 'http://127.0.0.1:4002/v1', key: null, headers: [], models: [] },
  ]);
  await other.until(({ event }) => event === 'models:changed');
  const labels = (await page.ask('list-models', {})).models.map(({ provider, label }) => `${provider}: ${label}`);
  expect(labels.slice(0, 2)).toEqual(['Office: one', 'Office: two']);
  expect(JSON.stringify([page.frames, other.frames])).not.toMatch(/(?:key|header)-of-the-office/);
  for (const name of ['agent.db', 'agent.db-wal', 'agent.log']) {
    expect(await readFile(join(program.dataDir, name), 'latin1'), name).not.toMatch(/(?:key|header)-of-the-office/);
  }
  const [office] = servers;
  await page.ask('remove-model-server', { id: office!.id });
  expect(await readFile(join(program.dataDir, 'keys.json'), 'utf8')).toBe('{}\n');
});

test('a change keeps what is stored, and nothing of it goes to another address', async () => {
  const { program, save } = await stage();
  const server = await ModelServer.start();
  const thief = await ModelServer.start();
  const [made] = await save({ url: server.url, key: 'key-one', headers: { 'x-team': 'blue' } });
  const id = made!.id;
  await save({ url: server.url, name: 'Renamed', headers: { 'x-team': null } }, id);
  const [kept] = await program.services.modelServers.open();
  expect(kept).toMatchObject({ name: 'Renamed', headers: { authorization: 'Bearer key-one', 'x-team': 'blue' } });
  for (const more of [{}, { key: null, headers: { 'x-team': null } }, { key: 'other', headers: { 'x-team': null } }]) {
    await expect(save({ url: thief.url, ...more }, id)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('not sent to another'),
    });
  }
  expect((await program.services.modelServers.open())[0]?.url).toBe(server.url);
  await save({ url: thief.url, key: null, headers: { 'x-team': 'red' } }, id);
  expect((await program.services.modelServers.open())[0]).toMatchObject({
    url: thief.url,
    headers: { 'x-team': 'red' },
    secrets: ['red'],
  });
  await Promise.all([server[Symbol.asyncDispose](), thief[Symbol.asyncDispose]()]);
});

test.each([
  ['no address', { url: 'nonsense' }, /begins with http/],
  ['a file', { url: 'file:///etc/passwd' }, /begins with http/],
  [
    'a password in the address',
    { url: 'http://ann:secret@127.0.0.1/v1' },
    /may not have a name, a password or a query/,
  ],
  ['a key in the address', { url: 'http://127.0.0.1/v1?key=secret' }, /may not have a name, a password or a query/],
  ['a header of the connection', { headers: { Host: 'secret' } }, /header Host cannot be set/],
  ['a header that ends the headers', { headers: { 'x-a': 'secret\r\nx-b: 1' } }, /cannot have/],
  ['a header with no name', { headers: { 'x a': 'secret' } }, /not the name of a header/],
  ['a value that is not stored', { headers: { 'x-a': null } }, /no value for the header x-a/],
  ['no name', { name: '  ' }, /./],
] as const)('%s is refused, and the secret is not repeated', async (_, more, why) => {
  const { page, save } = await stage();
  const error = await save(more).then(
    () => undefined,
    (error: unknown) => error as Error & { code: string },
  );
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(why) });
  expect(error?.message).not.toContain('secret');
  expect(await page.ask('list-model-servers', {})).toEqual([]);
});

test('two servers have no address in common, and of two that begin alike each answers for its own', async () => {
  const { program, page, save } = await stage();
  await save({ url: 'http://127.0.0.1:4001/v1' });
  await expect(save({ url: 'http://127.0.0.1:4001/v1/' })).rejects.toMatchObject({
    message: expect.stringContaining('Office already has this address'),
  });
  const server = await ModelServer.start();
  await save({ name: 'Root', url: new URL(server.url).origin, key: 'of the root' });
  await save({ name: 'Below', url: `${new URL(server.url).origin}/v1:x`, key: 'of the other' });
  const { models } = await page.ask('list-models', {});
  expect(models.filter(({ provider }) => provider === 'Root' || provider === 'Below')).toEqual(
    expect.not.arrayContaining([expect.objectContaining({ provider: 'Office' })]),
  );
  expect(await program.services.modelServers.open()).toHaveLength(3);
  await server[Symbol.asyncDispose]();
});

test('the one server of an earlier database is kept, with its model and its key', async () => {
  const dataDir = join(await tempFolder(), 'data');
  const first = await startAgent({ dataDir });
  await first.services.keys.set('openai-compatible', 'key-of-before');
  await first.close();
  for (const end of ['', '-wal', '-shm']) await rm(join(dataDir, `agent.db${end}`), { force: true });
  const client = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
  const before = JSON.stringify({ baseUrl: ' http://127.0.0.1:4001/v1/', serverModel: 'mine', theme: 'dark' });
  await client.executeMultiple(`
    ${migrations
      .slice(0, 4)
      .flatMap(({ statements }) => statements)
      .join(';')};
    PRAGMA user_version = 4; INSERT INTO settings VALUES ('settings', '${before}');`);
  client.close();
  const again = await startAgent({ dataDir });
  const page = await Peer.ready(again);
  expect(await page.ask('list-model-servers', {})).toMatchObject([
    { id: 'openai-compatible', url: 'http://127.0.0.1:4001/v1', models: ['mine'], key: 'file' },
  ]);
  expect((await again.services.modelServers.open())[0]?.headers).toEqual({ authorization: 'Bearer key-of-before' });
  expect((await page.ask('get-state', {})).settings.theme).toBe('dark');
});
