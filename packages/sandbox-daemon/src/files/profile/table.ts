import { readSync } from 'node:fs';
import type { SandboxValue } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from '../call.ts';
import type { AsideContext } from '../context.ts';
import { identifier, inDatabase, literal, type Connection, type Database, type DuckDB } from '../query/duckdb.ts';
import type { Format } from '../query/formats.ts';
import type { LoadedKind } from '../query/loading.ts';
import { kindOf } from '../query/query.ts';
import { readRows } from '../query/rows.ts';
import { Table } from '../query/tables.ts';
import { compressionOf } from '../source/compression.ts';
import { columnOf, isPlain, shortened, statisticsOf, type Column, type ColumnProfile } from './columns.ts';

export interface TableProfile {
  format: Format | Exclude<LoadedKind, 'text'>;
  /** Bytes on the disk. */
  size: number;
  /** How many rows there are. For a sample: how many were looked at. */
  rows: number;
  /** What was left out, in words. Absent when everything was looked at. */
  sampled?: string;
  columns: ColumnProfile[];
  /** How many columns there are beyond the first 200. */
  moreColumns?: number;
  /** Lines that do not fit: in CSV, lines with too many or too few cells; in NDJSON, lines that are not JSON. */
  broken?: { lines: number; examples: { line?: number; text: string; why?: string }[] };
}

/** Up to this size all rows are looked at. A compressed file of that size holds much more. */
const wholeBytes = 8 * 1024 * 1024;
const wholeCompressedBytes = 1024 * 1024;
/** How much memory a sample may take. */
const sampleBytes = 8 * 1024 * 1024;
const sampleRows = 30_000;
const maxColumns = 200;
const maxRejects = 1_000;
const exactDistinct = 10_000;
const fewValues = 50;
/** DuckDB takes a megabyte for each column. */
const maxCounted = 30;

/** The most that one sample reads of a file, including what DuckDB reads ahead. */
export const mostBytes = 3 * sampleBytes;

type Row = Record<string, SandboxValue>;

/** Profiles one table, whose file is open. */
export class TableProfiler {
  readonly #table: Table;
  readonly #duckdb: DuckDB;
  readonly #context: AsideContext;
  readonly #call: BuiltinCall;
  readonly #isSample: boolean;

  constructor(table: Table, duckdb: DuckDB, context: AsideContext, call: BuiltinCall) {
    const { size, start } = table.first;
    this.#table = table;
    this.#duckdb = duckdb;
    this.#context = context;
    this.#call = call;
    this.#isSample =
      table.loads === undefined && size > (compressionOf(start) === undefined ? wholeBytes : wholeCompressedBytes);
    // For a compressed file that is cut off, DuckDB gives the rows before the cut.
    if (!this.#isSample) table.check();
  }

  async profile(): Promise<TableProfile> {
    const { pace } = this.#context;
    try {
      return await inDatabase(this.#duckdb, pace, (database) =>
        this.#work(database, (connection) => this.#open(connection)),
      );
    } catch (error) {
      if (this.#table.format !== 'json' || !/Malformed JSON|Invalid Input/.test(`${kindOf(error)} ${String(error)}`))
        throw error;
      return await inDatabase(this.#duckdb, pace, (database) =>
        this.#work(database, (connection) => this.#openLines(connection)),
      );
    }
  }

  async #work(database: Database, open: (connection: Connection) => Promise<void>): Promise<TableProfile> {
    const { connection } = database;
    await database.confine(this.#table.paths);
    await open(connection);
    const all = await this.#rows(connection, 'DESCRIBE t', 10_000);
    const columns = all
      .slice(0, maxColumns)
      .map(({ column_name: name, column_type: type }) => ({ name: name as string, type: type as string }));
    const statistics = await this.#one(connection, statisticsOf(columns));
    const examples = await this.#rows(connection, 'SELECT * FROM t LIMIT 50', 50);
    const profiles = columns.map((column, at) => columnOf(column, at, statistics, examples));
    await this.#count(connection, columns, profiles, Number(statistics['n']));
    const rows = Number(statistics['n']);
    const broken = await this.#broken(connection);
    return {
      format: formatIn(this.#table),
      size: this.#table.first.size,
      rows,
      ...(this.#isSample && { sampled: this.#described(rows) }),
      columns: profiles,
      ...(all.length > maxColumns && { moreColumns: all.length - maxColumns }),
      ...(broken !== undefined && { broken }),
    };
  }

  /** Makes the table `t`: a view of the file, or a sample in memory. */
  async #open(connection: Connection): Promise<void> {
    const { loads } = this.#table;
    if (loads !== undefined) return await this.#table.load(loads, connection);
    const rejects = this.#table.format === 'csv' ? ['store_rejects = true', `rejects_limit = ${maxRejects}`] : [];
    await connection.run(this.#table.view(this.#isSample ? 'some' : 'all', rejects));
    if (this.#isSample) await this.#take(connection, 'file', this.#table.name);
  }

  /** Makes `t` from the valid lines of NDJSON with broken lines. */
  async #openLines(connection: Connection): Promise<void> {
    await connection.run(this.#table.lines('raw'));
    const from = this.#isSample ? `(SELECT * FROM raw LIMIT ${this.#limit()})` : 'raw';
    await connection.run(`CREATE VIEW lines AS SELECT line FROM ${from} WHERE trim(line) <> ''`);
    const { structure } = await this.#one(
      connection,
      'SELECT json_group_structure(line::JSON)::VARCHAR structure FROM lines WHERE json_valid(line)',
    );
    const transformed = `json_transform(line::JSON, ${literal(structure as string)})`;
    const fields = (structure as string).startsWith('{') ? `unnest(${transformed})` : `line AS value`;
    await connection.run(`CREATE VIEW t AS SELECT ${fields} FROM lines WHERE json_valid(line)`);
  }

  async #take(connection: Connection, as: string, name: string): Promise<void> {
    await connection.run(`ALTER VIEW ${identifier(name)} RENAME TO ${identifier(as)}`);
    await connection.run(`CREATE TABLE ${identifier(name)} AS SELECT * FROM ${identifier(as)} LIMIT ${this.#limit()}`);
  }

  /**
   * Counts different values exactly where that is cheap or shows a key, and finds the most frequent values of columns
   * with few.
   */
  async #count(
    connection: Connection,
    columns: readonly Column[],
    profiles: ColumnProfile[],
    rows: number,
  ): Promise<void> {
    const worth = profiles.filter((profile, at) => {
      const { distinct = 0, nulls } = profile;
      const mayBeKey = distinct >= 0.9 * (rows - nulls) && rows <= 1_000_000;
      return isPlain(columns[at] as Column) && (distinct <= exactDistinct || mayBeKey);
    });
    const counted = worth.slice(0, maxCounted);
    if (rows === 0 || counted.length === 0) return;
    const distinct = await this.#one(
      connection,
      `SELECT ${counted.map(({ name }, at) => `count(DISTINCT ${identifier(name)}) d${at}`).join(', ')} FROM t`,
    );
    counted.forEach((profile, at) => {
      profile.distinct = Number(distinct[`d${at}`]);
      if (profile.distinct === rows && rows > 1) profile.key = true;
    });
    const few = counted.filter(({ distinct = 0 }) => distinct <= fewValues && 2 * distinct <= rows);
    if (few.length === 0) return;
    const tops = await this.#one(
      connection,
      `SELECT ${few.map(({ name }, at) => `map_entries(histogram(${identifier(name)})) h${at}`).join(', ')} FROM t`,
    );
    few.forEach((profile, at) => {
      const entries = (tops[`h${at}`] ?? []) as unknown as { key: SandboxValue; value: number }[];
      entries.sort((one, other) => other.value - one.value);
      profile.top = entries.slice(0, 5).map(({ key, value }) => ({ value: shortened(key), count: value }));
    });
  }

