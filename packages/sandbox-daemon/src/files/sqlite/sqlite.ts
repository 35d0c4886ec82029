import type { Database, SqlJsStatic, Statement } from 'sql.js';
import { readContent } from '../archives/content.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { Loaded, LoadedType, LoadedValue } from '../query/loaded.ts';

/** The library holds the file as a whole. */
const maxBytes = 64 * 1024 * 1024;
const maxValueBytes = 4 * 1024 * 1024;

export const sqliteMark = 'SQLite format 3\0';

let loading: Promise<SqlJsStatic> | undefined;

/** A table of an SQLite file, with the content of its last checkpoint. */
export interface SqliteTable extends Loaded, Disposable {}

/**
 * Opens a table of an SQLite file. The library is SQLite in WebAssembly. It gets a copy of the bytes and can open no
 * files.
 *
 * @throws {SandboxError} `script_error` when the table is missing, the file is broken or the library is missing,
 *   `limit_exceeded`
 */
export async function sqliteTable(
  context: BuiltinContext,
  path: string,
  table: string | undefined,
  call: BuiltinCall,
): Promise<SqliteTable> {
  const bytes = readWhole(context, path, call);
  const sqlite = await library(call);
  let database: Database | undefined;
  try {
    database = new sqlite.Database(bytes);
    const name = nameOf(tablesOf(database), table, call);
    const columns = columnsOf(database, name);
    return { columns, rows: rowsOf(database, name, columns, call), [Symbol.dispose]: () => database?.close() };
  } catch (error) {
    database?.close();
    throw isOurs(error)
      ? error
      : call.failed('NotReadableError', `${call.shown} is no SQLite database, or a broken one.`);
  }
}

function readWhole(context: BuiltinContext, path: string, call: BuiltinCall): Uint8Array {
  const bytes = readContent(context, path, call, { most: maxBytes });
  // Without its log beside it, a database in WAL mode is one as it was when that was last taken over.
  if (bytes[18] === 2) bytes[18] = bytes[19] = 1;
  return bytes;
}

/** Tables that hold rows. A view is a program by the author of the file, and may never end. */
function tablesOf(database: Database): string[] {
  const sql =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT 1000";
  return (database.exec(sql)[0]?.values ?? []).map(([name]) => String(name));
}

function nameOf(tables: readonly string[], asked: string | undefined, call: BuiltinCall): string {
  const found = asked === undefined && tables.length === 1 ? tables[0] : tables.find((name) => name === asked);
  if (found !== undefined) return found;
  const there = tables.length === 0 ? 'no table' : `the tables ${tables.slice(0, 50).join(', ')}`;
  const example = tables[0] === undefined ? '' : ` Name one: { t: { path, table: ${JSON.stringify(tables[0])} } }.`;
  const what = asked === undefined ? '' : `no table ${JSON.stringify(asked)}; it has `;
  throw call.failed('NotFoundError', `${call.shown} has ${what}${there}.${example}`);
}

/**
 * The columns with their types. In SQLite values have types and columns have none, so a column gets a type that holds
 * all of its values.
 */
function columnsOf(database: Database, table: string): Loaded['columns'] {
  const names = (database.exec(`SELECT name FROM pragma_table_info(${text(table)})`)[0]?.values ?? []).map(([name]) =>
    String(name),
  );
  const asked = names.map((name) => `group_concat(DISTINCT typeof(${quoted(name)}))`).join(', ');
  const found = database.exec(`SELECT ${asked} FROM ${quoted(table)}`)[0]?.values[0] ?? [];
  return names.map((name, at) => ({ name, type: typeOf(String(found[at] ?? '')) }));
}

function typeOf(kinds: string): LoadedType {
  const all = kinds.split(',').filter((kind) => kind !== 'null' && kind !== '');
  if (all.length === 0 || all.some((kind) => kind === 'text' || kind === 'blob')) return 'VARCHAR';
  return all.includes('real') ? 'DOUBLE' : 'BIGINT';
}

function* rowsOf(
  database: Database,
  table: string,
  columns: Loaded['columns'],
  call: BuiltinCall,
): Generator<LoadedValue[], void> {
  const statement: Statement = database.prepare(
    `SELECT ${columns.map(({ name }) => quoted(name)).join(', ')} FROM ${quoted(table)}`,
  );
  try {
    while (statement.step()) {
      // Integers are read as BigInt, because a number would lose digits from 2^53 on.
      const row = statement.get(null, { useBigInt: true }) as unknown as (LoadedValue | Uint8Array)[];
      yield row.map((value) => {
        const length = value instanceof Uint8Array || typeof value === 'string' ? value.length : 0;
        if (length > maxValueBytes)
          throw call.limitExceeded(
            'argument_bytes',
            maxValueBytes,
            length,
            `${call.shown} has a value that is too long.`,
          );
        return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
      });
    }
  } finally {
    statement.free();
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function isOurs(error: unknown): boolean {
  return (error as { details?: unknown }).details !== undefined;
}

async function library(call: BuiltinCall): Promise<SqlJsStatic> {
  try {
    loading ??= import('sql.js').then(({ default: start }) => start());
    return await loading;
  } catch {
    loading = undefined;
    throw call.failed(
      'NotAvailableError',
      'sql.js is not installed beside the sidecar, or did not load. Whoever runs this can add it: npm install sql.js@1.16.0',
    );
  }
}
