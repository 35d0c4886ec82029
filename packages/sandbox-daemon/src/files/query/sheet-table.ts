import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { Cell } from '../sheets/cells.ts';
import { openWorkbook, sheetOf, type SheetOptions } from '../sheets/sheet.ts';
import type { Loaded, LoadedType } from './loaded.ts';

/** The number of cells that fits into memory together with DuckDB's own table of them. */
const maxCells = 5_000_000;

/**
 * A sheet of Excel as a table. All of its rows are held until DuckDB has them, because their types must be known first.
 */
export function sheetTable(context: BuiltinContext, path: string, options: SheetOptions, call: BuiltinCall): Loaded {
  using opened = openWorkbook(context, path, call);
  const { names, rows: found } = sheetOf(opened.workbook, options, call);
  const rows: Cell[][] = [];
  const kinds: Set<string>[] = [];
  let cells = 0;
  for (const row of found) {
    if (rows.push(row) % 200 === 0) context.pace.check();
    cells += row.length;
    if (cells > maxCells)
      throw call.limitExceeded(
        'value_items',
        maxCells,
        cells,
        `${call.shown} has more cells than fit into memory. Name a range.`,
        'items',
      );
    row.forEach((cell, at) => cell !== null && (kinds[at] ??= new Set()).add(kindOf(cell)));
  }
  const width = Math.max(names.length, kinds.length, 1);
  const columns = Array.from({ length: width }, (_, at) => ({
    name: names[at] ?? `column${at}`,
    type: typeOf(kinds[at]),
  }));
  return { columns, rows };
}

function kindOf(cell: Exclude<Cell, null>): string {
  if (typeof cell === 'boolean') return 'BOOLEAN';
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? 'BIGINT' : 'DOUBLE';
  if (cell.length === 10 && /^\d{4}-\d\d-\d\d$/.test(cell)) return 'DATE';
  return cell.length === 19 && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(cell) ? 'TIMESTAMP' : 'VARCHAR';
}

function typeOf(kinds: ReadonlySet<string> = new Set()): LoadedType {
  const [one, ...others] = [...kinds].sort();
  if (one === undefined) return 'VARCHAR';
  if (others.length === 0) return one as LoadedType;
  const all = [one, ...others].join();
  if (all === 'BIGINT,DOUBLE') return 'DOUBLE';
  return all === 'DATE,TIMESTAMP' ? 'TIMESTAMP' : 'VARCHAR';
}
