import type { Content } from '../archives/content.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { SheetOptions } from '../sheets/sheet.ts';
import { sqliteMark, sqliteTable } from '../sqlite/sqlite.ts';
import type { Connection } from './duckdb.ts';
import type { Format, TableOptions } from './formats.ts';
import { loadTable } from './loaded.ts';
import { sheetTable } from './sheet-table.ts';
import { loadText } from './text-table.ts';

/** What DuckDB does not read itself. */
export type LoadedKind = 'sheet' | 'sqlite' | 'text';

/** By the name of a file and its first bytes. */
export function loadedKindOf({
  path,
  start,
  content,
}: {
  path: string;
  start: Buffer;
  content: Content;
}): LoadedKind | undefined {
  const text = start.toString('latin1', 0, sqliteMark.length);
  if (text === sqliteMark) return 'sqlite';
  if (text.startsWith('PK\x03\x04') && /\.xls[xm]$/i.test(path)) return 'sheet';
  return content.isMember ? 'text' : undefined;
}

export interface Loading {
  name: string;
  path: string;
  kind: LoadedKind;
  options: SheetOptions & TableOptions & { format: Format; table?: string | undefined };
}

/** Makes a table in memory of such a file. */
export async function load(
  connection: Connection,
  { name, path, kind, options }: Loading,
  context: BuiltinContext,
  call: BuiltinCall,
): Promise<void> {
  if (kind === 'sheet') {
    const sheet = call.run(() => sheetTable(context, path, options, call));
    return await loadTable(connection, name, sheet, context.pace);
  }
  if (kind === 'text') return await loadText(connection, name, path, options, context, call);
  using table = await sqliteTable(context, path, options.table, call);
  await loadTable(connection, name, table, context.pace);
}
