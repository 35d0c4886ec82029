import type { Pool, PoolClient } from 'pg';
import { RunError } from '../errors.ts';
import { schemaFor, SqlStore, type Database, type SqlResult, type Statement } from './sql.ts';
import type { RunStore } from './store.ts';

/** The number of `bigint` in the protocol's table of types. */
const bigint = 20;
const passing = new Set(['40001', '40P01']);
const mostAttempts = 5;
/** Our number among those of advisory locks. */
const lockSpace = 7_212_029;

/**
 * Runs in a database of Postgres, version 12 or later. It uses `pg`, which is loaded at the first use. Several hosts
 * may share the database. The tables `runs` and `calls` are made if they are missing, in the first schema of the search
 * path.
 *
 * @param url such as `postgres://user@host/database`
 */
export function postgresStore(url: string): RunStore {
  return new SqlStore(new PostgresDatabase(url));
}

class PostgresDatabase implements Database {
  readonly #url: string;
  #opening: Promise<Pool> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  read(statements: readonly Statement[]): Promise<SqlResult[]> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', statements);
  }

  write(statements: readonly Statement[], run?: string): Promise<SqlResult[]> {
    return this.#transaction('BEGIN', statements, run);
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    const pool = await opening?.catch(() => undefined);
    await pool?.end();
  }

  async #transaction(begin: string, statements: readonly Statement[], run?: string): Promise<SqlResult[]> {
    for (let attempt = 1; ; attempt++) {
      const client = await (await this.#pool()).connect();
      let broken: Error | undefined;
      try {
        return await inTransaction(client, begin, statements, run);
      } catch (error) {
        const isPassing = passing.has((error as { code?: string }).code ?? '');
        // The state of the connection is not known, so it is closed, which ends what it was doing.
        if (!isPassing) broken = error as Error;
        if (!isPassing || attempt === mostAttempts) throw error;
        await client.query('ROLLBACK');
      } finally {
        client.release(broken);
      }
    }
  }

  async #pool(): Promise<Pool> {
    try {
      return await (this.#opening ??= open(this.#url));
    } catch (error) {
      // The next use tries again, because the server may be up by then.
      this.#opening = undefined;
      throw error;
    }
  }
}

async function inTransaction(
  client: PoolClient,
  begin: string,
  statements: readonly Statement[],
  run: string | undefined,
): Promise<SqlResult[]> {
  await client.query(begin);
  if (run !== undefined) {
    // There are two locks, because a run that does not exist yet has no row to lock, and statements about many runs
    // lock rows.
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, run]);
    await client.query('SELECT 1 FROM runs WHERE id = $1 FOR UPDATE', [run]);
  }
  const results: SqlResult[] = [];
  for (const { sql, args } of statements) {
    const { rows, rowCount } = await client.query<Record<string, unknown>>(numbered(sql), args.map(asBytes));
    results.push({ rows, changed: rowCount ?? 0 });
  }
  await client.query('COMMIT');
  return results;
}

/** Replaces `?` by `$1`, `$2` and so on. No text in our statements has a question mark. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}

function asBytes(value: Statement['args'][number]): string | number | Buffer | null {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

async function open(url: string): Promise<Pool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new RunError('store_unavailable', 'postgresStore() needs the package pg. Install it.', { cause });
  });
  // All of our numbers, times and counts, are exact.
  const types = new pg.TypeOverrides();
  types.setTypeParser(bigint, Number);
  const pool = new pg.Pool({ connectionString: url, types: types });
  // This is an error of a connection that nobody uses. The next use reports it.
  pool.on('error', () => {});
  try {
    await makeTables(pool);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Lets one host at a time make the tables, because Postgres fails when two make a missing table. */
async function makeTables(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1, 0)', [lockSpace]);
    for (const sql of schemaFor({ bytes: 'BYTEA', calls: '' })) await client.query(sql);
    await client.query('COMMIT');
  } finally {
    // After an error the transaction is still open, so the connection is not used again.
    client.release(true);
  }
}
