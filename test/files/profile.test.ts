import { join } from 'node:path';
import { truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { LogProfile } from '../../packages/sandbox-daemon/src/files/profile/log.ts';
import { profile } from '../../packages/sandbox-daemon/src/files/profile/profile.ts';
import type { TableProfile } from '../../packages/sandbox-daemon/src/files/profile/table.ts';
import { Templates } from '../../packages/sandbox-daemon/src/files/profile/templates.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import { accessTo, makeFolder, type Layout } from './support.ts';

const table = async (layout: Layout, path: string, options?: object): Promise<TableProfile> =>
  (await profile(accessTo(makeFolder(layout)), [path, options])) as TableProfile;
const log = async (layout: Layout, path: string): Promise<LogProfile> =>
  (await profile(accessTo(makeFolder(layout)), [path])) as LogProfile;

const rows = Array.from({ length: 3000 }, (_, at) => ({
  id: at * 7,
  region: `r${at % 3}`,
  amount: at % 10 === 0 ? 'N/A' : String(((at * 7919) % 1000) / 4),
  note: at % 4 === 0 ? '' : `note ${at % 1009}`,
  at: `2026-0${(at % 9) + 1}-11`,
  made_at: 1_700_000_000 + at,
}));
const header = Object.keys(rows[0] as object).join(',');
const csv = `${header}\n${rows.map((row) => Object.values(row).join(',')).join('\n')}\n`;

/** What plain JavaScript counts. */
const different = (name: keyof (typeof rows)[0], of = rows): number =>
  new Set(of.map((row) => row[name]).filter((value) => value !== '')).size;

test.each([
  ['a.csv', csv],
  ['a.csv.gz', gzipSync(csv)],
  ['a', csv],
])('a CSV as plain JavaScript counts it: %s', async (name, content) => {
  const { rows: count, columns, broken, sampled } = await table({ [name]: content }, name);
  expect({ count, broken, sampled }).toEqual({ count: 3000, broken: undefined, sampled: undefined });
  expect(columns).toMatchObject([
    { name: 'id', type: 'BIGINT', nulls: 0, distinct: 3000, min: 0, max: 2999 * 7, key: true, examples: [0, 7, 14] },
    {
      ...{ name: 'region', type: 'VARCHAR', nulls: 0, distinct: 3, min: 'r0', max: 'r2', longest: 2 },
      top: expect.arrayContaining([{ value: 'r0', count: 1000 }]),
    },
    { name: 'amount', looks: 'numbers', others: 300, distinct: different('amount') },
    { name: 'note', nulls: 750, distinct: different('note') },
    { name: 'at', type: 'DATE', min: '2026-01-11', max: '2026-09-11', distinct: 9 },
    { name: 'made_at', looks: 'seconds since 1970', key: true },
  ]);
  expect(columns.map(({ key }) => key)).toEqual([true, undefined, undefined, undefined, undefined, true]);
});

test('broken rows are counted and shown, and the others profiled', async () => {
  const broken = csv.split('\n');
  broken[700] = '1,2,3,4,5,6,7,8';
  broken[900] = 'x';
  const found = await table({ 'a.csv': broken.join('\n') }, 'a.csv');
  expect(found).toMatchObject({
    rows: 2998,
    broken: { lines: 2, examples: [{ line: 701, text: '1,2,3,4,5,6,7,8', why: expect.any(String) }, { line: 901 }] },
  });
  expect(found.columns[0]).toMatchObject({ name: 'id', type: 'BIGINT' });
});

test('NDJSON with nested values, with and without broken lines', async () => {
  const lines = rows.map(({ id, region }) => JSON.stringify({ id, region, deep: { list: [id] } }));
  const whole = await table({ 'a.ndjson': lines.join('\n') }, 'a.ndjson');
  expect(whole).toMatchObject({
    format: 'json',
    rows: 3000,
    columns: [{ key: true }, { distinct: 3 }, { name: 'deep' }],
  });
  expect(whole.columns[2]).not.toHaveProperty('distinct');
  lines[5] = '{"id":';
  const cut = await table({ 'a.ndjson': lines.join('\n') }, 'a.ndjson');
  expect(cut).toMatchObject({ rows: 2999, broken: { lines: 1, examples: [{ text: '{"id":' }] } });
  expect(cut.columns.map(({ name }) => name)).toEqual(['id', 'region', 'deep']);
});

test('a list in JSON', async () => {
  const found = await table({ 'a.json': JSON.stringify(rows) }, 'a.json');
  expect(found).toMatchObject({ rows: 3000, columns: { length: 6 } });
});

test('a large file is sampled, which is said, and costs the run no more than that', async () => {
  const root = makeFolder({ 'a.csv': '' });
  writeFileSync(join(root, 'a.csv'), `${header}\n${csv.slice(header.length + 1).repeat(150)}`);
  const files = accessTo(root);
  const found = (await profile(files, ['a.csv'])) as TableProfile;
  expect(found.sampled).toMatch(/^the first 30000 rows, of about \d+0000$/);
  expect(found.rows).toBe(30_000);
  expect(files.bytesRead).toBeLessThanOrEqual(24 * 2 ** 20);
});

test('a log has the templates of its lines, as many as there are', async () => {
  const lines = Array.from({ length: 900 }, (_, at) => {
    const time = `2026-04-20T12:${String(at % 60).padStart(2, '0')}:00Z`;
    if (at % 3 === 0) return `${time} INFO user=${at} logged in from 10.0.0.${at % 255}`;
    return at % 3 === 1 ? `${time} ERROR timeout after ${at} ms on db-${at % 5}` : '';
  });
  const found = await log({ 'a.log': `${lines.join('\r\n')}\n` }, 'a.log');
  expect(found).toMatchObject({ lines: 900, empty: 300, kinds: 2, from: '2026-04-20T12:00:00Z' });
  expect(found.templates.map(({ template, count }) => [template, count])).toEqual([
    ['<*> INFO user=<*> logged in from <*>', 300],
    ['<*> ERROR timeout after <*> ms on <*>', 300],
  ]);
  expect(found.templates[0]?.example).toBe(lines[0]);
  expect(await log({ 'a.log.gz': gzipSync(lines.join('\n')) }, 'a.log.gz')).toMatchObject({ lines: 899, kinds: 2 });
});

test('words that differ become one place, and templates are bounded', () => {
  const templates = new Templates();
  for (const name of ['ann', 'bob', 'cem']) templates.push(`user ${name} has logged out`);
  expect(templates.top(5)).toEqual({
    templates: [{ template: 'user <*> has logged out', count: 3, example: 'user ann has logged out' }],
    kinds: 1,
  });
  const many = new Templates();
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  for (let at = 0; at < 20_000; at++) {
    const word = [...at.toString(26)].map((digit) => letters[Number.parseInt(digit, 26)]).join('');
    many.push(`${word}x ${word}y ${word}z`);
  }
  const { templates: top, kinds } = many.top(30);
  expect(top).toHaveLength(30);
  expect(kinds).toBeLessThanOrEqual(2_000);
  expect(many.rest).toBe(20_000 - 2_000);
  many.push('x '.repeat(1e6));
  many.push('y'.repeat(1e7));
});

test('a large log is sampled all over, its end too', async () => {
  const root = makeFolder();
  const line = (at: number): string => `2026-04-20 12:00:00 INFO step ${at} done\n`;
  const text = Array.from({ length: 100_000 }, (_, at) => line(at)).join('');
  writeFileSync(join(root, 'a.log'), `${text.repeat(6)}2026-04-21 01:00:00 FATAL out of disk\n`);
  const files = accessTo(root);
  const found = (await profile(files, ['a.log'])) as LogProfile;
  expect(found.sampled).toBe('32 pieces of 512 KB, spread over the file');
  expect(found.to).toBe('2026-04-21 01:00:00');
  expect(found.templates.map(({ template }) => template)).toContain('<*> FATAL out of disk');
  expect(files.bytesRead).toBeLessThanOrEqual(16 * 2 ** 20 + 2 ** 20);
});

test('a text that is no table is a log, and a table without an ending a table', async () => {
  expect(
    await log({ notes: 'One line of words, and so on.\nAnother\n\nA third; with a few more.\n' }, 'notes'),
  ).toMatchObject({
    format: 'lines',
    lines: 4,
  });
  expect(await table({ data: 'a;b\n1;2\n3;4\n' }, 'data')).toMatchObject({ format: 'csv', rows: 2 });
});

test('of a wide table the first 200 columns, and names of any kind', async () => {
  const names = Array.from({ length: 300 }, (_, at) => (at === 0 ? '"a ""quoted"" name"' : `"c'${at}"`));
  const found = await table({ 'a.csv': `${names.join(',')}\n${names.map((_, at) => at).join(',')}\n` }, 'a.csv');
  expect(found.columns).toHaveLength(200);
  expect(found.columns.slice(0, 2).map(({ name }) => name)).toEqual(['a "quoted" name', "c'1"]);
  expect(found.moreColumns).toBe(100);
});

test('an empty file, one of a header, and one of nothing but nulls', async () => {
  expect(await table({ 'a.csv': 'a,b\n' }, 'a.csv')).toMatchObject({ rows: 0, columns: [{ nulls: 0 }, { nulls: 0 }] });
  expect(await table({ 'a.ndjson': '{"a":null}\n{"a":null}\n' }, 'a.ndjson')).toMatchObject({
    rows: 2,
    columns: [{ nulls: 2 }],
  });
  expect(await log({ 'a.log': '' }, 'a.log')).toMatchObject({ lines: 0, templates: [] });
});

test('refuses what query refuses, and options that are not there', async () => {
  const root = makeFolder({ 'a.csv': csv, '.env': 'A=1', 'a.png': Buffer.from('\x89PNG\r\n\0', 'latin1') });
  const error = async (...args: unknown[]) =>
    await profile(accessTo(root), args).then(
      () => expect.unreachable(),
      (thrown: unknown) => thrown,
    );
  expect(await error('.env')).toMatchObject({ code: 'capability_denied' });
  expect(await error('../a.csv')).toMatchObject({ code: 'capability_denied' });
  expect(await error(7)).toMatchObject({ code: 'capability_denied' });
  expect(await error('a.png')).toMatchObject({ code: 'script_error', message: expect.stringContaining('profile: ') });
  expect(await error('a.csv', { rows: 5 })).toMatchObject({ code: 'invalid_request' });
  truncateSync(join(root, 'a.csv'), 2 ** 33);
  await expect(query(accessTo(root), ['select 1', { t: 'a.csv' }])).rejects.toMatchObject({ code: 'limit_exceeded' });
});
