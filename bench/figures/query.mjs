import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const rows = 1_000_000;
const sql = 'select region, quantile_cont(ms, 0.95) as p95 from t group by region order by region';

/** The 95th percentile by group over a CSV, by `query` in a sidecar and by DuckDB in this process with as many threads. */
export async function measure({ folder }) {
  const csv = join(folder, 'requests.csv');
  await writeCsv(csv);
  // As the sidecar finds it.
  const duckdb = createRequire(import.meta.resolve('@mustard-sandbox/daemon/main'))('@duckdb/node-api');
  const run = {
    script: `query(${JSON.stringify(sql)}, { t: 'attachments:requests.csv' }).rows`,
    scope: { attachments: [{ name: 'requests.csv', path: csv }] },
    limits: { timeoutMs: 60_000 },
  };
  return await using({ sandbox: oneSidecar({ maxTimeoutMs: 60_000 }) }, async ({ sandbox }) => {
    const alone = await aloneOf(duckdb, csv);
    const { value } = await sandbox.run(run);
    if (JSON.stringify(value) !== JSON.stringify(alone)) throw new Error('query and DuckDB alone do not agree');
    const samples = await sideBySide(
      { query: () => sandbox.run(run), 'DuckDB alone': () => aloneOf(duckdb, csv) },
      { rounds: 15, warmup: 1, budgetMs: 30_000 },
    );
    return { ratios: { query: ratioOf(samples.query, [samples['DuckDB alone']]) }, timings: summaries(samples) };
  });
}

async function aloneOf({ DuckDBInstance }, csv) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql.replace(' t ', ` read_csv('${csv}') `));
  const found = reader.getRowObjects();
  connection.closeSync();
  instance.closeSync();
  return found;
}

async function writeCsv(path) {
  const file = createWriteStream(path);
  file.write('id,region,ms,name\n');
  for (let at = 0; at < rows; at += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, row) => {
      const id = at + row;
      return `${id},r${id % 8},${(id * 7919) % 5000},"user ${id % 1000}, x"\n`;
    });
    if (!file.write(lines.join(''))) await once(file, 'drain');
  }
  await finished(file.end());
}
