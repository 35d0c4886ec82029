import { StringDecoder } from 'node:string_decoder';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { namesOf } from '../sheets/cells.ts';
import { openSource } from '../source/source.ts';
import { csvRows, delimiterOf, type CsvRow } from './csv-rows.ts';
import { identifier, literal, type Connection } from './duckdb.ts';
import type { Format, TableOptions } from './formats.ts';
import { loadTable, retype, type LoadedType } from './loaded.ts';

/** DuckDB reads files by their descriptors. A file in an archive has none, so its rows are passed to DuckDB. */
export async function loadText(
  connection: Connection,
  table: string,
  path: string,
  { format, ...options }: TableOptions & { format: Format },
  context: BuiltinContext,
  call: BuiltinCall,
): Promise<void> {
  if (format === 'parquet') {
    const why = `${call.shown} is Parquet in an archive, which nothing here reads. Tell the user to unpack it.`;
    throw call.failed('NotReadableError', why);
  }
  using source = openSource(context, path, call);
  if (source.format().encoding === undefined) throw call.failed('NotReadableError', `${call.shown} is not text.`);
  const texts = textsOf(source);
  if (format === 'csv') return await loadCsv(connection, table, texts, options, context, call);
  const values = format === 'lines' ? linesOf(texts) : jsonIn(texts);
  const column = { name: 'line', type: 'VARCHAR' as const };
  const rows = format === 'json' ? `${table} json` : table;
  await loadTable(connection, rows, { columns: [column], rows: values }, context.pace);
  if (format === 'json') await spread(connection, rows, table);
}

function* textsOf(source: { next(): Buffer | undefined }): Generator<string, void> {
  const decoder = new StringDecoder('utf8');
  for (let piece; (piece = source.next()) !== undefined;) yield decoder.write(piece);
  yield decoder.end();
}

function* linesOf(texts: Iterable<string>): Generator<[string | null], void> {
  let rest = '';
  for (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield [withoutReturn(line)];
  }
  if (rest !== '') yield [withoutReturn(rest)];
}

/** A line as DuckDB reads it: an empty one is null. */
function withoutReturn(line: string): string | null {
  return (line.endsWith('\r') ? line.slice(0, -1) : line) || null;
}

/** What is found out of each takes DuckDB some time. */
const maxColumns = 2_000;
const maxJson = 16 * 1024 * 1024;

