// The files that the figure `readers` reads: all have the same columns, and each row follows from its number.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const bytesOfRow = 43;

/** @param {boolean} quick a tenth of the rows */
export function sizesOf(quick) {
  const part = quick ? 10 : 1;
  return { sheet: 100_000 / part, database: 1e6 / part, parquet: 1e6 / part, csv: Math.round(1e9 / bytesOfRow / part) };
}

/** The rows from `from` to `to`, as SQL of DuckDB. */
const rowsOf = (from, to) =>
  `select i as id, 'r' || (i % 8) as region, (i * 7919) % 5000 as ms, 'user ' || (i % 1000) || ' of some company' as name from range(${from}, ${to}) r(i)`;

/** CSV in four parts, which are also one table, and Parquet. @param {(sql: string) => Promise<unknown>} duckdb */
export async function writeTables(duckdb, folder, sizes) {
  const part = Math.ceil(sizes.csv / 4);
  for (let at = 0; at < 4; at++) {
    const rows = rowsOf(at * part, Math.min(sizes.csv, (at + 1) * part));
    await duckdb(`copy (${rows}) to '${join(folder, `part-${at}.csv`)}' (format csv, header)`);
  }
  await duckdb(`copy (${rowsOf(0, sizes.parquet)}) to '${join(folder, 'rows.parquet')}' (format parquet)`);
}

/** A workbook, as a script saves it. */
export async function writeSheet(sandbox, folder, rows) {
  const script = `save('rows.xlsx', Array.from({ length: ${rows} }, (_, id) => [id, 'r' + (id % 8), (id * 7919) % 5000]).reduce((all, row) => (all.push(row), all), [['id', 'region', 'ms']])).size`;
  const limits = { timeoutMs: 60_000, heapBytes: 256 * 1024 * 1024 };
  await sandbox.run({ script, limits, outputs: folder });
}

/** A database of SQLite. @param {any} initSqlJs the library of the sidecar */
export async function writeDatabase(initSqlJs, folder, rows) {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run('create table t (id integer, region text, ms integer)');
  database.run('begin');
  const insert = database.prepare('insert into t values (?, ?, ?)');
  for (let id = 0; id < rows; id++) insert.run([id, `r${id % 8}`, (id * 7919) % 5000]);
  insert.free();
  database.run('commit');
  writeFileSync(join(folder, 'rows.sqlite'), database.export());
  database.close();
}
