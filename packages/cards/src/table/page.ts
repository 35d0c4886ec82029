import type { TableData } from '../output/data.ts';

/** A page of a table as it is shown. */
export interface RowsPage {
  rows: TableData['rows'];
  /** How many rows there are in all. */
  total: number;
}

/**
 * What a host has answered, no longer and no less than what was asked for: a host may err, and what a page holds must not
 * depend on that.
 *
 * @throws {Error} in words for a person
 */
export function checkedPage(answer: unknown, { first, limit }: { first: number; limit: number }): RowsPage {
  const { rows, total } = (answer ?? {}) as { rows?: unknown; total?: unknown };
  if (!Array.isArray(rows) || typeof total !== 'number') throw new Error('The answer has no rows.');
  const shown = rows.slice(0, limit);
  if (!shown.every(isRow)) throw new Error('The answer has rows that are none.');
  const least = shown.length === 0 ? 0 : first + shown.length;
  return { rows: shown, total: Number.isSafeInteger(total) ? Math.max(least, total) : least };
}

function isRow(row: unknown): row is RowsPage['rows'][number] {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}
