import * as z from 'zod/mini';
import { SandboxError } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { AsideContext } from '../context.ts';
import { parseOptions } from '../options.ts';
import { explain, library } from '../query/query.ts';
import { formatOf, isNamedTable } from '../query/formats.ts';
import { Table } from '../query/tables.ts';
import { profileLines, type LogProfile } from './log.ts';
import { mostBytes, TableProfiler, type TableProfile } from './table.ts';

const optionsSchema = z.strictObject({
  format: z.optional(z.enum(['csv', 'json', 'parquet', 'lines'])),
  header: z.optional(z.boolean()),
  delimiter: z.optional(z.string().check(z.minLength(1), z.maxLength(4))),
  sheet: z.optional(z.union([z.string(), z.int().check(z.gte(1))])),
  range: z.optional(z.string().check(z.maxLength(40))),
  table: z.optional(z.string()),
});

/**
 * What is in a file: the columns of a table with their values, or the kinds of lines of a log. For a large file it
 * looks at a sample, and says so.
 *
 * @throws {SandboxError} like `query`
 */
export async function profile(
  context: AsideContext,
  [path, given]: readonly unknown[],
): Promise<({ path: string } & TableProfile) | ({ path: string } & LogProfile)> {
  const call = new BuiltinCall('profile', path);
  return await call.runAsync(async () => {
    const options = parseOptions(optionsSchema, given, call);
    if (typeof path !== 'string') throw call.denied('a path must be a string');
    const format = options.format ?? formatOf(path, Buffer.alloc(0));
    if (format === 'lines') return { path, ...profileLines(context, path, call) };
    using table = new Table('t', { path, ...options }, context, { name: 'profile', mostBytes });
    const duckdb = await library(call);
    try {
      const found = await new TableProfiler(table, duckdb, context, call).profile();
      const isText = options.format === undefined && found.format === 'csv' && !isNamedTable(path);
      return isText && !isLikelyTable(found) ? { path, ...profileLines(context, path, call) } : { path, ...found };
    } catch (error) {
      throw error instanceof SandboxError ? error : explain(error, '', [table], call);
    }
  });
}

/** Whether a table was recognised. Any text can be read as CSV. */
function isLikelyTable({ columns, rows, broken }: TableProfile): boolean {
  return columns.length > 1 && rows > 0 && (broken?.lines ?? 0) <= rows / 10;
}
