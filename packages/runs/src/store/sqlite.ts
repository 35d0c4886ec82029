import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Client, InStatement } from '@libsql/client/sqlite3';
import { RunError } from '../errors.ts';
import { schemaFor, SqlStore, type Database, type SqlResult, type Statement } from './sql.ts';
import type { RunStore } from './store.ts';

const busyTimeoutMs = 10_000;
/** A connection of the library keeps some 10 KB of each batch, and frees them when it is closed. */
const usesOfConnection = 2_000;

/**
 * Runs in a file of SQLite. It uses `@libsql/client`, which is loaded at the first use. Everything that was written
 * survives a power cut.
 *
 * @param file made if it is missing
 */
export function sqliteStore(file: string): RunStore {
  return new SqlStore(new SqliteFile(file));
}

/** A database with one writer at a time. */
class SqliteFile implements Database {
  readonly #file: string;
  #opening: Promise<Client> | undefined;
  #uses = 0;
  #underWay = 0;

  constructor(file: string) {
    this.#file = file;
  }

  read(statements: readonly Statement[]): Promise<SqlResult[]> {
    return this.#use(statements, 'read');
  }

  write(statements: readonly Statement[]): Promise<SqlResult[]> {
    return this.#use(statements, 'write');
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#uses = 0;
    if (opening === undefined) return;
    (await opening).close();
    // Its memory is freed in a later turn of the event loop.
    await nextTurn();
  }

  async #open(): Promise<Client> {
    try {
      return await open(this.#file);
    } catch (error) {
      // The next use tries again, because the disk may have room by then.
      this.#opening = undefined;
      if (error instanceof RunError) throw error;
      const why = (error as Error).message;
      throw new RunError('store_unavailable', `The store of runs ${this.#file} cannot be opened: ${why}`, {
        cause: error,
      });
    }
  }

  async #use(statements: readonly Statement[], mode: 'read' | 'write'): Promise<SqlResult[]> {
    if (this.#uses >= usesOfConnection && this.#underWay === 0) await this.close();
    this.#uses++;
    this.#underWay++;
    try {
      const client = await (this.#opening ??= this.#open());
      const results = await client.batch(statements.map(toInStatement), mode);
      return results.map(({ rows, rowsAffected }) => ({ rows, changed: rowsAffected }));
    } finally {
      this.#underWay--;
    }
  }
}

function toInStatement({ sql, args }: Statement): InStatement {
  return { sql, args: [...args] };
}

async function open(file: string): Promise<Client> {
  const { createClient } = await import('@libsql/client/sqlite3').catch((cause: unknown) => {
    throw new RunError('store_unavailable', 'sqliteStore() needs the package @libsql/client. Install it.', { cause });
  });
  // There is one connection, because a PRAGMA holds only for the connection that sets it.
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1, timeout: busyTimeoutMs });
  await client.execute('PRAGMA journal_mode = WAL');
  await client.execute('PRAGMA synchronous = FULL');
  await client.batch(schemaFor({ bytes: 'BLOB', calls: 'WITHOUT ROWID' }), 'write');
  return client;
}
