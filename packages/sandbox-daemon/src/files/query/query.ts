import * as z from 'zod/mini';
import { messageOf, oneLine, SandboxError } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { AsideContext } from '../context.ts';
import { parseOptions } from '../options.ts';
import { inDatabase, isNotInstalled, loadDuckDB, queryMemoryBytes, type Database, type DuckDB } from './duckdb.ts';
import { readRows, type QueryResult } from './rows.ts';
import { refusalOf, refusalOfType } from './statement.ts';
import type { Sampling } from './formats.ts';
import { Table, tablesSchema } from './tables.ts';

const sqlSchema = z.string().check(z.minLength(1), z.maxLength(100_000));

const optionsSchema = z.strictObject({
  limit: z._default(z.int().check(z.gte(1)), 1000),
});

/**
 * Runs one SELECT over files. It can read the tables that are named, and nothing else: see docs/query.md.
 *
 * @throws {SandboxError} `capability_denied` for other SQL and like `openFile`, `limit_exceeded`, `script_error` with
 *   DuckDB's message about the SQL or a file, `timeout` and `cancelled`
 */
export async function query(context: AsideContext, args: readonly unknown[]): Promise<QueryResult> {
  const call = new BuiltinCall('query', undefined);
  const [sqlGiven, tablesGiven, optionsGiven] = args;
  const sql = parseOptions(sqlSchema, sqlGiven ?? '', call);
  const { limit } = parseOptions(optionsSchema, optionsGiven, call);
  const named = parseOptions(tablesSchema, tablesGiven, call);
  const tables: Table[] = [];
  try {
    for (const [name, given] of Object.entries(named)) tables.push(new Table(name, given, context));
    const duckdb = await library(call);
    for (const table of tables) table.check();
    return await attempts(new Query({ sql, tables, limit, duckdb, context, call }), tables);
  } catch (error) {
    throw error instanceof SandboxError ? error : explain(error, sql, tables, call);
  } finally {
    for (const table of tables) table[Symbol.dispose]();
  }
}

async function attempts(one: Query, tables: readonly Table[]): Promise<QueryResult> {
  try {
    return await one.run('some');
  } catch (error) {
    if (error instanceof SandboxError || !isOfTypes(error) || !tables.some(({ isSampled }) => isSampled)) throw error;
    return await one.run('all');
  }
}

interface QueryFacts {
  sql: string;
  tables: readonly Table[];
  limit: number;
  duckdb: DuckDB;
  context: AsideContext;
  call: BuiltinCall;
}

class Query {
  readonly #facts: QueryFacts;

  constructor(facts: QueryFacts) {
    this.#facts = facts;
  }

  async run(sampling: Sampling): Promise<QueryResult> {
    const { duckdb, context } = this.#facts;
    return await inDatabase(duckdb, context.pace, (database) => this.#work(database, sampling));
  }

  async #work(database: Database, sampling: Sampling): Promise<QueryResult> {
    const { sql, tables, limit, duckdb, context, call } = this.#facts;
    const { connection } = database;
    await database.confine(tables.flatMap(({ paths }) => paths));
    // This happens before any SQL of the script is parsed, because DuckDB runs a PRAGMA while it parses.
    const names = tables.map(({ name }) => name);
    this.#assertAllowed(await refusalOf(sql, names, connection));
    for (const table of tables) {
      const { loads } = table;
      await (loads === undefined ? connection.run(table.view(sampling)) : table.load(loads, connection));
    }
    this.#assertAllowed(await refusalOfType(sql, duckdb, connection));
    const result = await connection.stream(sql);
    return await readRows(result, limit, duckdb, context.pace, call);
  }

  #assertAllowed(refusal: { why: string; isMistake?: true } | undefined): void {
    if (refusal === undefined) return;
    const { call } = this.#facts;
    throw refusal.isMistake === true ? call.failed('QueryError', refusal.why) : call.refused(refusal.why);
  }
}

/** @throws {SandboxError} `script_error` when it is missing */
export async function library(call: BuiltinCall): Promise<DuckDB> {
  // DuckDB reads files by their descriptors, which is what was checked. Windows has no paths for descriptors.
  if (process.platform === 'win32') throw call.failed('NotAvailableError', 'query does not work on Windows yet.');
  try {
    return await loadDuckDB();
  } catch (error) {
    const why = isNotInstalled(error)
      ? 'DuckDB is not installed beside the sidecar. Whoever runs this can add it: npm install @duckdb/node-api'
      : 'DuckDB is installed but did not load on this machine';
    throw call.failed('NotAvailableError', why);
  }
}

