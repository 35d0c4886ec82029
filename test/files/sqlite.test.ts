import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { profile } from '../../packages/sandbox-daemon/src/files/profile/profile.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import { accessTo, makeFolder } from './support.ts';

interface Writable {
  run(sql: string): void;
  export(): Uint8Array;
  close(): void;
}
const start = createRequire(import.meta.url)('sql.js') as () => Promise<{ Database: new () => Writable }>;

/** An SQLite file in which these statements were run. */
async function made(sql: string): Promise<Buffer> {
  const { Database } = await start();
  const database = new Database();
  database.run(sql);
  const bytes = Buffer.from(database.export());
  database.close();
  return bytes;
}

const users = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, score REAL, big INTEGER, raw BLOB, mixed);
  WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 999)
  INSERT INTO users SELECT x, 'n' || (x % 5), CASE x % 10 WHEN 0 THEN NULL ELSE x / 2.0 END, (1 << 60) + x, x'01ff', CASE x % 2 WHEN 0 THEN x ELSE 'odd' END FROM n;`;

const ask = async (content: Buffer, sql: string, options: object = {}) => {
  const files = accessTo(makeFolder({ 'a.db': content }));
  const { rows } = await query(files, [sql, { t: { path: 'a.db', ...options } }]);
  return rows.map((row) => ({ ...row }));
};
const failure = async (content: Buffer, options: object = {}) =>
  await ask(content, 'select * from t', options).then(
    (rows) => expect.unreachable(JSON.stringify(rows)),
    (error: unknown) => error,
  );

test('a table of SQLite as SQLite has it', async () => {
  const content = await made(users);
  expect(
    await ask(
      content,
      'select name, count(*) n, sum(score) s, max(big) b, any_value(raw) r from t group by 1 order by 1 limit 1',
    ),
  ).toEqual([
    {
      name: 'n0',
      n: 200,
      s: Array.from({ length: 100 }, (_, at) => (at * 10 + 5) / 2).reduce((a, b) => a + b),
      b: String(2n ** 60n + 995n),
      r: '01ff',
    },
  ]);
  const types = 'select typeof(id) i, typeof(score) s, typeof(big) b, typeof(mixed) m from t limit 1';
  expect(await ask(content, types)).toEqual([{ i: 'BIGINT', s: 'DOUBLE', b: 'BIGINT', m: 'VARCHAR' }]);
});

test('of several tables one is named, and a mistake tells which there are', async () => {
  const content = await made(`${users} CREATE TABLE "od""d" (a); INSERT INTO "od""d" VALUES (1)`);
  expect(await ask(content, 'select * from t', { table: 'od"d' })).toEqual([{ a: 1 }]);
  expect(await failure(content)).toMatchObject({
    message: expect.stringContaining('has the tables od"d, users. Name one'),
  });
  expect(await failure(content, { table: 'x' })).toMatchObject({ details: { name: 'NotFoundError' } });
  expect(await failure(await made('CREATE TABLE a (b); DROP TABLE a'))).toMatchObject({
    message: expect.stringContaining('no table'),
  });
});

test('profile knows it', async () => {
  const files = accessTo(makeFolder({ 'a.db': await made(users) }));
  expect(await profile(files, ['a.db'])).toMatchObject({
    format: 'sqlite',
    rows: 1000,
    columns: [{ key: true }, { distinct: 5 }, { nulls: 100 }, {}, {}, {}],
  });
});

test('a database in WAL mode is read as of its last checkpoint', async () => {
  const content = await made(users);
  content[18] = content[19] = 2;
  expect(await ask(content, 'select count(*) n from t')).toEqual([{ n: 1000 }]);
});

describe('a file that is made to hold up or take in', () => {
  test('views and virtual tables are programs, and not read', async () => {
    const content = await made(
      `${users} CREATE VIEW forever AS WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n`,
    );
    expect(await failure(content, { table: 'forever' })).toMatchObject({
      message: expect.stringContaining('it has the tables users'),
    });
    expect(await failure(content, { table: 'sqlite_master' })).toMatchObject({ details: { name: 'NotFoundError' } });
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 5000)],
    ['noise behind its head', (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 100, 4096)],
    ['only a head', (bytes: Buffer) => bytes.subarray(0, 100)],
    ['only a mark', (bytes: Buffer) => bytes.subarray(0, 16)],
  ])('%s', async (_, change) => {
    expect(await failure(change(await made(users)))).toMatchObject({ code: 'script_error' });
  });

  test('any byte changed gives rows or an error with a code, and nothing else', async () => {
    const content = await made("CREATE TABLE a (b, c); INSERT INTO a VALUES (1, 2), (3, 'x')");
    for (let at = 16; at < content.length; at += Math.ceil(content.length / 60)) {
      const bytes = Buffer.from(content);
      bytes[at] = (bytes[at] as number) ^ 0xff;
      const answer = await ask(bytes, 'select count(*) n from t').catch((error: { code?: string }) => error.code);
      expect(answer).toSatisfy(
        (given) => Array.isArray(given) || ['script_error', 'limit_exceeded'].includes(String(given)),
      );
    }
  });

  test('one that is too large is refused before it is read', async () => {
    const root = makeFolder({ 'a.db': await made(users) });
    truncateSync(join(root, 'a.db'), 5 * 2 ** 30);
    const files = accessTo(root);
    await expect(query(files, ['select * from t', { t: 'a.db' }])).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect(files.bytesRead).toBe(0);
  });

  test('what the guard refuses, and what the SQL may not do, is as for other tables', async () => {
    const root = makeFolder({ 'a.db': await made(users), to: { link: '/etc/hostname' } });
    const files = accessTo(root);
    for (const path of ['../a.db', 'to', '.env']) {
      await expect(query(files, ['select * from t', { t: path }])).rejects.toMatchObject({ code: 'capability_denied' });
    }
    for (const sql of ["attach 'x.db'", 'insert into t values (1)', "select * from read_text('/etc/passwd')"]) {
      await expect(query(files, [sql, { t: 'a.db' }])).rejects.toMatchObject({ code: 'capability_denied' });
    }
    writeFileSync(join(root, 'b.txt'), readFileSync(join(root, 'a.db')));
    expect((await query(files, ['select count(*) n from t', { t: 'b.txt' }])).rows[0]).toMatchObject({ n: 1000 });
  });
});
