import type { Compression } from '../source/compression.ts';
import { encodingOf, probedBytes } from '../source/encodings.ts';
import { literal } from './duckdb.ts';
import { separator } from './line-ends.ts';

/** The formats that DuckDB reads. */
export const formats = ['csv', 'json', 'parquet', 'lines'] as const;
export type Format = (typeof formats)[number];

/**
 * How thoroughly types are found out. `all` looks at every row, which is needed for a column that changes late in its
 * file.
 */
export type Sampling = 'some' | 'all';

/**
 * How much DuckDB reads of a file at a time, in each thread. It would hold its default of 32 MB even for a file of ten
 * bytes, and the memory stays with the process: 282 MB of data after five queries instead of 168, at the same speed.
 */
export const bufferBytes = 4_000_000;

/** The function of SQL that reads a format. */
export const readers: Record<Format, string> = {
  csv: 'read_csv',
  lines: 'read_csv',
  json: 'read_json',
  parquet: 'read_parquet',
};

/** How a table of text is to be read. */
export interface TableOptions {
  header?: boolean | undefined;
  delimiter?: string | undefined;
  ignoreErrors?: boolean | undefined;
}

type Arguments = (
  options: TableOptions,
  sampling: Sampling,
  start: Buffer,
  compression: Compression | undefined,
) => string[];

/** The arguments of this function in addition to the files. */
export const argumentsOf: Record<Format, Arguments> = {
  csv: ({ header, delimiter, ignoreErrors }, sampling, start, compression) => [
    `buffer_size = ${bufferBytes}`,
    ...(header === undefined ? [] : [`header = ${header}`]),
    ...(delimiter === undefined ? [] : [`delim = ${literal(delimiter)}`]),
    ...(compression === undefined && isQuoted(start) ? [`quote = '"'`, `escape = '"'`] : []),
    ...(ignoreErrors === true ? ['ignore_errors = true'] : []),
    ...(sampling === 'all' ? ['sample_size = -1'] : []),
    ...encoding(start, compression),
  ],
  // The separator does not occur in the text and there is no quote, so each line is one value.
  lines: (_options, _sampling, start, compression) => [
    "columns = { 'line': 'VARCHAR' }",
    'auto_detect = false',
    `buffer_size = ${bufferBytes}`,
    `max_line_size = ${bufferBytes}`,
    'header = false',
    `delim = ${literal(separator)}`,
    "quote = ''",
    "escape = ''",
    'strict_mode = false',
    ...encoding(start, compression),
  ],
  // `ignore_errors` is not used, because DuckDB then also leaves out the line after a broken one.
  json: (_options, sampling) => [
    `maximum_object_size = ${bufferBytes}`,
    ...(sampling === 'all' ? ['sample_size = -1'] : []),
  ],
  parquet: () => [],
};

const quotedCell = /(^|[,;|\t\n])"[^"]*(?:""[^"]*)*"(?=[,;|\t\r\n]|$)/g;
const openCell = /(^|[,;|\t\n])"[^"]*$/;

/**
 * Whether cells stand in double quotes, in which quotes are doubled, and there are no other quotes. Otherwise DuckDB
 * finds out by itself which character quotes. In a short file it may take an apostrophe: of `n,text` and `0,"'"",a"` it
 * read no row.
 */
function isQuoted(start: Buffer): boolean {
  const text = start.toString('latin1');
  const unquoted = text.replaceAll(quotedCell, '$1');
  const rest = start.length < probedBytes ? unquoted : unquoted.replace(openCell, '$1');
  return unquoted !== text && !rest.includes('"') && !text.includes('\\"');
}

/** The encoding, if DuckDB reads it in addition to UTF-8. The content of a compressed file is not looked at. */
function encoding(start: Buffer, compression: Compression | undefined): string[] {
  const found = compression === undefined ? encodingOf(start) : undefined;
  if (found === 'latin1') return ["encoding = 'latin-1'"];
  return found === 'utf16le' ? ["encoding = 'utf-16'"] : [];
}

const byEnding: Record<string, Format> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  psv: 'csv',
  json: 'json',
  ndjson: 'json',
  jsonl: 'json',
  geojson: 'json',
  parquet: 'parquet',
  log: 'lines',
  txt: 'lines',
  md: 'lines',
};

function byName(path: string): Format | undefined {
  const ending = /\.([^./]+)(?:\.(?:gz|zst|zstd))?$/i.exec(path.toLowerCase())?.[1] ?? '';
  return byEnding[ending];
}

/** Whether the name says which kind of table a file is. */
export function isNamedTable(path: string): boolean {
  return byName(path) !== undefined;
}

/** The format by the name of the file, or by its first bytes. */
export function formatOf(path: string, start: Buffer): Format {
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  const known = byName(path);
  if (known !== undefined) return known;
  return /^\s*\{/.test(start.toString('latin1')) ? 'json' : 'csv';
}