/** The kind of a failure. Only the beginning of DuckDB's message tells it. */
export function kindOf(error: unknown): string {
  return /^(?:Error: )?([A-Za-z ]+) Error:/.exec(messageOf(error))?.[1] ?? '';
}

/** Whether DuckDB may have guessed the types of columns wrong, because it looked only at some rows. */
function isOfTypes(error: unknown): boolean {
  return kindOf(error) === 'Conversion' || /sample_size/.test(messageOf(error));
}

/** Words of SQL that files use as names of columns. */
const reserved = new Set(
  'all analyze any array asc case check column constraint default desc end fetch for foreign grant group limit offset only order primary references some table then to union unique using when window with'.split(
    ' ',
  ),
);

const lastWord = /(\w+)[\s;]*$/;

/**
 * The word of SQL near a syntax error, which may be the name of a column. DuckDB only reports that the syntax is wrong
 * there, or right after it.
 */
function reservedNear(message: string, sql: string): string | undefined {
  const near = /syntax error at or near "(\w+)"/.exec(message)?.[1] ?? lastWord.exec(sql)?.[1];
  if (near === undefined || !message.includes('syntax error at')) return undefined;
  const found = new RegExp(`(?:(\\w+)[\\s,=]*)?\\b${near}\\b`, 'i').exec(sql);
  return [found?.[1], near].find((word) => word !== undefined && reserved.has(word.toLowerCase()));
}

/** Advice for failures where DuckDB's own advice cannot be followed. */
function adviceFor(message: string, sql: string): string {
  const word = reservedNear(message, sql);
  if (word !== undefined)
    return ` ${word} is a word of SQL. A column of that name is written in double quotes: "${word}".`;
  if (/maximum line size|a full read on this file/i.test(message)) {
    return ' A line has more than 4 MB: search(path, pattern) looks through such a file, read_file reads it in ranges.';
  }
  if (/sniffing file|^Invalid Input Error: CSV Error/.test(message)) {
    return ' { path, delimiter, header } says how to read it, { path, ignoreErrors: true } leaves out lines that do not fit.';
  }
  if (/"maximum_object_size" of/.test(message)) return ' read_json(path, { pointer }) reads such a large JSON value.';
  if (!/Malformed JSON/.test(message)) return '';
  return " Where some lines are broken: { path, format: 'lines' }, and select line->>'$.key' … where json_valid(line).";
}

const maxMessage = 800;

/** The error for a script, with DuckDB's message. */
export function explain(error: unknown, sql: string, tables: readonly Table[], call: BuiltinCall): SandboxError {
  const kind = kindOf(error);
  if (kind === 'Out of Memory' || /bad_alloc|bad allocation|could not allocate/.test(messageOf(error))) {
    const why =
      `DuckDB needs more than its ${queryMemoryBytes} bytes of memory. Ask for less at a time: ` +
      'select fewer columns, filter before joining, count instead of collecting lists, name fewer files.';
    return call.limitExceeded('query_bytes', queryMemoryBytes, queryMemoryBytes, why);
  }
  // The message is on one line, like those of all functions, because a mark below a place would stand below another
  // one.
  const message = withScriptsPaths(messageOf(error), tables)
    .replace(/^Failed to extract statements: |\s*LINE 1: CREATE VIEW[^]*$|\n *\^/g, '')
    .replaceAll(/\s*\n\s*/g, ' ');
  const advice = adviceFor(message, sql);
  // DuckDB lists everything that it tried, and the advice after it must not be cut.
  const said = oneLine(message, advice === '' ? maxMessage : 100) + advice;
  if (kind === 'Permission') {
    const why = 'it reads something that is not one of its tables, or a table was replaced while it was read';
    return call.refused(`${why}. Only the files that are named as tables can be read.`);
  }
  return call.failed(kind === 'IO' ? 'NotReadableError' : 'QueryError', said);
}

/** Replaces descriptors by the script's paths, because DuckDB names files by their descriptors. */
function withScriptsPaths(message: string, tables: readonly Table[]): string {
  const names = new Map(tables.flatMap((table) => table.names));
  return message.replaceAll(/\/(?:proc\/self|dev)\/fd\/\d+/g, (path) => names.get(path) ?? 'a file');
}
