import type { DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { maxValueBytes, type SandboxValue } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from '../call.ts';
import type { Pace } from '../pace.ts';
import type { DuckDB } from './duckdb.ts';

/** The result of a query for a script. */
export interface QueryResult {
  rows: Record<string, SandboxValue>[];
  /** Whether there are more rows than `limit`. */
  truncated: boolean;
}

/** More rows take seconds to hand over, and do not fit into the engine together with what a script makes of them. */
const maxRows = 100_000;

/**
 * The first `limit` rows of a streamed result.
 *
 * @throws {SandboxError} `limit_exceeded` for more than a value that crosses may hold
 */
export async function readRows(
  result: DuckDBResult,
  limit: number,
  duckdb: DuckDB,
  pace: Pace,
  call: BuiltinCall,
): Promise<QueryResult> {
  const converter = new Converter(duckdb, call);
  const names = result.deduplicatedColumnNames();
  const rows: QueryResult['rows'] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return { rows, truncated: false };
    for (const values of chunk.getRows()) {
      if (rows.length === limit) return { rows, truncated: true };
      if (rows.length === maxRows) throw tooMany(call);
      rows.push(converter.row(names, values));
    }
    pace.check();
  }
}

/** An error and not a cut result, because a script that asks for more counts on all rows. */
function tooMany(call: BuiltinCall): Error {
  const why = `the result has more than ${maxRows} rows. Let SQL count, sum up or filter them, or set a limit up to that.`;
  return call.limitExceeded('value_items', maxRows, maxRows + 1, why);
}

/** Numbers with at most this many digits are exact in a double, whatever their scale. */
const exactDigits = 15;

/** Converts values of DuckDB to values of a script. docs/query.md has them in a table. */
class Converter {
  readonly #duckdb: DuckDB;
  readonly #call: BuiltinCall;
  #size = 0;

  constructor(duckdb: DuckDB, call: BuiltinCall) {
    this.#duckdb = duckdb;
    this.#call = call;
  }

  row(names: readonly string[], values: readonly DuckDBValue[]): Record<string, SandboxValue> {
    return this.#object(names.map((name, at) => [name, values[at] ?? null]));
  }

  #value(value: DuckDBValue): SandboxValue {
    const plain = this.#plain(value);
    this.#count(typeof plain === 'string' ? plain.length + 3 : 6);
    return plain;
  }

  #plain(value: DuckDBValue): SandboxValue {
    if (typeof value === 'bigint') return fromInteger(value);
    if (typeof value !== 'object' || value === null) return value;
    const duckdb = this.#duckdb;
    if (value instanceof duckdb.DuckDBDecimalValue) return fromDecimal(value.value, value.toString());
    if (value instanceof duckdb.DuckDBListValue || value instanceof duckdb.DuckDBArrayValue) {
      return value.items.map((item) => this.#value(item));
    }
    if (value instanceof duckdb.DuckDBStructValue) return this.#object(Object.entries(value.entries));
    if (value instanceof duckdb.DuckDBMapValue) return this.#map(value.entries);
    if (value instanceof duckdb.DuckDBUnionValue) return this.#value(value.value);
    if (value instanceof duckdb.DuckDBTimestampTZValue) return fromInstant(value.micros) ?? value.toString();
    const text = value.toString();
    return /^\d{4}-\d\d-\d\d \d\d:/.test(text) ? text.replace(' ', 'T') : text;
  }

  #map(entries: readonly { key: DuckDBValue; value: DuckDBValue }[]): SandboxValue {
    const isByName = entries.every(({ key }) => typeof key === 'string');
    if (isByName) return this.#object(entries.map(({ key, value }) => [key as string, value]));
    return entries.map(({ key, value }) => ({ key: this.#value(key), value: this.#value(value) }));
  }

  #object(entries: readonly (readonly [string, DuckDBValue])[]): Record<string, SandboxValue> {
    const object: Record<string, SandboxValue> = Object.create(null) as Record<string, SandboxValue>;
    for (const [name, value] of entries) {
      this.#count(name.length + 3);
      object[name] = this.#value(value);
    }
    return object;
  }

  #count(bytes: number): void {
    this.#size += bytes;
    if (this.#size <= maxValueBytes) return;
    const why = `the result has more than ${maxValueBytes} bytes. Ask for fewer rows or columns, or let SQL sum them up.`;
    throw this.#call.limitExceeded('argument_bytes', maxValueBytes, this.#size, why);
  }
}

function fromInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function fromDecimal(unscaled: bigint, text: string): number | string {
  return unscaled.toString().replace('-', '').length <= exactDigits ? Number(text) : text;
}

/** `undefined` for a time that a `Date` cannot hold, such as infinity. */
function fromInstant(micros: bigint): string | undefined {
  const date = new Date(Number(micros / 1000n));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
