import type { BuiltinName } from '../protocol/builtins.ts';
import { encodeValue, type WireValue } from '../protocol/values.ts';
import type { FileAccess } from './index.ts';
import { readJson } from './json/read-json.ts';
import { query } from './query/query.ts';

/** The result of a built-in: a text as the bytes that were read, or any other value as JSON. */
type BuiltinAnswer = { text: Buffer } | { value: WireValue };

/** A promise only where there is something to wait for: it costs each call a turn of the event loop. */
type Handler = (files: FileAccess, args: readonly unknown[]) => BuiltinAnswer | Promise<BuiltinAnswer>;

/** What each built-in does. A name in the table of built-ins that has no handler here does not compile. */
export const builtinHandlers: Readonly<Record<BuiltinName, Handler>> = {
  read_file: (files, [path, options]) => ({ text: files.readFile(path, options) }),
  list_files: (files, [dir]) => ({ value: { json: files.listFiles(dir) } }),
  file_stats: (files, [path]) => ({ value: { json: files.fileStats(path) } }),
  read_json: async (files, args) => ({ value: encodeValue(await readJson(files, args), 'result') }),
  query: async (files, args) => ({ value: encodeValue(await query(files, args), 'result') }),
};
