import type { Pace } from '../pace.ts';
import { identifier, type Connection } from './duckdb.ts';

export type LoadedType = 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'VARCHAR' | 'DATE' | 'TIMESTAMP';
export type LoadedValue = string | number | bigint | boolean | null;

/** Rows for a table of DuckDB, from a file that DuckDB does not read itself. */
export interface Loaded {
  columns: { name: string; type: LoadedType }[];
  rows: Iterable<readonly LoadedValue[]> | AsyncIterable<readonly LoadedValue[]>;
}

const checkedRows = 500;
/** DuckDB makes values of these types from texts. */
const fromText = new Set<LoadedType>(['DATE', 'TIMESTAMP']);

/** Makes a table in memory. @throws {Error} DuckDB's error when a value does not fit */
export async function loadTable(
  connection: Connection,
  table: string,
  { columns, rows }: Loaded,
  pace: Pace,
): Promise<void> {
  const name = identifier(table);
  const declared = columns.map(
    (column) => `${identifier(column.name)} ${fromText.has(column.type) ? 'VARCHAR' : column.type}`,
  );
  await connection.run(`CREATE TABLE ${name} (${declared.join(', ')})`);
  const appender = await connection.createAppender(table);
  try {
    let count = 0;
    for await (const row of rows) {
      for (const [at, { type }] of columns.entries()) append(appender, type, row[at] ?? null);
      appender.endRow();
      if (++count % checkedRows === 0) {
        appender.flushSync();
        pace.check();
      }
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
  await retype(
    connection,
    table,
    columns.filter(({ type }) => fromText.has(type)),
  );
}

/** Makes the values of columns from their texts. @throws {Error} DuckDB's, where one does not fit */
export async function retype(connection: Connection, table: string, columns: Loaded['columns']): Promise<void> {
  for (const { name, type } of columns) {
    if (type === 'VARCHAR') continue;
    await connection.run(`ALTER TABLE ${identifier(table)} ALTER ${identifier(name)} TYPE ${type}`);
  }
}

type Appender = Awaited<ReturnType<Connection['createAppender']>>;

function append(appender: Appender, type: LoadedType, value: LoadedValue): void {
  if (value === null) appender.appendNull();
  else if (type === 'BIGINT') appender.appendBigInt(BigInt(value));
  else if (type === 'DOUBLE') appender.appendDouble(Number(value));
  else if (type === 'BOOLEAN') appender.appendBoolean(value === true);
  else appender.appendVarchar(String(value));
}
