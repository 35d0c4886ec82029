/** One built-in, as scripts, models and people see it. */
interface Builtin {
  /** Its type in TypeScript. The tool description and the docs show it unchanged. */
  declaration: string;
  /** What it does, for the model: one or two sentences. */
  summary: string;
  /** What it works on. A run whose scope has no root and no attachments can call it, but every file is refused. */
  needs: 'files';
  /** The optional package without which it is not there. */
  library?: string;
}

/**
 * Every built-in: a read-only function that lives in the sidecar and that a script may call. The names in
 * `scope.builtins`, the handlers in `files/builtins.ts`, the tool description, the answers to failures, completion and
 * the docs follow from this table.
 */
export const builtins = {
  search: {
    declaration:
      'declare function search(where: string | string[], pattern: string | RegExp, options?: { limit?; offset?; before?; after?; invert?; count?; by?; top?; fields?; flags? }): { path; line; offset; text; groups; before?; after? }[];',
    summary:
      'The lines that match in a file, a folder or a glob. At limit (100) it stops: then .truncated is true. Or with count: true how many; with by: a group, its top values as [{ value, count }]; with fields: [groups] a list of lists. Flag g: every match, not one a line.',
    needs: 'files',
  },
  lines: {
    declaration: 'declare function lines(path: string): Iterable<string>;',
    summary: 'Of any size: for (const line of lines(path)).',
    needs: 'files',
  },
  read_lines: {
    declaration: 'declare function read_lines(path: string, options?: { start?; count?; tail? }): string[];',
    summary: 'By number from 1, or the last ones.',
    needs: 'files',
  },
  read_file: {
    declaration:
      "declare function read_file(path: string, options?: { start?; length?; encoding?: 'utf8' | 'base64' | 'latin1' | 'utf16le' }): string;",
    summary: 'Text of a byte range, or of the whole file. Consecutive ranges join exactly.',
    needs: 'files',
  },
  find_files: {
    declaration: 'declare function find_files(glob: string): string[];',
    summary: 'In all folders: find_files("*.{ts,tsx}").',
    needs: 'files',
  },
  list_files: {
    declaration: 'declare function list_files(dir?: string, options?: { recursive? }): string[];',
    summary: 'Sorted paths in a folder, folders end in "/"; or list_files("attachments:").',
    needs: 'files',
  },
  file_stats: {
    declaration: 'declare function file_stats(path: string): { size; isText; encoding?; mtime };',
    summary: 'Size in bytes; isText: UTF-8; mtime: ISO 8601.',
    needs: 'files',
  },
  read_json: {
    declaration: 'declare function read_json(path: string, options?: { pointer?; offset?; limit? }): any;',
    summary:
      "From JSON of up to 200 MB: what pointer leads to, '/items/0/price' or '$.items[*].price'; offset and limit choose items. Without options its shape: types, lengths, keys.",
    needs: 'files',
  },
  query: {
    declaration:
      "declare function query(sql: string, tables: Record<string, string | { path; format?: 'csv' | 'json' | 'parquet' | 'lines'; header?; delimiter?; ignoreErrors? }>, options?: { limit? }): { rows; truncated };",
    summary:
      "One SELECT of DuckDB over CSV, JSON, NDJSON, Parquet (.gz, .zst too), each file a table; of other text the lines, as column line. query('select region, quantile_cont(ms, 0.95) p95 from t group by 1', { t: 'a.csv' }).rows",
    needs: 'files',
    library: '@duckdb/node-api',
  },
  pdf_text: {
    declaration: 'declare function pdf_text(path: string, options?: { pages? }): string[];',
    summary: 'Text by page; pages: [first, last].',
    needs: 'files',
    library: 'unpdf',
  },
} as const satisfies Record<string, Builtin>;

/** The name of a built-in. */
export type BuiltinName = keyof typeof builtins;

/** The names of all built-ins. Host functions and inputs cannot take them. */
export const builtinNames = Object.keys(builtins) as [BuiltinName, ...BuiltinName[]];

/** The optional package without which a built-in is not there; `undefined` for those that are always there. */
export function libraryOf(name: BuiltinName): string | undefined {
  const { library }: Builtin = builtins[name];
  return library;
}

/** Whether this is the name of a built-in. */
export function isBuiltinName(name: string | undefined): name is BuiltinName {
  return name !== undefined && Object.hasOwn(builtins, name);
}
