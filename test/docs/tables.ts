import { formatBytes } from '@mustard-sandbox/agent-tool';

/** The tables of a section, each as the cells of its rows, without its head. */
export function tablesAfter(document: string, heading: string): string[][][] {
  const section = document.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const tables = section.match(/(?:^\|.*\n?)+/gm) ?? [];
  return tables.map((table) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
}

/** The rows of a document's only table, without its head. */
export function rowsOf(document: string): string[][] {
  const rows = document.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) => line.split('|').slice(1, -1));
}

/** What a text writes as code. */
export function codeIn(text = ''): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string);
}

/** A limit as the documents write it: `2 s`, `1 h`, `64 MB`, `200 M`. */
export function shown(value: number, unit: string): string {
  if (unit === 'ms' && value >= 3_600_000) return `${value / 3_600_000} h`;
  if (unit === 'ms') return value >= 1000 || value % 100 === 0 ? `${value / 1000} s` : `${value} ms`;
  if (unit === 'bytes') return formatBytes(value);
  if (value >= 1e9) return `${value / 1e9} G`;
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1e5 ? value.toLocaleString('en-US') : String(value);
}

type Table = Record<string, { default: number; ceiling: number; unit: string }>;

/** Name, default and ceiling of each limit, as the documents write them. */
export const limitRows = (table: Table, prefix = ''): string[][] =>
  Object.entries(table).map(([name, row]) => [
    `\`${prefix}${name}\``,
    shown(row.default, row.unit),
    shown(row.ceiling, row.unit),
  ]);
