import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SandboxError } from '@mustard-sandbox/protocol';
import { profile } from '../../packages/sandbox-daemon/src/files/profile/profile.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import { accessTo, makeFolder } from './support.ts';

const ask = async (root: string, sql: string, tables: object = {}, options?: object) =>
  await query(accessTo(root), [sql, tables, options]);

const rowsOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).rows.map((row) => ({ ...row }));

async function refusal(promise: Promise<unknown>): Promise<SandboxError> {
  const error = await promise.then(
    (value) => new Error(`Nothing was thrown; it gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof SandboxError) return error;
  throw error;
}

test('a percentile by group over a CSV, as plain JavaScript has it', async () => {
  const rows = Array.from({ length: 5000 }, (_, at) => ({ region: `r${at % 3}`, ms: (at * 7919) % 1000 }));
  const root = makeFolder({ 'a.csv': `region,ms\n${rows.map(({ region, ms }) => `${region},${ms}`).join('\n')}\n` });
  const given = await rowsOf(root, 'select region, quantile_disc(ms, 0.95) p from t group by 1 order by 1', {
    t: 'a.csv',
  });
  const expected = ['r0', 'r1', 'r2'].map((region) => {
    const all = rows
      .filter((row) => row.region === region)
      .map(({ ms }) => ms)
      .toSorted((a, b) => a - b);
    return { region, p: all[Math.ceil(0.95 * all.length) - 1] };
  });
  expect(given).toEqual(expected);
});

test('what is in a file decides how it is read, packed or not', async () => {
  const json = '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n';
  const root = makeFolder({
    'a.csv': 'a,b\n1,x\n2,y\n',
    'a.tsv': 'a\tb\n1\tx\n2\ty\n',
    'a.csv.gz': gzipSync('a,b\n1,x\n2,y\n'),
    'a.ndjson': json,
    'a.jsonl.gz': gzipSync(json),
    'a.json': '[{"a":1,"b":"x"},\n{"a":2,"b":"y"}]',
    noending: 'a;b\n1;x\n2;y\n',
    'quoted.csv': 'a,b\n1,"x"\n2,"y"\n',
    'latin.csv': Buffer.from('a,b\n1,x\n2,ü\n', 'latin1'),
    'plain.log': 'one, two\n\n"three\n',
  });
  for (const name of ['a.csv', 'a.tsv', 'a.csv.gz', 'a.ndjson', 'a.jsonl.gz', 'a.json', 'noending', 'quoted.csv']) {
    expect(await rowsOf(root, 'select a, b from t order by a', { t: name }), name).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
  }
  expect(await rowsOf(root, 'select b from t where a = 2', { t: 'latin.csv' })).toEqual([{ b: 'ü' }]);
  const lines = await rowsOf(root, "select coalesce(line, '') as line from t", { t: 'plain.log' });
  expect(lines).toEqual([{ line: 'one, two' }, { line: '' }, { line: '"three' }]);
  expect(await rowsOf(root, 'select count(*) n from t', { t: ['a.csv', 'quoted.csv'] })).toEqual([{ n: 4 }]);
  expect(await rowsOf(root, 'select count(*) n from a join b using (a)', { a: 'a.csv', b: 'a.json' })).toEqual([
    { n: 2 },
  ]);
});

test('a Parquet file is read', async () => {
  const root = makeFolder();
  writeFileSync(join(root, 'a.parquet'), readFileSync(new URL('fixtures/two-rows.parquet', import.meta.url)));
  expect(await rowsOf(root, 'from t order by a', { t: 'a.parquet' })).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ]);
});

test('each type of DuckDB comes as what a script can use', async () => {
  const [row] = await rowsOf(
    makeFolder(),
    `select 9007199254740991 a, 9007199254740993 b, 12.50 c, 123456789012345.678901 d, 'nan'::double e, null f, [1, 2] g,
       {'x': 1, 'y': [date '2024-02-29']} h, map {'k': 1} i, map {1: 'v'} j, timestamp '2024-01-02 03:04:05.678' k,
       timestamptz '2024-01-02 03:04:05+02' l, time '01:02:03' m, interval 3 day n, true o,
       '12345678-1234-1234-1234-123456789012'::uuid p, sum(x) q from range(4) r(x)`,
  );
  expect(row).toEqual({
    a: 9007199254740991,
    b: '9007199254740993',
    c: 12.5,
    d: '123456789012345.678901',
    e: NaN,
    f: null,
    g: [1, 2],
    h: { x: 1, y: ['2024-02-29'] },
    i: { k: 1 },
    j: [{ key: 1, value: 'v' }],
    k: '2024-01-02T03:04:05.678',
    l: '2024-01-02T01:04:05.000Z',
    m: '01:02:03',
    n: '3 days',
    o: true,
    p: '12345678-1234-1234-1234-123456789012',
    q: 6,
  });
});

test('limit cuts the rows and says so; two columns of one name are both there', async () => {
  const root = makeFolder();
  expect(await ask(root, 'from range(5)', {}, { limit: 5 })).toMatchObject({ truncated: false });
  expect(await ask(root, 'from range(6)', {}, { limit: 5 })).toMatchObject({ truncated: true });
  expect((await ask(root, 'from range(100000)', {}, { limit: 1_000_000 })).rows).toHaveLength(100_000);
  expect(await refusal(ask(root, 'from range(100001)', {}, { limit: 1_000_000 }))).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('more than 100000 rows') as string,
  });
  expect((await ask(root, 'from range(1001)')).rows).toHaveLength(1000);
  expect(await rowsOf(root, 'select 1 a, 2 a')).toEqual([{ a: 1, 'a:1': 2 }]);
});

test('a column whose type changes late in its file is read at the second look', async () => {
  const late = `a\n${'1\n'.repeat(30_000)}x\n`;
  const root = makeFolder({ 'late.csv': late });
  expect(await rowsOf(root, "select count(*) n from t where a = 'x'", { t: 'late.csv' })).toEqual([{ n: 1 }]);
});

test('broken lines are an error that says where, or left out where the script asks for it', async () => {
  const root = makeFolder({ 'a.ndjson': '{"a":1}\n{"a":\n{"a":3}\n', 'a.csv': 'a,b\n1,2\n3\n4,5\n' });
  expect((await refusal(ask(root, 'from t', { t: 'a.ndjson' }))).message).toMatch(/a\.ndjson/);
  expect((await refusal(ask(root, 'from t', { t: 'a.ndjson' }))).message).toMatch(/json_valid\(line\)/);
  const sum = "select sum((line->>'$.a')::int) s from t where json_valid(line)";
  expect(await rowsOf(root, sum, { t: { path: 'a.ndjson', format: 'lines' } })).toEqual([{ s: 4 }]);
  expect((await refusal(ask(root, 'from t', { t: { path: 'a.csv', header: true, delimiter: ',' } }))).message).toMatch(
    /a\.csv/,
  );
  const kept = { path: 'a.csv', header: true, delimiter: ',', ignoreErrors: true };
  expect(await rowsOf(root, 'select sum(a) s from t', { t: kept })).toEqual([{ s: 5 }]);
});

const linesOf = async (root: string, path: string | string[]): Promise<unknown[]> =>
  (await rowsOf(root, 'select line from t', { t: { path, format: 'lines' } })).map(({ line }) => line);

test('a table of lines has the lines that there are, in ends of either kind', async () => {
  const root = makeFolder({
    unix: 'a\nb\n\nc',
    windows: 'a\r\nb\r\n\r\nc\r\n',
    control: 'a\u0001b\nc\u0002\n',
    utf16: Buffer.from('\ufeffa\r\nb\r\n', 'utf16le'),
  });
  expect(await linesOf(root, 'unix')).toEqual(['a', 'b', null, 'c']);
  expect(await linesOf(root, 'windows')).toEqual(['a', 'b', null, 'c']);
  expect(await linesOf(root, ['unix', 'windows'])).toEqual(['a', 'b', null, 'c', 'a', 'b', null, 'c']);
  expect(await linesOf(root, 'control')).toEqual(['a\u0001b', 'c\u0002']);
  expect(await linesOf(root, 'utf16')).toEqual(['a', 'b']);
});

const far = 'x\n'.repeat(300_000);

test.each<[string, string | Uint8Array, RegExp]>([
  ['ends of both kinds', 'a\nb\r\nc\n', /end in \\n and others in \\r\\n/],
  ['ends of both kinds, far behind its start', `${far}a\r\n${far}`, /end in \\n and others in \\r\\n/],
  ['a return within a line', 'a\rb\nc\n', /\\r within lines/],
  ['a return at its end', 'a\r\nb\r', /\\r within lines/],
  ['ends of both kinds in UTF-16', Buffer.from('\ufeffa\nb\r\n', 'utf16le'), /end in/],
  ['big-endian UTF-16', Buffer.from('\ufeffa\nb\n', 'utf16le').swap16(), /UTF-16 that query does not read/],
  ['what DuckDB is told to part columns by', 'a\u0001\u0002\u0003\u0004b\n', /control characters/],
])('a table of lines with %s is refused, for it would have others', async (_, text, says) => {
  const root = makeFolder({ a: text, 'a.gz': gzipSync(text) });
  for (const path of ['a', 'a.gz']) {
    const error = await refusal(linesOf(root, path));
    expect(error).toMatchObject({ code: 'script_error', details: { name: 'NotReadableError' } });
    if (path === 'a') expect(error.message).toMatch(says);
    expect(error.message).toMatch(/lines\(path\)\), search and read_lines read it/);
  }
});

test('big-endian UTF-16 is refused as a CSV, too', async () => {
  const root = makeFolder({ 'a.csv': Buffer.from('\ufeffa,b\n1,2\n', 'utf16le').swap16() });
  expect((await refusal(rowsOf(root, 'select * from t', { t: 'a.csv' }))).message).toMatch(/does not read: big-endian/);
});

test('what the SQL gets wrong is told in words of the script', async () => {
  const root = makeFolder({ 'a.csv': 'name\nx\n' });
  const messages = await Promise.all(
    ['selec 1', 'select nme from t', 'from u', "select 'x'::int", 'pivot t on name using count(*)'].map(
      async (sql) => (await refusal(ask(root, sql, { t: 'a.csv' }))).message,
    ),
  );
  expect(messages[0]).toMatch(/syntax error at or near "selec"/);
  expect(messages[1]).toMatch(/"nme" not found.*"name"/);
  expect(messages[2]).toMatch(/no table u; there is t\. Name each file: query\(sql, \{ u: /);
  expect(messages[3]).toMatch(/Could not convert string 'x'/);
  expect(messages[4]).toMatch(/PIVOT needs its values/);
  for (const message of messages) expect(message).not.toMatch(/\/proc|\/dev\/fd|\/tmp|\/root/);
});

test('options and tables are checked', async () => {
  const root = makeFolder({ 'a.csv': 'a\n1\n', '.env': 'SECRET=1\n', 'pipe/': '' });
  expect(await refusal(ask(root, 'from t', { t: 'a.csv' }, { limt: 1 }))).toMatchObject({ code: 'invalid_request' });
  expect(await refusal(ask(root, 'from t', { t: { path: 'a.csv', sep: ',' } }))).toMatchObject({
    code: 'invalid_request',
  });
  expect(await refusal(ask(root, 'from t', { t: '.env' }))).toMatchObject({ code: 'capability_denied' });
  expect(await refusal(ask(root, 'from t', { t: '/etc/passwd' }))).toMatchObject({ code: 'capability_denied' });
  expect(await refusal(ask(root, 'from t', { t: 'pipe' }))).toMatchObject({ code: 'capability_denied' });
  expect(await refusal(ask(root, 'from t', { t: 'none.csv' }))).toMatchObject({ details: { name: 'NotFoundError' } });
  const small = accessTo(root, { maxTotalReadBytes: 2 });
  expect(await refusal(query(small, ['from t', { t: 'a.csv' }]))).toMatchObject({ code: 'limit_exceeded' });
});

test('an apostrophe in a quoted cell is no quotation mark', async () => {
  const root = makeFolder({
    'one.csv': `n,text\n0,"'"",a"\n`,
    'apostrophes.csv': `n,text\n0,'a,b'\n1,'c'\n2,'d,e'\n`,
    'open.csv': 'n,text\n0,"a\n1,b\n2,c\n',
    'backslashes.csv': String.raw`n,text
0,"a\""
1,"b\",c"
2,"d"
`,
  });
  expect(await rowsOf(root, 'from t', { t: { path: 'one.csv', header: true } })).toEqual([{ n: 0, text: `'",a` }]);
  // Longer than what is looked at.
  const cell = `it's "x", ok`;
  const rows = Array.from({ length: 2_000 }, (_, at) => `${at},"${cell.replaceAll('"', '""')}"\n`);
  const long = makeFolder({ 'long.csv': `n,text\n${rows.join('')}` });
  expect(await rowsOf(long, 'select text, count(*)::int as n from t group by 1', { t: 'long.csv' })).toEqual([
    { text: cell, n: 2_000 },
  ]);
  // Elsewhere DuckDB finds out what quotes, and what stands before a quotation mark in a cell.
  const texts = async (path: string) => (await rowsOf(root, 'from t', { t: path })).map(({ text }) => text);
  expect(await texts('apostrophes.csv')).toEqual(['a,b', 'c', 'd,e']);
  expect(await texts('open.csv')).toEqual(['"a', 'b', 'c']);
  expect(await texts('backslashes.csv')).toEqual(['a"', 'b",c', 'd']);
});

test('a cell may hold any text', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', 'ü', '😀', ' ', ';', "'") });
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 8 }), async (cells) => {
      const quoted = cells.map((text, at) => `${at},"${text.replaceAll('"', '""')}"\n`);
      const root = makeFolder({ 'a.csv': `n,text\n${quoted.join('')}` });
      const table = { path: 'a.csv', header: true, delimiter: ',' };
      const sql = "select coalesce(text::varchar, '') as text from t order by n";
      expect((await rowsOf(root, sql, { t: table })).map(({ text }) => text)).toEqual(cells);
    }),
    { numRuns: 15 },
  );
});

