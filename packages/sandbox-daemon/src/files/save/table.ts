/** A script's value as the rows of a table. */
export interface Table {
  /** `undefined` when the rows are lists without names. */
  columns: string[] | undefined;
  rows: unknown[][];
}

/**
 * The rows of a value: an answer of `query`, a list, or an object, whose keys and values become two columns.
 */
export function tableOf(value: unknown): Table {
  const list = rowsIn(value);
  if (list.length > 0 && list.every((row) => Array.isArray(row))) return { columns: undefined, rows: list };
  if (!list.some(isObject)) return { columns: ['value'], rows: list.map((row) => [row]) };
  const columns = new Set<string>();
  for (const row of list) for (const key of isObject(row) ? Object.keys(row) : []) columns.add(key);
  const names = [...columns];
  // The value of a row that is not an object goes into the first column, where a person sees it.
  return { columns: names, rows: list.map((row) => (isObject(row) ? names.map((name) => cell(row, name)) : [row])) };
}

function rowsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [value];
  if (Array.isArray(value['rows'])) return value['rows'] as unknown[];
  return Object.entries(value).map(([key, item]) => ({ key, value: item }));
}

function cell(row: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of one cell; empty for a missing value. */
export function textOfCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
