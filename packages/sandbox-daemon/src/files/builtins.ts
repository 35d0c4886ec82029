import { encodeValue, type BuiltinName, type WireValue } from '@mustard-sandbox/protocol';
import { aside } from './aside/aside.ts';
import type { FileAccess } from './index.ts';
import { later } from './later.ts';
import { hasLimit } from './options.ts';

/**
 * The result of a built-in: a text as the bytes that were read, the lines of a text as a list, or any other value as
 * JSON.
 */
type BuiltinAnswer = { text: Buffer } | { lines: Buffer } | { value: WireValue };

/** Returns its answer at once, because an engine that calls it does not wait for the event loop. */
type Handler = (files: FileAccess, args: readonly unknown[]) => BuiltinAnswer;

/**
 * The handler of each built-in except `save`, `chart` and `parallel`, which need the host. A name in the table of built-ins without a
 * handler here does not compile.
 */
export const builtinHandlers: Readonly<Record<Exclude<BuiltinName, 'save' | 'chart' | 'parallel'>, Handler>> = {
  search: (files, [where, pattern, options]) => {
    const answer = later.search().search(files, where, pattern, options);
    if (answer.truncated && !hasLimit(options)) files.cutShort.add('search');
    return { value: { json: answer } };
  },
  lines: (files, [path, options, id]) => ({ lines: files.lineReaders.next(files, path, options, Number(id)) }),
  read_lines: (files, [path, options]) => ({ lines: later.readLines().readLines(files, path, options) }),
  read_file: (files, [path, options]) => ({ text: files.readFile(path, options) }),
  find_files: (files, [glob, options]) => ({ value: { json: files.findFiles(glob, options) } }),
  list_files: (files, [dir, options]) => ({ value: { json: files.listFiles(dir, options) } }),
  file_stats: (files, [path, options]) => ({ value: { json: files.fileStats(path, options) } }),
  read_json: (files, args) => ({ value: encodeValue(later.json().readJson(files, args), 'result') }),
  profile: (files, args) => ({ value: aside.call(files, 'profile', args) }),
  read_data: (files, args) => ({ value: aside.call(files, 'read_data', args) }),
  read_sheet: (files, args) => ({ value: aside.call(files, 'read_sheet', args) }),
  pdf_text: (files, args) => ({ value: aside.call(files, 'pdf_text', args) }),
  query: (files, args) => ({ value: aside.call(files, 'query', args) }),
};
