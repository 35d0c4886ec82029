import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../files/support.ts';
import { attach, runExample } from './support.ts';

const log = 'one\ntwo ERROR a\nthree\n\nfive ERROR bb\nsix\n';

describe('search.js', () => {
  test.each([
    ['server.log', log],
    ['server.log.gz', gzipSync(log)],
  ])('shows what matches in %s, and its neighbours', async (name, content) => {
    const inputs = { pattern: 'error B', flags: 'i', around: 1 };
    const { value } = await runExample('search.js', { scope: attach(name, content), inputs });
    const path = `attachments:${name}`;
    expect(value).toBe([`${path}-4-`, `${path}:5:five ERROR bb`, `${path}-6-six`].join('\n'));
  });

  test('looks into the files of a glob, and says where it stopped or that there is nothing', async () => {
    const root = makeFolder({ 'a.log': log, 'b/c.log': log, 'd.txt': log });
    const run = async (inputs: Record<string, unknown>): Promise<unknown> =>
      (await runExample('search.js', { scope: { root }, inputs: { where: '*.log', ...inputs } })).value;
    expect(await run({ pattern: 'ERROR' })).toBe(
      'a.log:2:two ERROR a\na.log:5:five ERROR bb\nb/c.log:2:two ERROR a\nb/c.log:5:five ERROR bb',
    );
    expect(await run({ pattern: 'ERROR', limit: 1 })).toBe('a.log:2:two ERROR a\n… and more than these 1');
    expect(await run({ pattern: 'nowhere' })).toBe('No line matches.');
    const everywhere = await runExample('search.js', { scope: { root }, inputs: { pattern: '^six' } });
    expect(everywhere.value).toBe('a.log:6:six\nb/c.log:6:six\nd.txt:6:six');
  });
});

describe('line-range.js', () => {
  test.each([
    ['a.txt', log],
    ['a.txt.gz', gzipSync(log)],
  ])('numbers the lines of %s', async (name, content) => {
    const { value } = await runExample('line-range.js', {
      scope: attach(name, content),
      inputs: { start: 4, count: 2 },
    });
    expect(value).toBe('4: \n5: five ERROR bb');
  });
});

describe('line-lengths.js', () => {
  test('counts lines, and finds the longest of them', async () => {
    const { value } = await runExample('line-lengths.js', { scope: attach('a.txt', log), inputs: { top: 2 } });
    expect(value).toEqual({
      lines: 6,
      empty: 1,
      longest: [
        { line: 5, length: 13, start: 'five ERROR bb' },
        { line: 2, length: 11, start: 'two ERROR a' },
      ],
    });
  });
});

describe('find-files.js', () => {
  test('finds files in all folders, largest first', async () => {
    const root = makeFolder({ 'a.ts': 'a', 'b/c.ts': 'ccc', 'b/d.js': 'd', '.env': 'secret' });
    const { value } = await runExample('find-files.js', { scope: { root }, inputs: { glob: '*.ts', limit: 1 } });
    expect(value).toEqual({ files: 2, bytes: 4, shown: [{ path: 'b/c.ts', size: 3 }] });
  });
});

describe('sql.js', () => {
  test.each([
    ['orders.csv', 'region,amount\nnorth,2\nsouth,3\nnorth,5\n'],
    ['orders.ndjson.gz', gzipSync('{"region":"north","amount":7}\n{"region":"south","amount":3}\n')],
  ])('groups the rows of %s', async (name, content) => {
    const sql = 'select region, sum(amount)::int total from t group by 1 order by 1';
    const { value } = await runExample('sql.js', { scope: attach(name, content), inputs: { sql } });
    expect(value).toEqual({
      rows: [
        { region: 'north', total: 7 },
        { region: 'south', total: 3 },
      ],
      truncated: false,
    });
  });
});

describe('json-at.js', () => {
  const json = JSON.stringify({ user: { plan: 'pro' }, items: [1, 2, 3, 4] });

  test('gives what is at a place, and some items of a list', async () => {
    const scope = attach('a.json', json);
    expect((await runExample('json-at.js', { scope, inputs: { pointer: '/user/plan' } })).value).toBe('pro');
    const some = await runExample('json-at.js', { scope, inputs: { pointer: '$.items', offset: 1, limit: 2 } });
    expect(some.value).toEqual([2, 3]);
  });

  test('gives the shape without a place', async () => {
    const { value } = await runExample('json-at.js', { scope: attach('a.json', json) });
    expect(JSON.stringify(value)).toMatch(/user.*items/);
  });
});

describe('pdf-search.js', () => {
  test('finds a word, with its page', async () => {
    const path = join(import.meta.dirname, '../files/fixtures/three-pages.pdf');
    const { value } = await runExample('pdf-search.js', {
      scope: { attachments: [{ name: 'a.pdf', path }] },
      inputs: { word: 'chapter 2', width: 0 },
    });
    expect(value).toEqual({ pages: 3, places: 1, shown: [{ page: 2, text: 'Chapter 2' }] });
  });
});
