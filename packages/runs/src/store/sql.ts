import type { CallState, RunState, WaitsFor } from '../states.ts';
import type { Change, Loaded, RunStore, StoredCall, StoredRun, Verdict } from './store.ts';

type SqlValue = string | number | Uint8Array | null;
type SqlRow = Record<string, unknown>;

/** One statement, with `?` for each of its arguments. */
export interface Statement {
  sql: string;
  args: readonly SqlValue[];
}

export interface SqlResult {
  rows: SqlRow[];
  /** How many rows a writing statement has changed. */
  changed: number;
}

/** A database that understands the statements below, such as SQLite and Postgres. */
export interface Database {
  /** All statements see the same state. */
  read(statements: readonly Statement[]): Promise<SqlResult[]>;
  /**
   * Either all statements are done or none, and their effect survives a power cut.
   *
   * @param run the run that nobody else writes meanwhile
   */
  write(statements: readonly Statement[], run?: string): Promise<SqlResult[]>;
  close(): Promise<void>;
}

/** The tables. `bytes` is the type of columns that hold bytes. */
export function schemaFor({ bytes, calls }: { bytes: string; calls: string }): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS runs (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL, state TEXT NOT NULL, step BIGINT NOT NULL,
      fence BIGINT NOT NULL DEFAULT 0, revision BIGINT NOT NULL DEFAULT 0, claimed_until BIGINT NOT NULL DEFAULT 0,
      waits_for TEXT NOT NULL, wake_at BIGINT, expires_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
      outcome TEXT, fork_of TEXT, spec ${bytes} NOT NULL, snapshot ${bytes}
    )`,
    'CREATE INDEX IF NOT EXISTS runs_by_state ON runs (tenant, state, created_at)',
    'CREATE INDEX IF NOT EXISTS runs_by_wake ON runs (tenant, wake_at) WHERE wake_at IS NOT NULL',
    'CREATE INDEX IF NOT EXISTS runs_by_expiry ON runs (tenant, expires_at) WHERE expires_at IS NOT NULL',
    `CREATE TABLE IF NOT EXISTS calls (
      run TEXT NOT NULL, id BIGINT NOT NULL, tool TEXT NOT NULL, args TEXT NOT NULL, line BIGINT, col BIGINT,
      key TEXT NOT NULL, state TEXT NOT NULL, not_before BIGINT NOT NULL, answer TEXT, used TEXT NOT NULL, facts TEXT NOT NULL,
      PRIMARY KEY (run, id)
    ) ${calls}`,
  ];
}

const active = `state IN ('running', 'waiting')`;
const toDecide = `used IN ('open', 'proposed')`;
const columns =
  'id, tenant, state, step, fence, revision, waits_for, wake_at, expires_at, created_at, updated_at, outcome, fork_of, spec';
const callColumns = 'run, id, tool, args, line, col, key, state, not_before, answer, used, facts';
const callTypes = 'TEXT BIGINT TEXT TEXT BIGINT BIGINT TEXT TEXT BIGINT TEXT TEXT TEXT'.split(' ');
const typedMarks = callTypes.map((type) => `CAST(? AS ${type})`).join();
/** The most rows of one statement, because the number of its arguments is bounded. */
const mostRows = 200;
const replacesCall = callColumns
  .split(', ')
  .slice(2)
  .map((column) => `${column} = excluded.${column}`)
  .join();

/** Runs in an SQL database. */
export class SqlStore implements RunStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(run: StoredRun, calls: readonly StoredCall[], claimedUntil = 0): Promise<boolean> {
    const { id, tenant, state, step, waitsFor, wakeAt, expiresAt, createdAt, updatedAt, outcome, forkOf, spec } = run;
    const values = [id, tenant, state, step, waitsFor.join(), wakeAt, expiresAt, createdAt, updatedAt, outcome];
    const fork = forkOf === undefined ? null : JSON.stringify(forkOf);
    const insert = {
      sql: `INSERT INTO runs
        (id, tenant, state, step, waits_for, wake_at, expires_at, created_at, updated_at, outcome, fork_of, spec, fence,
          claimed_until)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      args: [...values.map((each) => each ?? null), fork, spec, claimedUntil > 0 ? 1 : 0, claimedUntil],
    };
    // The calls come first, so that an existing run keeps its own.
    const ofNew = calls.map((call) => ({
      sql: `INSERT INTO calls (${callColumns}) SELECT ${typedMarks} WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = ?)`,
      args: [...rowOf(id, call), id],
    }));
    return (await this.#database.write([...ofNew, insert], id)).at(-1)?.changed === 1;
  }

  async load(id: string): Promise<Loaded | undefined> {
    const [runs, calls] = await this.#database.read([
      { sql: `SELECT ${columns}, snapshot FROM runs WHERE id = ?`, args: [id] },
      { sql: 'SELECT * FROM calls WHERE run = ? ORDER BY id', args: [id] },
    ]);
    const row = runs?.rows[0];
    return row && loadedOf(row, calls?.rows ?? []);
  }

  async list({ tenant, states, limit }: Parameters<RunStore['list']>[0]): Promise<Loaded[]> {
    if (states.length === 0) return [];
    const marks = states.map(() => '?').join();
    const chosen = `FROM runs WHERE tenant = ? AND state IN (${marks}) ORDER BY created_at DESC, id LIMIT ?`;
    const args = [tenant, ...states, limit];
    const [runs, calls] = await this.#database.read([
      { sql: `SELECT ${columns} ${chosen}`, args },
      { sql: `SELECT * FROM calls WHERE ${toDecide} AND run IN (SELECT id ${chosen}) ORDER BY id`, args },
    ]);
    const callsOf = new Map<unknown, SqlRow[]>();
    for (const row of calls?.rows ?? []) callsOf.set(row['run'], [...(callsOf.get(row['run']) ?? []), row]);
    return (runs?.rows ?? []).map((row) => loadedOf(row, callsOf.get(row['id']) ?? []));
  }

  async claim(id: string, now: number, until: number): Promise<number | undefined> {
    const sql = `UPDATE runs SET fence = fence + 1, claimed_until = ? WHERE id = ? AND ${active} AND claimed_until <= ?
      RETURNING fence`;
    const [claimed] = await this.#database.write([{ sql, args: [until, id, now] }]);
    return claimed?.rows[0]?.['fence'] as number | undefined;
  }

  async commit(id: string, fence: number, now: number, change: Change): Promise<boolean> {
    const { calls = [], dropsUnanswered = false, ifRevision } = change;
    const guard = `id = ? AND fence = ? AND ${active}${ifRevision === undefined ? '' : ' AND revision = ?'}`;
    const guarded = ifRevision === undefined ? [id, fence] : [id, fence, ifRevision];
    const isOurs = `EXISTS (SELECT 1 FROM runs WHERE ${guard})`;
    const dropped = `DELETE FROM calls WHERE run = ? AND state <> 'answered' AND ${isOurs}`;
    const written = inChunks(calls).map((chunk) => ({
      sql: `INSERT INTO calls (${callColumns}) SELECT * FROM (VALUES ${rows(chunk.length, callTypes)}) AS news
        WHERE ${isOurs} ON CONFLICT (run, id) DO UPDATE SET ${replacesCall}`,
      args: [...chunk.flatMap((call) => rowOf(id, call)), ...guarded],
    }));
    const values = valuesOf(change, now);
    const updated = {
      sql: `UPDATE runs SET ${values.map(([column]) => `${column} = ?`).join()} WHERE ${guard}`,
      args: [...values.map(([, value]) => value), ...guarded],
    };
    const statements = [...(dropsUnanswered ? [{ sql: dropped, args: [id, ...guarded] }] : []), ...written, updated];
    return (await this.#database.write(statements, id)).at(-1)?.changed === 1;
  }

  async decide(id: string, now: number, verdicts: readonly Verdict[]): Promise<boolean> {
    // These are lists of rows, because the depth of nested conditions is bounded. The condition is the same for both
    // statements.
    const isAll = `${active} AND (SELECT count(*) FROM (VALUES ${rows(verdicts.length, ['BIGINT', 'TEXT'])}) AS must
      JOIN calls ON run = ? AND id = must.column1 AND calls.state = must.column2 AND ${toDecide}) = ?`;
    const all = [...verdicts.flatMap(({ call, from }) => [call, from]), id, verdicts.length];
    const news = verdicts.flatMap(({ call, to }) => [call, to.state, to.answer ?? null, JSON.stringify(to.facts)]);
    const [decided] = await this.#database.write(
      [
        {
          sql: `UPDATE runs SET revision = revision + 1, state = 'running', waits_for = '', updated_at = ?
            WHERE id = ? AND ${isAll}`,
          args: [now, id, ...all],
        },
        {
          sql: `UPDATE calls SET state = now.column2, answer = now.column3, facts = now.column4
            FROM (VALUES ${rows(verdicts.length, ['BIGINT', 'TEXT', 'TEXT', 'TEXT'])}) AS now
            WHERE run = ? AND id = now.column1 AND EXISTS (SELECT 1 FROM runs WHERE id = ? AND ${isAll})`,
          args: [...news, id, id, ...all],
        },
      ],
      id,
    );
    return decided?.changed === 1;
  }

  async end(id: string, now: number, state: 'cancelled' | 'expired'): Promise<boolean> {
    const sql = `UPDATE runs SET ${endedAs(state)} WHERE id = ? AND ${active}`;
    return (await this.#database.write([{ sql, args: [now, id] }]))[0]?.changed === 1;
  }

  async remove(id: string): Promise<void> {
    const isOver = `SELECT 1 FROM runs WHERE id = ? AND NOT (${active})`;
    await this.#database.write(
      [
        { sql: `DELETE FROM calls WHERE run = ? AND EXISTS (${isOver})`, args: [id, id] },
        { sql: `DELETE FROM runs WHERE id = ? AND NOT (${active})`, args: [id] },
      ],
      id,
    );
  }

  async expire(tenant: string, now: number): Promise<string[]> {
    const sql = `UPDATE runs SET ${endedAs('expired')} WHERE tenant = ? AND expires_at <= ? AND ${active} RETURNING id`;
    return idsOf(await this.#database.write([{ sql, args: [now, tenant, now] }]));
  }

  async due(tenant: string, now: number, limit: number): Promise<string[]> {
    const sql = `SELECT id FROM runs WHERE tenant = ? AND state = 'running' AND claimed_until <= ?
      UNION SELECT id FROM runs WHERE tenant = ? AND wake_at <= ? AND state = 'waiting' AND claimed_until <= ? LIMIT ?`;
    return idsOf(await this.#database.read([{ sql, args: [tenant, now, tenant, now, now, limit] }]));
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

/** Placeholders for this many rows. Postgres does not guess their types. */
function rows(count: number, types: readonly string[]): string {
  const one = `(${types.map((type) => `CAST(? AS ${type})`).join()})`;
  return Array.from({ length: count }, () => one).join();
}

/** One statement for many rows takes a fraction of the time of many statements: 32 calls took 12 ms and now take 2. */
function inChunks(calls: readonly StoredCall[]): StoredCall[][] {
  const count = Math.ceil(calls.length / mostRows);
  return Array.from({ length: count }, (_, n) => calls.slice(n * mostRows, (n + 1) * mostRows));
}

function valuesOf({ run = {}, claimedUntil }: Change, now: number): [column: string, value: SqlValue][] {
  const values: [string, SqlValue][] = [['updated_at', now]];
  if (run.state !== undefined) values.push(['state', run.state]);
  if (run.step !== undefined) values.push(['step', run.step]);
  if (run.waitsFor !== undefined) values.push(['waits_for', run.waitsFor.join()]);
  if ('wakeAt' in run) values.push(['wake_at', run.wakeAt ?? null]);
  if ('outcome' in run) values.push(['outcome', run.outcome ?? null]);
  if ('snapshot' in run) values.push(['snapshot', run.snapshot ?? null]);
  if (claimedUntil !== undefined) values.push(['claimed_until', claimedUntil]);
  return values;
}

function idsOf([result]: readonly SqlResult[]): string[] {
  return (result?.rows ?? []).map((row) => row['id'] as string);
}

function endedAs(state: 'cancelled' | 'expired'): string {
  return `state = '${state}', fence = fence + 1, claimed_until = 0, waits_for = '', wake_at = NULL, snapshot = NULL, updated_at = ?`;
}

function rowOf(run: string, call: StoredCall): (string | number | null)[] {
  const { id, tool, args, line, column, key, state, notBefore, answer, use, facts } = call;
  const notes = JSON.stringify(facts);
  return [run, id, tool, args, line ?? null, column ?? null, key, state, notBefore, answer ?? null, use, notes];
}

function loadedOf(row: SqlRow, calls: SqlRow[]): Loaded {
  const waits = row['waits_for'] as string;
  const snapshot = row['snapshot'] as Uint8Array | null | undefined;
  const fork = row['fork_of'] as string | null;
  const run: StoredRun = {
    id: row['id'] as string,
    tenant: row['tenant'] as string,
    state: row['state'] as RunState,
    step: row['step'] as number,
    waitsFor: waits === '' ? [] : (waits.split(',') as WaitsFor[]),
    wakeAt: (row['wake_at'] as number | null) ?? undefined,
    expiresAt: (row['expires_at'] as number | null) ?? undefined,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
    outcome: (row['outcome'] as string | null) ?? undefined,
    forkOf: fork === null ? undefined : (JSON.parse(fork) as NonNullable<StoredRun['forkOf']>),
    spec: new Uint8Array(row['spec'] as Uint8Array),
    snapshot: snapshot === null || snapshot === undefined ? undefined : new Uint8Array(snapshot),
  };
  return { run, calls: calls.map(callOf), fence: row['fence'] as number, revision: row['revision'] as number };
}

function callOf(row: SqlRow): StoredCall {
  return {
    id: row['id'] as number,
    tool: row['tool'] as string,
    args: row['args'] as string,
    line: (row['line'] as number | null) ?? undefined,
    column: (row['col'] as number | null) ?? undefined,
    key: row['key'] as string,
    state: row['state'] as CallState,
    notBefore: row['not_before'] as number,
    answer: (row['answer'] as string | null) ?? undefined,
    use: row['used'] as StoredCall['use'],
    facts: JSON.parse(row['facts'] as string) as StoredCall['facts'],
  };
}
