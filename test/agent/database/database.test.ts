import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { load, tempFolder } from '../support.ts';

const { openDatabase, setAside } =
  await load<typeof import('../../../packages/desktop-agent/src/server/database/open.ts')>('server/database/open.js');
const { migrations } = await load<typeof import('../../../packages/desktop-agent/src/server/database/migrations.ts')>(
  'server/database/migrations.js',
);
const schema =
  await load<typeof import('../../../packages/desktop-agent/src/server/database/schema.ts')>(
    'server/database/schema.js',
  );
const { ChatStore } =
  await load<typeof import('../../../packages/desktop-agent/src/server/chats/store.ts')>('server/chats/store.js');

async function open(options: Parameters<typeof openDatabase>[0]) {
  const opened = await openDatabase(options);
  onTestFinished(() => opened.close());
  return opened;
}

/** Through another client: what the file says, not what the program thinks. */
async function query(file: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = createClient({ url: `file:${file}` });
  try {
    return (await client.execute(sql)).rows;
  } finally {
    client.close();
  }
}

test('the migrations make the tables that the program knows', async () => {
  const file = join(await tempFolder(), 'agent.db');
  const { close } = await openDatabase({ file });
  close();
  for (const table of Object.values(schema)) {
    const columns = await query(file, `PRAGMA table_info(${getTableName(table)})`);
    const made = columns.map(({ name, notnull }) => `${String(name)} ${notnull === 1}`);
    const known = Object.values(getTableColumns(table)).map(({ name, notNull }) => `${name} ${notNull}`);
    expect(new Set(made)).toEqual(new Set(known));
  }
  expect(await query(file, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('foreign keys hold', async () => {
  const { database } = await open({ file: join(await tempFolder(), 'agent.db') });
  const chats = new ChatStore(database);
  await expect(chats.create({ appId: 'none', title: 'x', mode: 'ask' })).rejects.toThrow(/insert into/);
});

test('a migration runs whole or not at all, and leaves a copy of what was before', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'agent.db');
  (await openDatabase({ file })).close();
  await query(file, `INSERT INTO settings VALUES ('kept', '1')`);
  const broken = { name: 'broken', statements: ['CREATE TABLE more (id text)', 'CREATE TABLE more (id text)'] };
  await expect(openDatabase({ file, migrations: [...migrations, broken] })).rejects.toThrow(/already exists/);
  expect(await query(file, 'PRAGMA user_version')).toEqual([{ user_version: migrations.length }]);
  expect(await query(file, `SELECT name FROM sqlite_master WHERE name = 'more'`)).toEqual([]);

  const good = { name: 'good', statements: ['CREATE TABLE more (id text)'] };
  (await openDatabase({ file, migrations: [...migrations, good] })).close();
  expect(await query(file, 'PRAGMA user_version')).toEqual([{ user_version: migrations.length + 1 }]);
  const copy = join(folder, `agent.db.before-${migrations.length + 1}`);
  expect(await query(copy, 'PRAGMA user_version')).toEqual([{ user_version: migrations.length }]);
  expect(await query(copy, `SELECT value FROM settings WHERE key = 'kept'`)).toEqual([{ value: '1' }]);
  expect((await stat(copy)).mode & 0o077).toBe(0);
});

test('the database of a newer program is refused by name and left as it is', async () => {
  const file = join(await tempFolder(), 'agent.db');
  (await openDatabase({ file })).close();
  await query(file, `PRAGMA user_version = ${migrations.length + 7}`);
  await expect(openDatabase({ file })).rejects.toMatchObject({
    code: 'database_newer',
    message: expect.stringContaining(`${migrations.length + 7}`),
  });
  expect(await query(file, 'PRAGMA user_version')).toEqual([{ user_version: migrations.length + 7 }]);
});

test.each([
  ['no database', Buffer.from('this was a letter\n'.repeat(1000))],
  ['zeros', Buffer.alloc(8192)],
])('a file that is %s is refused, left as it is, and set aside when asked', async (_, content) => {
  const folder = await tempFolder();
  const file = join(folder, 'agent.db');
  await writeFile(file, content);
  await expect(openDatabase({ file })).rejects.toMatchObject({ code: 'database_corrupt' });
  expect(await readFile(file)).toEqual(content);
  const kept = await setAside(file);
  expect(await readFile(kept)).toEqual(content);
  (await openDatabase({ file })).close();
});

test('a database with a damaged page is refused', async () => {
  const file = join(await tempFolder(), 'agent.db');
  (await openDatabase({ file })).close();
  await query(file, 'PRAGMA wal_checkpoint(TRUNCATE)');
  const content = await readFile(file);
  content.fill(0xff, 4096, 4096 + 200);
  await writeFile(file, content);
  const thrown = await openDatabase({ file }).then(
    ({ close }) => close(),
    (error: unknown) => error,
  );
  expect(thrown).toMatchObject({ code: 'database_corrupt' });
  expect(await readFile(file)).toEqual(content);
});

test('a program that is killed while it writes leaves a database that opens, with every message that it said was saved', async () => {
  const file = join(await tempFolder(), 'agent.db');
  const writer = new URL('fixtures/write-messages.mjs', import.meta.url).pathname;
  for (const after of [1, 3, 17, 40]) {
    const child = spawn(process.execPath, [writer, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let saved: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      saved = [...saved, ...text.split('\n').filter((line) => line !== '')];
      if (saved.length >= after) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const { database, close } = await openDatabase({ file });
    const chats = new ChatStore(database);
    const [chatId = ''] = saved;
    const ids = (await chats.listMessages(chatId)).map(({ id }) => id);
    // The last line can be cut.
    expect(ids).toEqual(expect.arrayContaining(saved.slice(1, -1)));
    expect((await chats.markInterrupted()).length).toBeLessThanOrEqual(1);
    close();
    expect(await query(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  }
  expect((await readdir(join(file, '..'))).filter((name) => name.includes('damaged'))).toEqual([]);
});
