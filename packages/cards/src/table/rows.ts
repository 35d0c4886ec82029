import { conditionOf, isAs, type RowsRequest } from '@mustard-sandbox/protocol/rows';
import type { JsonValue, TableData } from '../output/data.ts';

type Row = TableData['rows'][number];
type Asked = Pick<RowsRequest, 'search' | 'filters' | 'sorting'>;

/** The rows that a person asks for, in the order that they ask for. */
export function rowsOf({ columns, rows }: TableData, { search = '', filters = {}, sorting }: Asked): readonly Row[] {
  const wanted = search.trim().toLowerCase();
  const conditions = Object.entries(filters).flatMap(([column, written]) => {
    const condition = conditionOf(written);
    return condition === undefined ? [] : [{ column, condition }];
  });
  const isWanted = (row: Row): boolean =>
    (wanted === '' || columns.some((column) => cellText(row[column]).toLowerCase().includes(wanted))) &&
    conditions.every(({ column, condition }) => isAs(condition, scalarOf(row[column])));
  const kept = wanted === '' && conditions.length === 0 ? rows : rows.filter(isWanted);
  return sorting === undefined ? kept : sorted(kept, sorting);
}

/** The whole text of a cell. */
export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function scalarOf(value: JsonValue | undefined): string | number | boolean | null | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Numbers before texts, by value; texts as people sort them; what is not there comes last, whichever way. */
function sorted(rows: readonly Row[], { column, isDescending }: NonNullable<RowsRequest['sorting']>): readonly Row[] {
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = (a: JsonValue, b: JsonValue): number => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
    return collator.compare(cellText(a), cellText(b));
  };
  return rows.toSorted((one, other) => {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return isDescending ? compare(b, a) : compare(a, b);
  });
}

/** The rows as CSV, as `save` writes it. */
export function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const cell = (text: string): string => (/["\r\n,]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (cells: readonly string[]): string => `${cells.map(cell).join(',') || '""'}\n`;
  return line(columns) + rows.map((row) => line(columns.map((column) => cellText(row[column])))).join('');
}