/** The items of a list, or the values of lines. */
function* jsonIn(texts: Iterable<string>): Generator<[string], void> {
  const pieces = texts[Symbol.iterator]();
  let start = '';
  for (let next; start.trim() === '' && (next = pieces.next()).done !== true;) start += next.value;
  const all = { [Symbol.iterator]: () => pieces };
  if (/^\s*\[/.test(start)) {
    for (const text of all) {
      start += text;
      if (start.length > maxJson) throw new Error(`Malformed JSON: a list of more than ${maxJson} characters`);
    }
    for (const item of JSON.parse(start) as unknown[]) yield [JSON.stringify(item)];
    return;
  }
  for (const [line] of linesOf(concatenated(start, all))) if (line !== null && line.trim() !== '') yield [line];
}

function* concatenated(first: string, more: Iterable<string>): Generator<string, void> {
  yield first;
  yield* more;
}

/** Makes columns from objects. */
async function spread(connection: Connection, rows: string, table: string): Promise<void> {
  const from = identifier(rows);
  const found = await connection.runAndReadAll(`SELECT json_group_structure(line::JSON)::VARCHAR FROM ${from}`);
  const structure = String(found.getRows()[0]?.[0] ?? '"JSON"');
  const fields = structure.startsWith('{')
    ? `unnest(json_transform_strict(line::JSON, ${literal(structure)}))`
    : 'line::JSON AS json';
  await connection.run(`CREATE TABLE ${identifier(table)} AS SELECT ${fields} FROM ${from}`);
  await connection.run(`DROP TABLE ${from}`);
}

async function loadCsv(
  connection: Connection,
  table: string,
  texts: Iterator<string, void> & Iterable<string>,
  { header, delimiter, ignoreErrors = false }: TableOptions,
  context: BuiltinContext,
  call: BuiltinCall,
): Promise<void> {
  const start = startOf(texts);
  const rows = csvRows(concatenated(start, texts), delimiter ?? delimiterOf(start));
  const first = rows.next().value;
  if (first === undefined) throw call.failed('NotReadableError', `${call.shown} is empty, so it is no table.`);
  if (first.cells.length > maxColumns) {
    throw call.failed('NotReadableError', `${call.shown} has more than ${maxColumns} columns.`);
  }
  const hasNames = header ?? first.cells.every((cell) => cell.trim() !== '' && Number.isNaN(Number(cell)));
  const names = hasNames
    ? namesOf(first.cells, first.cells.length, 1)
    : first.cells.map((_, at) => `column${String(at).padStart(String(first.cells.length - 1).length, '0')}`);
  const columns = names.map((name) => ({ name, type: 'VARCHAR' as const }));
  const fitting = fittingRows(hasNames ? rows : concatenatedRows(first, rows), columns.length, ignoreErrors, call);
  await loadTable(connection, table, { columns, rows: fitting }, context.pace);
  await retype(connection, table, await typesOf(connection, table, names));
}

/** How much of a file shows which character separates its cells. */
function startOf(texts: Iterator<string, void>): string {
  let start = '';
  for (let next; start.length < 64 * 1024 && (next = texts.next()).done !== true;) start += next.value;
  return start.startsWith('\ufeff') ? start.slice(1) : start;
}

function* concatenatedRows(first: CsvRow, more: Iterable<CsvRow>): Generator<CsvRow, void> {
  yield first;
  yield* more;
}

function* fittingRows(
  rows: Iterable<CsvRow>,
  width: number,
  ignoresOthers: boolean,
  call: BuiltinCall,
): Generator<(string | null)[], void> {
  for (const { line, cells } of rows) {
    if (cells.length === width) yield cells.map((cell) => (cell === '' ? null : cell));
    else if (!ignoresOthers) {
      const why = `line ${line} of ${call.shown} has ${cells.length} cells, and its first ${width}.`;
      const how =
        '{ path, ignoreErrors: true } leaves out lines that do not fit; { path, delimiter } says what separates cells.';
      throw call.failed('QueryError', `${why} ${how}`);
    }
  }
}

/** What each value of a column is. By a pattern where a cast takes more: that of 1.5 to an integer gives 2. */
const tests: readonly [type: LoadedType, test: (column: string) => string][] = [
  ['BIGINT', (column) => `regexp_full_match(${column}, '[+-]?[0-9]{1,18}')`],
  ['DOUBLE', (column) => `try_cast(${column} AS DOUBLE) IS NOT NULL`],
  ['BOOLEAN', (column) => `regexp_full_match(${column}, '(?i:true|false)')`],
  ['DATE', (column) => `length(${column}) <= 10 AND try_cast(${column} AS DATE) IS NOT NULL`],
  ['TIMESTAMP', (column) => `try_cast(${column} AS TIMESTAMP) IS NOT NULL`],
];

async function typesOf(
  connection: Connection,
  table: string,
  names: readonly string[],
): Promise<{ name: string; type: LoadedType }[]> {
  const asked = names.flatMap((name) =>
    tests.map(([, test]) => `coalesce(bool_and(${test(identifier(name))}), false)`),
  );
  const found = await connection.runAndReadAll(`SELECT ${asked.join(', ')} FROM ${identifier(table)}`);
  const answers = found.getRows()[0] ?? [];
  return names.map((name, column) => {
    const fits = tests.find((_, at) => answers[column * tests.length + at] === true);
    return { name, type: fits?.[0] ?? 'VARCHAR' };
  });
}
