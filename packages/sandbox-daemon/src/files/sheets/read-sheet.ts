import * as z from 'zod/mini';
import { maxValueBytes, type SandboxValue } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { parseOptions } from '../options.ts';
import type { Cell } from './cells.ts';
import { openWorkbook, sheetOf } from './sheet.ts';

const optionsSchema = z.strictObject({
  sheet: z.optional(z.union([z.string(), z.int().check(z.gte(1))])),
  range: z.optional(z.string().check(z.maxLength(40))),
  header: z._default(z.boolean(), true),
  limit: z._default(z.int().check(z.gte(1), z.lte(100_000)), 1_000),
});

export interface SheetRows {
  /** The names of all sheets. */
  sheets: string[];
  sheet: string;
  rows: SandboxValue[];
  truncated: boolean;
}

/**
 * The rows of a sheet of Excel: objects by the names in its first row, or lists.
 *
 * @throws {SandboxError} like `openFile`, `script_error` for a file of another kind, `limit_exceeded`
 */
export function readSheet(context: BuiltinContext, [path, given]: readonly unknown[]): SheetRows {
  const call = new BuiltinCall('read_sheet', path);
  return call.run(() => {
    const { limit, ...options } = parseOptions(optionsSchema, given, call);
    using opened = openWorkbook(context, path, call);
    const { sheets, sheet, names, rows: found } = sheetOf(opened.workbook, options, call);
    const rows: SandboxValue[] = [];
    let size = 0;
    for (const cells of found) {
      if (rows.length === limit) return { sheets, sheet, rows, truncated: true };
      rows.push(options.header ? byName(names, cells) : cells);
      size += cells.reduce<number>((sum, cell) => sum + 8 + (typeof cell === 'string' ? cell.length : 0), 8);
      if (size > maxValueBytes) throw tooMuch(size, call);
    }
    return { sheets, sheet, rows, truncated: false };
  });
}

function byName(names: readonly string[], cells: readonly Cell[]): Record<string, Cell> {
  const row = Object.create(null) as Record<string, Cell>;
  names.forEach((name, at) => (row[name] = cells[at] ?? null));
  return row;
}

function tooMuch(size: number, call: BuiltinCall): Error {
  const why =
    'the rows have more than a value may. Ask for fewer columns by range, or let query count and filter them.';
  return call.limitExceeded('argument_bytes', maxValueBytes, size, why);
}
