// What a person asks of a table, and what that means: for rows in a page, and as SQL for `query` over a stored file.

/** A page of rows that a person asks for. */
export interface RowsRequest {
  /** From 0. */
  offset: number;
  limit: number;
  /** Rows that have this text in some column, in whatever case. */
  search?: string | undefined;
  /** What a person wrote for some columns: text that it contains, or `> 5`, `<= 5`, `= text`. */
  filters?: Record<string, string> | undefined;
  sorting?: { column: string; isDescending: boolean } | undefined;
}

type Cell = null | boolean | number | string;

interface Condition {
  operator: 'contains' | '=' | '<' | '<=' | '>' | '>=';
  /** A number is compared as one. */
  value: string | number;
}

/** What a person wrote to filter a column by; `undefined`: nothing. */
export function conditionOf(written: string): Condition | undefined {
  const [, operator, rest = ''] = /^\s*(<=|>=|<|>|=)?\s*(.*?)\s*$/s.exec(written) ?? [];
  if (operator === undefined) return rest === '' ? undefined : { operator: 'contains', value: rest };
  if (rest === '') return undefined;
  const number = Number(rest);
  return { operator: operator as Condition['operator'], value: Number.isNaN(number) ? rest : number };
}

/** Whether a cell is as the condition says. What is not there is as no condition says. */
export function isAs({ operator, value }: Condition, cell: Cell | undefined): boolean {
  if (cell === null || cell === undefined) return false;
  if (operator === 'contains') return String(cell).toLowerCase().includes(String(value).toLowerCase());
  if (operator === '=') return String(cell).toLowerCase() === String(value).toLowerCase() || cell === value;
  if (typeof value === 'number' && typeof cell !== 'number') return false;
  const [one, other] = typeof value === 'number' ? [cell, value] : [String(cell), value];
  if (operator === '<') return one < other;
  if (operator === '<=') return one <= other;
  return operator === '>' ? one > other : one >= other;
}

/** The script that reads a page of a stored table, as `{ rows, total }`. @param path as a script names it */
export function rowsScript(path: string, request: RowsRequest, columns: readonly string[]): string {
  const { offset, limit, sorting } = request;
  const where = whereOf(request, columns);
  const order =
    sorting === undefined
      ? ''
      : ` order by ${nameInSql(sorting.column)} ${sorting.isDescending ? 'desc' : 'asc'} nulls last`;
  const page = `select * from t${where}${order} limit ${whole(limit)} offset ${whole(offset)}`;
  const tables = JSON.stringify({ t: path });
  return `({
  rows: query(${JSON.stringify(page)}, ${tables}, { limit: ${whole(limit)} }).rows,
  total: query(${JSON.stringify(`select count(*)::double n from t${where}`)}, ${tables}).rows[0].n,
})`;
}

function whereOf({ search = '', filters = {} }: RowsRequest, columns: readonly string[]): string {
  const conditions: string[] = [];
  if (search.trim() !== '' && columns.length > 0) {
    conditions.push(
      `(${columns.map((name) => inSql(name, { operator: 'contains', value: search.trim() })).join(' or ')})`,
    );
  }
  for (const [name, written] of Object.entries(filters)) {
    const condition = conditionOf(written);
    if (condition !== undefined) conditions.push(inSql(name, condition));
  }
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
}

function inSql(column: string, { operator, value }: Condition): string {
  const name = nameInSql(column);
  const text = `lower(${name}::varchar)`;
  if (operator === 'contains') return `contains(${text}, lower(${textInSql(String(value))}))`;
  if (typeof value === 'number') return `try_cast(${name} as double) ${operator} ${value}`;
  return operator === '=' ? `${text} = lower(${textInSql(value)})` : `${name}::varchar ${operator} ${textInSql(value)}`;
}

function nameInSql(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;
}

function textInSql(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
}

function whole(number: number): number {
  return Math.max(0, Math.floor(number) || 0);
}
