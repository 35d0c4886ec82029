import type * as api from '@duckdb/node-api';
import { messageOf } from '@mustard-sandbox/protocol';
import type { AsidePace } from '../pace.ts';

export type DuckDB = typeof api;
export type Connection = api.DuckDBConnection;

/** How much memory DuckDB may hold. A sidecar has 512 MiB by default, of which Node and the engine take some 120. */
export const queryMemoryBytes = 192 * 1024 * 1024;

let loading: Promise<DuckDB> | undefined;

/** Whether this thread has run a query. */
export function isDuckDBLoaded(): boolean {
  return loading !== undefined;
}

/**
 * Loads DuckDB with the first query, because its library of 70 MB takes longer to load than a sidecar to start.
 *
 * @throws {Error} when it is not installed, or with the reason why it did not load
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

/** Only an incompatible version of DuckDB would refuse one of these. */
const settings: Record<string, string> = {
  memory_limit: `${queryMemoryBytes}B`,
  threads: '2',
  // It must write nothing: a value that does not fit has to fail and not fill a disk.
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
   * After this only `paths` can be read, nothing can be written, and no setting can be changed. DuckDB follows links
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

/** Works in a database that is closed afterwards. It waits until DuckDB has really ended, which frees its memory. */
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

/** A text as a literal in SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an identifier in SQL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Whether DuckDB could not be loaded because it is missing. */
export function isNotInstalled(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || /unsupported arch/.test(messageOf(error));
}
