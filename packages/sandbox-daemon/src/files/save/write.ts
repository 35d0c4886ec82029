import type { OutputFormat } from '@mustard-sandbox/paths';
import { parquetOf } from './parquet.ts';
import { tableOf, textOfCell, type Table } from './table.ts';
import { xlsxOf } from './xlsx.ts';

interface Writing {
  /** The ending of the file, because `tsv` has another separator than `csv`. */
  ending: string;
  /** Set when the file already has rows, and so its header. */
  isMore: boolean;
  /** Called for each row. */
  check: () => void;
}

type Writer = (value: unknown, writing: Writing) => string | Buffer;

/** A value as a text, or as bytes. @throws {Error} for a value that the format cannot hold */
export const writers: Record<OutputFormat, Writer> = {
  csv: (value, writing) => (typeof value === 'string' ? value : writeCsv(tableOf(value), writing)),
  json: (value, { check }) => {
    if (typeof value === 'string' && isJson(value)) return value;
    if (!Array.isArray(value)) return `${JSON.stringify(value, undefined, 2)}\n`;
    return `[\n${writeLines(value, check).join(',\n')}\n]\n`;
  },
  ndjson: (value, { check }) => {
    if (typeof value === 'string') return ended(value);
    const lines = writeLines(Array.isArray(value) ? value : listOf(value), check);
    return lines.map((line) => `${line}\n`).join('');
  },
  markdown: (value, writing) => (typeof value === 'string' ? ended(value) : writeMarkdown(tableOf(value), writing)),
  text: (value, { check }) => {
    if (typeof value === 'string') return ended(value);
    if (!Array.isArray(value)) return ended(textOfCell(value));
    return value.map((line) => (check(), `${textOfCell(line)}\n`)).join('');
  },
  xlsx: (value, { check }) => xlsxOf(rowsOf(value), check),
  parquet: (value, { check }) => parquetOf(rowsOf(value), check),
};

function rowsOf(value: unknown): Table {
  if (typeof value !== 'string') return tableOf(value);
  throw new Error('it is made of rows, as save("a.xlsx", rows), and this is a text');
}

function writeCsv({ columns, rows }: Table, { ending, isMore, check }: Writing): string {
  const separator = ending === 'tsv' ? '\t' : ',';
  const mustQuote = new RegExp(`["\\r\\n${separator}]|^\\s|\\s$`);
  const quoted = (value: unknown): string => {
    const text = textOfCell(value);
    return mustQuote.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const line = (cells: readonly unknown[]): string => {
    const text = cells.map(quoted).join(separator);
    // Most readers skip a line without any character.
    return `${text === '' ? '""' : text}\n`;
  };
  const header = columns === undefined || isMore ? '' : line(columns);
  return header + rows.map((row) => (check(), line(row))).join('');
}

function writeMarkdown({ columns, rows }: Table, { isMore, check }: Writing): string {
  const line = (cells: readonly unknown[]): string => `| ${cells.map(markdownCell).join(' | ')} |\n`;
  const width = columns?.length ?? Math.max(1, ...rows.slice(0, 1_000).map((row) => row.length));
  // Without names, the first row becomes the header, because a table of Markdown needs one.
  const names = columns ?? rows[0] ?? [];
  const body = columns === undefined && !isMore ? rows.slice(1) : rows;
  const header = isMore ? '' : `${line(names)}|${' --- |'.repeat(width)}\n`;
  return header + body.map((row) => (check(), line(row))).join('');
}

function markdownCell(value: unknown): string {
  return textOfCell(value)
    .replaceAll(/[\\|<`*_[\]]/g, '\\$&')
    .replaceAll(/\r\n?|\n/g, '<br>');
}

function writeLines(values: readonly unknown[], check: () => void): string[] {
  // JSON.stringify returns `undefined` for `undefined`.
  return values.map((value) => (check(), JSON.stringify(value) ?? 'null'));
}

function listOf(value: unknown): unknown[] {
  const rows = (value as { rows?: unknown } | null)?.rows;
  return Array.isArray(rows) ? rows : [value];
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
