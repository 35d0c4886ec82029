import { oneLine, quote, SandboxError } from '@mustard-sandbox/protocol';
import { tableOf } from '../save/table.ts';

const shownColumns = 20;

/** The rows of a chart's data. Columns are taken from them by name. */
interface Rows {
  length: number;
  /**
   * @param channel what the column is for, for the error
   * @throws {SandboxError} `invalid_request` when no row has it
   */
  column(field: string, channel: string, check: () => void): unknown[];
}

/** @param data rows as for `save`: objects, lists, the answer of `query`, or an object as keys and values */
export function rowsOf(data: unknown): Rows {
  if (typeof data !== 'object' || data === null) {
    throw invalid(`data: it is no list of rows but ${data === null ? 'null' : typeof data}`);
  }
  const { columns, rows } = tableOf(data);
  const names = columns ?? Array.from({ length: widest(rows) }, (_, index) => String(index));
  return {
    length: rows.length,
    column(field, channel, check) {
      const index = names.indexOf(field);
      if (index === -1) throw invalid(`${channel}: the data has no column ${quote(field)}${whichHas(names)}`);
      return rows.map((row) => (check(), row[index]));
    },
  };
}

function widest(rows: readonly unknown[][]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0);
}

function whichHas(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > shownColumns ? ` and ${names.length - shownColumns} more` : '';
  return `; it has ${names
    .slice(0, shownColumns)
    .map((name) => oneLine(name, 60))
    .join(', ')}${more}`;
}

function invalid(why: string): SandboxError {
  return new SandboxError('invalid_request', `chart: ${why}.`, { details: { problems: [why] } });
}
