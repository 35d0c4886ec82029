import { bytesAt, bytesInMemory, type Bytes } from '../archives/bytes.ts';
import { openContent, readContent } from '../archives/content.ts';
import { Zip } from '../archives/zip.ts';
import { archiveKindOf, kindBytes, refusedKind } from '../binary-kinds.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { everything, lettersOf, namesOf, rangeOf, type Cell, type Range } from './cells.ts';
import { Parts } from './parts.ts';
import { Workbook } from './workbook.ts';

export interface SheetOptions {
  sheet?: string | number | undefined;
  range?: string | undefined;
  header?: boolean | undefined;
}

/** The content of a sheet as a table. */
export interface Sheet {
  sheets: string[];
  sheet: string;
  names: string[];
  rows: Iterable<Cell[]>;
}

/** The largest workbook in an archive, in bytes. It is held in memory, because its parts are not read in their order. */
const maxMemberBytes = 64 * 1024 * 1024;

/** Opens the workbook that a path names, which may be in an archive. The caller disposes of it. */
export function openWorkbook(
  context: BuiltinContext,
  path: unknown,
  call: BuiltinCall,
): { workbook: Workbook } & Disposable {
  const content = openContent(context, path, call);
  try {
    context.markRead(path);
    assertZip(content, call);
    const bytes = content.isMember
      ? bytesInMemory(readContent(context, path, call, { most: maxMemberBytes }))
      : content;
    const workbook = new Workbook(new Parts(new Zip(bytes, call), context, call), call);
    return { workbook, [Symbol.dispose]: () => content[Symbol.dispose]() };
  } catch (error) {
    content[Symbol.dispose]();
    throw error;
  }
}

/** Says of another known kind of file, such as a `.xls`, what to do with it. */
function assertZip(content: Bytes, call: BuiltinCall): void {
  const start = bytesAt(content, 0, kindBytes);
  const refused = archiveKindOf(start) === 'zip' ? undefined : refusedKind(start, call);
  if (refused !== undefined) throw refused;
}

/**
 * The rows of a sheet. The first row with a cell has the names of the columns, unless `header` is false.
 *
 * @throws {SandboxError} `invalid_request` for a text that is not a range
 */
export function sheetOf(
  workbook: Workbook,
  { sheet: asked, range: given, header = true }: SheetOptions,
  call: BuiltinCall,
): Sheet {
  const range = given === undefined ? everything : rangeOf(given);
  if (range === undefined)
    throw call.invalid(`${call.name}: ${JSON.stringify(given)} is no range. Write it as 'A2:F100', 'A:F' or '2:100'.`);
  const sheet = workbook.sheet(asked);
  const rows = workbook.rows(sheet, range);
  const first = header ? rows.next().value : undefined;
  const names = header ? namesOf(first?.cells ?? [], widthOf(first?.cells ?? [], range), range.left) : [];
  return {
    sheets: workbook.sheets.map(({ name }) => name),
    sheet: sheet.name,
    names,
    rows: cellsOf(rows, names, range),
  };
}

/** Adds names when a later row is longer. */
function* cellsOf(rows: Iterable<{ cells: Cell[] }>, names: string[], range: Range): Generator<Cell[], void> {
  for (const { cells } of rows) {
    while (names.length < cells.length) names.push(free(lettersOf(range.left + names.length), names));
    yield cells;
  }
}

function free(name: string, names: readonly string[]): string {
  return names.includes(name) ? `${name}_2` : name;
}

function widthOf(cells: readonly Cell[], { left, right }: Range): number {
  return Number.isFinite(right) && right - left < 1_000 ? right - left + 1 : cells.length;
}
