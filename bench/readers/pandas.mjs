import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const readers = {
  csv: 'pd.concat(pd.read_csv(path) for path in paths)',
  parquet: 'pd.read_parquet(paths[0])',
  xlsx: 'pd.read_excel(paths[0])',
  sqlite: "pd.read_sql('select * from t', sqlite3.connect(paths[0]))",
};

/** Why there is no pandas here; `undefined` when there is. */
export async function noPandas() {
  return await run('python3', ['-c', 'import pandas']).then(
    () => undefined,
    () => 'pandas is not installed for python3',
  );
}

/** The same question by pandas, in a new Python, in ms without its start. */
export async function pandasMs(kind, paths) {
  const program = [
    'import pandas as pd, sqlite3, sys, time',
    'paths = sys.argv[1:]',
    'start = time.perf_counter()',
    `${readers[kind]}.groupby('region').ms.quantile(0.95)`,
    'print((time.perf_counter() - start) * 1000)',
  ];
  const { stdout } = await run('python3', ['-c', program.join('\n'), ...paths]);
  return Number(stdout);
}
