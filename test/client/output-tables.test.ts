// Tables that are saved as XLSX and Parquet, read again by others: DuckDB, unzip and the XML parser, and the built-ins.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunResult, SandboxError } from '@mustard-sandbox/client';
import { OutputFolder } from '../../packages/sandbox-client/src/outputs/folder.ts';
import { RunOutputs } from '../../packages/sandbox-client/src/outputs/run-outputs.ts';
import { loadDuckDB } from '../../packages/sandbox-daemon/src/files/query/duckdb.ts';
import { parquetOf } from '../../packages/sandbox-daemon/src/files/save/parquet.ts';
import { xlsxOf } from '../../packages/sandbox-daemon/src/files/save/xlsx.ts';
import { readSheet } from '../../packages/sandbox-daemon/src/files/sheets/read-sheet.ts';
import { accessTo, makeFolder } from '../files/support.ts';
import { runs } from '../full.ts';
import { shared } from './support.ts';

const { XMLValidator } = createRequire(import.meta.url)('fast-xml-parser') as {
  XMLValidator: { validate(xml: string): unknown };
};
const limits = { timeoutMs: 10_000 };
const run = async (outputs: string, script: string): Promise<RunResult> =>
  await shared().run({ script, outputs, limits });
const failure = async (outputs: string, script: string): Promise<SandboxError> =>
  await run(outputs, script).then(
    ({ value }) => expect.unreachable(JSON.stringify(value)),
    (error: unknown) => error as SandboxError,
  );
const check = (): void => {};
const rows = `[{ n: 1, x: 1.5, ok: true, day: '2024-02-29', text: '=1+1', more: { a: [1] } }, { n: null, x: 2, ok: false, day: '2024-03-01', text: 'a<b>&"c"\\n\\u0007 _x0041_' }]`;

async function fromDuckDB(path: string): Promise<{ types: string[]; rows: unknown[] }> {
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
  const found = { types: read.columnTypes().map(String), rows: read.getRowsJson() };
  connection.closeSync();
  instance.closeSync();
  return found;
}

test('a Parquet file has the columns of the rows, as DuckDB reads it, and a later script', async () => {
  const folder = makeFolder();
  const { value, outputs } = await run(folder, `save('a.parquet', ${rows})`);
  expect(value).toEqual({ name: 'a.parquet', size: readFileSync(join(folder, 'a.parquet')).length });
  expect(outputs).toMatchObject([{ name: 'a.parquet', head: '' }]);
  expect(await fromDuckDB(join(folder, 'a.parquet'))).toEqual({
    types: ['BIGINT', 'DOUBLE', 'BOOLEAN', 'VARCHAR', 'VARCHAR', 'VARCHAR'],
    rows: [
      ['1', 1.5, true, '2024-02-29', '=1+1', '{"a":[1]}'],
      [null, 2, false, '2024-03-01', 'a<b>&"c"\n\u0007 _x0041_', null],
    ],
  });
  const next = await run(folder, `query('select sum(x) s from t', { t: 'outputs:a.parquet' }).rows`);
  expect(next.value).toEqual([{ s: 3.5 }]);
});

const hasUnzip = spawnSync('unzip', ['-v']).status === 0;

test.skipIf(!hasUnzip)(
  'a workbook has the rows, no formulas, and parts that are valid, and a later script reads it',
  async () => {
    const folder = makeFolder();
    await run(folder, `save('a.xlsx', ${rows})`);
    const path = join(folder, 'a.xlsx');
    execFileSync('unzip', ['-tqq', path]);
    const parts = execFileSync('unzip', ['-Z1', path]).toString().trim().split('\n');
    expect(parts).toContain('[Content_Types].xml');
    for (const part of parts) {
      const xml = execFileSync('unzip', ['-p', path, part.replaceAll(/[[\]]/g, '\\$&')]).toString();
      expect(XMLValidator.validate(xml), part).toBe(true);
      expect(xml, part).not.toContain('<f>');
    }
    const { value } = await run(folder, `read_sheet('outputs:a.xlsx').rows`);
    expect(value).toEqual([
      { n: 1, x: 1.5, ok: true, day: '2024-02-29', text: '=1+1', more: '{"a":[1]}' },
      { n: null, x: 2, ok: false, day: '2024-03-01', text: 'a<b>&"c"\n\u0007 _x0041_', more: null },
    ]);
    const typed = await run(
      folder,
      `query('select typeof(day) d, max(day) m from t group by 1', { t: 'outputs:a.xlsx' }).rows`,
    );
    expect(typed.value).toEqual([{ d: 'DATE', m: '2024-03-01' }]);
  },
);

