import type * as api from '@duckdb/node-api';
import { messageOf } from '@mustard-sandbox/protocol';
import type { AsidePace } from '../pace.ts';

export type DuckDB = typeof api;
export type Connection = api.DuckDBConnection;

/** What DuckDB may hold at a time. A sidecar has 512 MiB by default, of which Node and the engine take some 120. */
export const queryMemoryBytes = 192 * 1024 * 1024;

let loading: Promise<DuckDB> | undefined;

/** Whether this thread has run a query. */
export function isDuckDBLoaded(): boolean {
  return loading !== undefined;
}

/**
 * Loads DuckDB with the first query: 70 MB of library, which takes longer than the start of a sidecar.
 *
 * @throws {Error} that it is not installed, or why it did not load
 */
export async function loadDuckDB(): Promise<DuckDB> {
  loading ??= import('@duckdb/node-api');
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

/** What only a version of DuckDB that does not fit would refuse. */
const settings: Record<string, string> = {
  memory_limit: `${queryMemoryBytes}B`,
  threads: '2',
  // There is no place to write, and a value that does not fit must fail and not fill a disk.
  temp_directory: '',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  // A file may change between two queries of a run.
  enable_external_file_cache: 'false',
};

/** A database in memory, with one connection. */
export class Database implements Disposable {
  readonly connection: Connection;
  readonly #instance: api.DuckDBInstance;

  private constructor(instance: api.DuckDBInstance, connection: Connection) {
    this.#instance = instance;
    this.connection = connection;
  }

  static async open(duckdb: DuckDB): Promise<Database> {
    const instance = await duckdb.DuckDBInstance.create(':memory:', settings);
    return new Database(instance, await instance.connect());
  }

  /**
   * From now on only `paths` can be read, nothing can be written, and no setting can be changed. DuckDB follows links
   * before it compares.
   */
  async confine(paths: readonly string[]): Promise<void> {
    await this.connection.run(`SET allowed_paths = [${paths.map(literal).join(', ')}]`);
    await this.connection.run('SET enable_external_access = false');
    await this.connection.run('SET lock_configuration = true');
  }

  [Symbol.dispose](): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }
}

/** Works in a database that is closed afterwards. Waits until DuckDB has really ended, which frees what it holds. */
export async function inDatabase<T>(
  duckdb: DuckDB,
  pace: AsidePace,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  using database = await Database.open(duckdb);
  const working = work(database);
  try {
    return await pace.within(working, () => database.connection.interrupt());
  } finally {
    await working.catch(() => {});
  }
}

/** A string in SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name in SQL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Whether DuckDB could not be loaded because it is not there. */
export function isNotInstalled(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || /unsupported arch/.test(messageOf(error));
}
