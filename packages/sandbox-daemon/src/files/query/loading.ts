import { arrowMark } from '../arrow/messages.ts';
import { arrowTable } from '../arrow/table.ts';
import type { Content } from '../archives/content.ts';
import { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { mailKindOf } from '../mail/kinds.ts';
import type { SheetOptions } from '../sheets/sheet.ts';
import { sqliteMark, sqliteTable } from '../sqlite/sqlite.ts';
import type { Connection } from './duckdb.ts';
import type { Format, TableOptions } from './formats.ts';
import { loadTable } from './loaded.ts';
import { mailTable } from './mail-table.ts';
import { sheetTable } from './sheet-table.ts';
import { loadText } from './text-table.ts';

/** What DuckDB does not read itself. */
export type LoadedKind = 'arrow' | 'mail' | 'sheet' | 'sqlite' | 'text';

/** By the name of a file and its first bytes. A format that a script names says that it is text. */
export function loadedKindOf(
  { path, start, content }: { path: string; start: Buffer; content: Content },
  format: Format | undefined,
): LoadedKind | undefined {
  if (format === undefined && mailKindOf(path) !== undefined) return 'mail';
  const text = start.toString('latin1', 0, sqliteMark.length);
  if (text === sqliteMark) return 'sqlite';
  if (text.startsWith(arrowMark) || /\.arrows?$/i.test(path)) return 'arrow';
  if (text.startsWith('PK\x03\x04') && /\.xls[xm]$/i.test(path)) return 'sheet';
  return content.isMember ? 'text' : undefined;
}

export interface Loading {
  name: string;
  /** Of one file, or of several of mail. */
  paths: readonly [string, ...string[]];
  /** The built-in that is called. */
  caller: string;
  kind: LoadedKind;
  options: SheetOptions & TableOptions & { format: Format; table?: string | undefined };
}

/** Makes a table in memory of such a file. */
export async function load(
  connection: Connection,
  { name, paths, caller, kind, options }: Loading,
  context: BuiltinContext,
): Promise<void> {
  const [path] = paths;
  const call = new BuiltinCall(caller, path);
  if (kind === 'mail') {
    const files = paths.map((one) => ({ path: one, call: new BuiltinCall(caller, one) }));
    return await loadTable(connection, name, mailTable(context, files), context.pace);
  }
  if (kind === 'sheet') {
    const sheet = call.run(() => sheetTable(context, path, options, call));
    return await loadTable(connection, name, sheet, context.pace);
  }
  if (kind === 'text') return await loadText(connection, name, path, options, context, call);
  using table =
    kind === 'arrow' ? await arrowTable(context, path, call) : await sqliteTable(context, path, options.table, call);
  await loadTable(connection, name, table, context.pace);
}