test('lists, the answer of query, single values and no rows', async () => {
  const folder = makeFolder();
  await run(
    folder,
    `save('a.xlsx', [['x', 1], ['y', 2]]); save('b', { rows: [{ a: 1 }], truncated: false }, { format: 'xlsx' });
     save('c.parquet', [1, 2]); save('d.parquet', []); save('e.xlsx', []); save('f.parquet', [['x', 1], ['y', 2, true]])`,
  );
  expect(readdirSync(folder).sort()).toEqual(['a.xlsx', 'b.xlsx', 'c.parquet', 'd.parquet', 'e.xlsx', 'f.parquet']);
  const sheet = (name: string, header: boolean): unknown =>
    JSON.parse(JSON.stringify(readSheet(accessTo(folder), [name, { header }]).rows));
  expect(sheet('a.xlsx', false)).toEqual([
    ['x', 1],
    ['y', 2],
  ]);
  expect(sheet('b.xlsx', true)).toEqual([{ a: 1 }]);
  expect(sheet('e.xlsx', true)).toEqual([]);
  expect((await fromDuckDB(join(folder, 'c.parquet'))).rows).toEqual([['1'], ['2']]);
  expect((await fromDuckDB(join(folder, 'd.parquet'))).rows).toEqual([]);
  expect((await fromDuckDB(join(folder, 'f.parquet'))).rows).toEqual([
    ['x', '1', null],
    ['y', '2', true],
  ]);
});

test('a text, an appended row and more than Excel opens are refused, and nothing is left', async () => {
  const folder = makeFolder();
  const said = async (script: string): Promise<string> => (await failure(folder, script)).message;
  expect(await said(`save('a.xlsx', 'a,b')`)).toContain('made of rows');
  expect(await said(`save('a.parquet', 'a,b')`)).toContain('made of rows');
  expect(await said(`save('a.xlsx', [[1]], { append: true })`)).toContain('appended');
  expect(await said(`save('a.xlsx', ['x'.repeat(40000)])`)).toContain('A2 has 40000');
  expect(await said(`save('a.xlsx', [Array.from({ length: 20000 }, () => 1)])`)).toContain('16384 columns');
  expect(readdirSync(folder)).toEqual([]);
});

describe('what a sidecar that was taken over sends', () => {
  const take = (...args: unknown[]): unknown => {
    const folder = makeFolder();
    using saved = new RunOutputs(new OutputFolder(folder), { maxBytes: 1000, maxFiles: 2 });
    try {
      return saved.take(...(args as never[]));
    } catch (error) {
      expect(readdirSync(folder)).toEqual([]);
      return (error as Error).message;
    }
  };
  const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
  const options = { encoding: 'base64', isLast: true };

  test.each([
    ['a program as a table', 'a.xlsx', base64('MZ\x90\0'), options],
    ['a page as a table', 'a.parquet', base64('<html>'), options],
    ['a text as a table', 'a.xlsx', 'PK\x03\x04', { isLast: true }],
    ['bytes as a text', 'a.csv', base64('\xff\xfe'), options],
    ['nothing as a table', 'a.parquet', '', options],
  ])('%s is refused', (_, name, text, given) => {
    expect(take(name, text, given)).toContain('has another content');
  });

  test('more bytes than a run may save are refused', () => {
    expect(take('a.xlsx', base64(`PK\x03\x04${'x'.repeat(2000)}`), options)).toContain('1000 bytes');
    expect(take('a.xlsx', base64('PK\x03\x04'), options)).toEqual({ name: 'a.xlsx', size: 4 });
  });
});

test('any rows come back as they were', async () => {
  const cell = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(null, '_x0041_', '_x_', '2024-02-30', '1900-01-01', '9999-12-31', ' a ', '\r\n', '007', '=A1'),
  );
  const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
  const folder = makeFolder();
  await fc.assert(
    fc.asyncProperty(table, async (given) => {
      const { writeFileSync } = process.getBuiltinModule('node:fs');
      const columns = ['a', 'b', 'c'];
      writeFileSync(join(folder, 'a.xlsx'), xlsxOf({ columns, rows: given }, check));
      const { rows: sheet } = readSheet(accessTo(folder), ['a.xlsx']);
      const expected = given.filter((row) => row.some((value) => value !== null && value !== ''));
      const seen = sheet.map((row) => columns.map((name) => (row as Record<string, unknown>)[name]));
      expect(seen.filter((row) => row.some((value) => value !== null && value !== ''))).toEqual(
        expected.map((row) => row.map((value) => (Object.is(value, -0) ? 0 : value))),
      );
      writeFileSync(join(folder, 'a.parquet'), parquetOf({ columns, rows: given }, check));
      const { rows: read } = await fromDuckDB(join(folder, 'a.parquet'));
      const text = (value: unknown): unknown =>
        value === null
          ? null
          : (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\p{Cs}/gu, '\ufffd');
      expect(read.map((row) => (row as unknown[]).map(text))).toEqual(given.map((row) => row.map(text)));
    }),
    runs(300, 40),
  );
});
