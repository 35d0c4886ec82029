import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createSandbox } from '@mustard-sandbox/client';
import { sideBySide, summaries } from '../measure.mjs';
import { sizesOf, writeDatabase, writeSheet, writeTables } from '../readers/files.mjs';
import { noPandas, pandasMs } from '../readers/pandas.mjs';
import { ratioOf } from '../statistics.mjs';
import { using } from './sandboxes.mjs';

const gigabytes = 4 * 1024 ** 3;
const limits = { timeoutMs: 120_000, heapBytes: 256 * 1024 * 1024 };
const sql = 'select region, quantile_cont(ms, 0.95) as p95 from t group by region order by region';

/** Each kind of file: its path in the folder, and how DuckDB reads it, if it can without a download. */
const kinds = {
  csv: { path: 'part-*.csv', table: (path) => `read_csv('${path}')` },
  parquet: { path: 'rows.parquet', table: (path) => `read_parquet('${path}')` },
  xlsx: { path: 'rows.xlsx', extension: 'excel', table: (path) => `read_xlsx('${path}')` },
  sqlite: { path: 'rows.sqlite', extension: 'sqlite', table: (path) => `sqlite_scan('${path}', 't')` },
};

/** The 95th percentile by group over files of each kind, by `query` in a sidecar and by DuckDB in this process. */
export async function measure({ quick, folder, progress }) {
  // As the sidecar finds them.
  const require = createRequire(import.meta.resolve('@mustard-sandbox/daemon/main'));
  const duckdb = require('@duckdb/node-api');
  const sandbox = createSandbox({ spares: 0, maxProcesses: 2, maxTimeoutMs: limits.timeoutMs });
  return await using({ sandbox }, async () => {
    const sizes = sizesOf(quick);
    progress(
      `writing files of ${Object.entries(sizes)
        .map(([kind, rows]) => `${rows} rows (${kind})`)
        .join(', ')}`,
    );
    await writeTables((text) => alone(duckdb, text), folder, sizes);
    await writeSheet(sandbox, folder, sizes.sheet);
    await writeDatabase(require('sql.js'), folder, sizes.database);
    const found = { ratios: {}, timings: {}, skipped: {} };
    const missing = await noPandas();
    if (missing !== undefined) found.skipped.pandas = missing;
    for (const kind of Object.keys(kinds)) await measureKind(kind, { duckdb, sandbox, folder, quick, missing, found });
    return found;
  });
}

async function measureKind(kind, { duckdb, sandbox, folder, quick, missing, found }) {
  const { path, table, extension } = kinds[kind];
  const scope = { root: folder, maxTotalReadBytes: gigabytes };
  const run = (script) => sandbox.run({ script, scope, limits });
  const question = sql.replace(' t ', ` ${table(join(folder, path))} `);
  const ways = { query: () => run(`query(${JSON.stringify(sql)}, { t: '${path}' }).rows`) };
  const why = await alone(duckdb, question, extension).then(
    () => undefined,
    () => `DuckDB has no extension '${extension}' here`,
  );
  if (why === undefined) ways['DuckDB alone'] = () => alone(duckdb, question, extension);
  if (kind === 'csv') ways['parallel, each file by itself'] = () => run(`parallel('${path}', ${each})`);
  if (missing === undefined) ways.pandas = () => pandasMs(kind, kind === 'csv' ? parts(folder) : [join(folder, path)]);
  const { value } = await ways.query();
  const samples = await sideBySide(ways, { rounds: quick ? 3 : 7, warmup: 1, budgetMs: quick ? 4_000 : 30_000 });
  if (why === undefined) {
    const same = JSON.stringify(value) === JSON.stringify(await alone(duckdb, question, extension));
    if (!same) throw new Error(`query and DuckDB alone do not agree about ${path}`);
    found.ratios[`reader-${kind}`] = ratioOf(samples.query, [samples['DuckDB alone']]);
  } else found.ratios[`reader-${kind}`] = { skipped: why };
  for (const [way, summary] of Object.entries(summaries(samples))) found.timings[`${kind}: ${way}`] = summary;
}

const each = `(path) => query(${JSON.stringify(sql)}, { t: path }).rows`;

const parts = (folder) => [0, 1, 2, 3].map((at) => join(folder, `part-${at}.csv`));

/** @returns {Promise<object[]>} the rows, with as many threads as a sidecar has */
async function alone({ DuckDBInstance }, text, extension) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', autoinstall_known_extensions: 'false' });
  try {
    const connection = await instance.connect();
    if (extension !== undefined) await connection.run(`load ${extension}`);
    return (await connection.runAndReadAll(text)).getRowObjects();
  } finally {
    instance.closeSync();
  }
}