test('the examples of docs/query.md run', async () => {
  const page = readFileSync(new URL('../../docs/query.md', import.meta.url), 'utf8');
  const [percentile = '', broken = '', ...others] = [...page.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql);
  expect(others).toEqual([]);
  const root = makeFolder({ 'a.csv': 'region,ms\neu,1\neu,2\nus,9\n', 'a.ndjson': '{"bytes":1}\n{"by\n{"bytes":2}\n' });
  expect(await rowsOf(root, percentile, { t: 'a.csv' })).toEqual([
    { region: 'us', p95: 9, n: 1 },
    { region: 'eu', p95: 1.95, n: 2 },
  ]);
  expect(await rowsOf(root, broken, { t: { path: 'a.ndjson', format: 'lines' } })).toEqual([{ bytes: 3 }]);
});

test.each([
  ['select order from t', 'order'],
  ['select a, Group from t', 'Group'],
  ['select a from t where order = 2', 'order'],
  ['select a from t order by limit', 'limit'],
])('a column whose name is a word of SQL: %s', async (sql, word) => {
  const files = accessTo(makeFolder({ 't.csv': 'a,order,group,limit\n1,2,3,4\n' }));
  const quoted = `A column of that name is written in double quotes: "${word}".`;
  await expect(query(files, [sql, { t: 't.csv' }])).rejects.toThrow(quoted);
  const { rows } = await query(files, [sql.replace(word, `"${word}"`), { t: 't.csv' }]);
  expect(rows).toHaveLength(1);
});