  async #broken(connection: Connection): Promise<TableProfile['broken']> {
    const { format } = this.#table;
    if (this.#table.loads !== undefined) return undefined;
    if (format === 'csv') return await this.#rejected(connection);
    const views =
      format === 'json'
        ? await this.#rows(connection, "SELECT 1 FROM duckdb_views() WHERE view_name = 'lines'", 1)
        : [];
    if (views.length === 0) return undefined;
    const { n } = await this.#one(connection, 'SELECT count(*) n FROM lines WHERE NOT json_valid(line)');
    const found = await this.#rows(
      connection,
      'SELECT left(line, 100) AS text FROM lines WHERE NOT json_valid(line) LIMIT 3',
      3,
    );
    return { lines: Number(n), examples: found.map(({ text }) => ({ text: text as string })) };
  }

  async #rejected(connection: Connection): Promise<TableProfile['broken']> {
    const { n } = await this.#one(connection, 'SELECT count(DISTINCT line) n FROM reject_errors');
    if (Number(n) === 0) return undefined;
    const found = await this.#rows(
      connection,
      'SELECT line, any_value(left(csv_line, 100)) AS text, any_value(left(error_message, 150)) AS why FROM reject_errors GROUP BY line ORDER BY line LIMIT 3',
      3,
    );
    return {
      lines: Number(n),
      examples: found.map(({ line, text, why }) => ({ line: Number(line), text: text as string, why: why as string })),
    };
  }

  async #rows(connection: Connection, sql: string, most: number): Promise<Row[]> {
    const { rows } = await readRows(await connection.stream(sql), most, this.#duckdb, this.#context.pace, this.#call);
    return rows;
  }

  async #one(connection: Connection, sql: string): Promise<Row> {
    const [row] = await this.#rows(connection, sql, 1);
    return row ?? {};
  }

  /** How many rows a sample has. */
  #limit(): number {
    return Math.max(100, Math.min(sampleRows, Math.floor(sampleBytes / bytesOfRow(this.#table.first))));
  }

  #described(rows: number): string {
    const { size, start } = this.#table.first;
    const isText = this.#table.format !== 'parquet' && compressionOf(start) === undefined;
    const about = isText ? `, of about ${Number((size / bytesOfRow(this.#table.first)).toPrecision(2))}` : '';
    return `the first ${rows} rows${about}`;
  }
}

function formatIn({ loads, format }: Table): TableProfile['format'] {
  return loads === undefined || loads === 'text' ? format : loads;
}

/** The average size of a row, measured at a few places of the file. */
function bytesOfRow({ fd, size }: { fd: number; size: number }): number {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  let lines = 0;
  let bytes = 0;
  for (let index = 0; index < 8; index++) {
    const count = readSync(fd, buffer, 0, buffer.length, Math.floor((size * index) / 8));
    bytes += count;
    for (let at = buffer.indexOf(10); at !== -1 && at < count; at = buffer.indexOf(10, at + 1)) lines++;
  }
  return Math.max(1, bytes / Math.max(1, lines));
}
