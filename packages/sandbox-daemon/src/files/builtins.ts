import type { BuiltinName } from '../protocol/builtins.ts';
import { encodeValue, type WireValue } from '../protocol/values.ts';
import type { FileAccess } from './index.ts';

/** The result of a built-in: a text as the bytes that were read, the lines of one as a list, or any other value as JSON. */
type BuiltinAnswer = { text: Buffer } | { lines: Buffer } | { value: WireValue };

/** A promise only where there is something to wait for: it costs each call a turn of the event loop. */
type Handler = (files: FileAccess, args: readonly unknown[]) => BuiltinAnswer | Promise<BuiltinAnswer>;

/**
 * Not every run searches or queries: what only these use is loaded with the first of them, for an idle sidecar to be
 * small and a new one to be soon there. In the bundle it is in the same file, and what comes late is its evaluation.
 */
const later = {
  json: () => import('./json/read-json.ts'),
  pdf: () => import('./pdf-text.ts'),
  query: () => import('./query/query.ts'),
  readLines: () => import('./read-lines.ts'),
  search: () => import('./search/index.ts'),
};

/** What each built-in does. A name in the table of built-ins that has no handler here does not compile. */
export const builtinHandlers: Readonly<Record<BuiltinName, Handler>> = {
  search: async (files, [where, pattern, options]) => {
    const { search } = await later.search();
    const answer = await search(files, where, pattern, options);
    if (answer.truncated && !hasLimit(options)) files.cutShort.add('search');
    return { value: { json: answer } };
  },
  lines: async (files, [path, options, id]) => ({
    lines: await files.lineReaders.next(files, path, options, Number(id)),
  }),
  read_lines: async (files, [path, options]) => {
    const { readLines } = await later.readLines();
    return { lines: await readLines(files, path, options) };
  },
  read_file: (files, [path, options]) => ({ text: files.readFile(path, options) }),
  find_files: async (files, [glob, options]) => ({ value: { json: await files.findFiles(glob, options) } }),
  list_files: async (files, [dir, options]) => ({ value: { json: await files.listFiles(dir, options) } }),
  file_stats: (files, [path, options]) => ({ value: { json: files.fileStats(path, options) } }),
  read_json: async (files, args) => {
    const { readJson } = await later.json();
    return { value: encodeValue(await readJson(files, args), 'result') };
  },
  pdf_text: async (files, args) => {
    const { pdfText } = await later.pdf();
    return { value: { json: await pdfText(files, args) } };
  },
  query: async (files, args) => {
    const { query } = await later.query();
    const answer = await query(files, args);
    if (answer.truncated && !hasLimit(args[2])) files.cutShort.add('query');
    return { value: encodeValue(answer, 'result') };
  },
};

/** Whether the call says how much it wants. The options have been checked. */
function hasLimit(options: unknown): boolean {
  return typeof options === 'object' && options !== null && ('limit' in options || 'top' in options);
}