test('another mistake in SQL is told without that', async () => {
  const files = accessTo(makeFolder({ 't.csv': 'a,b\n1,2\n' }));
  await expect(query(files, ['select a b c from t', { t: 't.csv' }])).rejects.toThrow(
    /syntax error(?!.*double quotes)/s,
  );
});

test('several files by a pattern, with their names', async () => {
  const root = makeFolder({
    'logs/a.csv': 'n,s\n1,x\n',
    'logs/deep/b.csv': 'n,s\n2,y\n3,z\n',
    'logs/c.csv.gz': gzipSync('n,s\n4,w\n'),
    'logs/.env.csv': 'n,s\n5,v\n',
    'logs/out.csv': { link: '../../nothing.csv' },
    'one[1].csv': 'n,s\n6,u\n',
  });
  const sql = 'select filename, sum(n)::int n from t group by 1 order by 1';
  expect(await rowsOf(root, sql, { t: 'logs/**/*.csv' })).toEqual([
    { filename: 'logs/a.csv', n: 1 },
    { filename: 'logs/deep/b.csv', n: 5 },
  ]);
  expect(await rowsOf(root, sql, { t: { path: 'logs/*.csv.gz' } })).toEqual([{ filename: 'logs/c.csv.gz', n: 4 }]);
  // A file whose name is a pattern is that file.
  expect(await rowsOf(root, 'select n from t', { t: 'one[1].csv' })).toEqual([{ n: 6 }]);
  expect(await refusal(ask(root, sql, { t: 'no/*.csv' }))).toMatchObject({ details: { name: 'NotFoundError' } });
  expect(await refusal(ask(root, sql, { t: '../*.csv' }))).toMatchObject({ code: 'capability_denied' });
  expect((await refusal(ask(root, sql, { t: 'logs/{a.csv,c.csv.gz}' }))).message).toContain('packed in several ways');
  const many = makeFolder(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`${at}.csv`, 'n\n1\n'])));
  expect(await refusal(ask(many, sql, { t: '*.csv' }))).toMatchObject({ code: 'limit_exceeded' });
});

test('what DuckDB says of columns that do not print is one line of text that does', async () => {
  const root = makeFolder({ 'a.csv': 'x\u0002,y\n1,2\n3,4\n', 'b.csv': 'z,y\n1,2\n3,4\n' });
  for (const given of [() => profile(accessTo(root), ['*.csv']), () => ask(root, 'select q from t', { t: 'a.csv' })]) {
    const { message } = await refusal(given());
    expect(message).toContain('\\u{2}');
    // oxlint-disable-next-line no-control-regex -- that is the point
    expect(message).not.toMatch(/[\u0000-\u001f]/);
  }
});
