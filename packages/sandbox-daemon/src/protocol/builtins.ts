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
      'declare function search(where: string | string[], pattern: string | RegExp, options?: { limit?: number; offset?: number; before?: number; after?: number; invert?: boolean; count?: boolean; by?: number | string; top?: number; fields?: (number | string)[]; flags?: string }): { path: string; line: number; offset: number; text: string; groups?: Record<string, string>; before?: string[]; after?: string[] }[];',
    summary:
      'The lines that match, of a file, of all files in a folder, or of a glob; 80 MB in 0.1 s. It stops after limit (100) lines; then the list has truncated: true. count: how many lines instead; by: how often a group has which value, [{ value, count }], the top (100) most frequent; fields: these groups, [[string]]. Flag g: every match, not one a line.',
    needs: 'files',
  },
  lines: {
    declaration: 'declare function lines(path: string): Iterable<string>;',
    summary: 'All lines of a file of any size: for (const line of lines(path)).',
    needs: 'files',
  },
  read_lines: {
    declaration:
      'declare function read_lines(path: string, options?: { start?: number; count?: number; tail?: number }): string[];',
    summary: 'Lines by number, from 1; or the last ones.',
    needs: 'files',
  },
  read_file: {
    declaration:
      "declare function read_file(path: string, options?: { start?: number; length?: number; encoding?: 'utf8' | 'base64' | 'latin1' | 'utf16le' | 'utf16be' }): string;",
    summary:
      'Text of a byte range, or of the whole file. It never splits a character: consecutive ranges join to the exact file.',
    needs: 'files',
  },
  find_files: {
    declaration: 'declare function find_files(glob: string): string[];',
    summary: 'Sorted paths of files in all folders: find_files("src/**/*.{ts,tsx}").',
    needs: 'files',
  },
  list_files: {
    declaration: 'declare function list_files(dir?: string, options?: { recursive?: boolean }): string[];',
    summary: 'Sorted paths in a folder; folders end in "/". list_files("attachments:") lists the attachments.',
    needs: 'files',
  },
  file_stats: {
    declaration:
      'declare function file_stats(path: string): { size: number; isText: boolean; encoding?: string; mtime: string };',
    summary: 'Size in bytes, whether it is UTF-8 text, and the time of the last change (ISO 8601).',
    needs: 'files',
  },
  read_json: {
    declaration:
      'declare function read_json(path: string, options?: { pointer?: string; offset?: number; limit?: number }): any;',
    summary:
      "From a JSON file of up to 200 MB, on one line or many: what pointer leads to, '/items/0/price' or '$.items[*].price'; offset and limit choose items. Without options its shape: types, lengths, keys.",
    needs: 'files',
  },
  query: {
    declaration:
      "declare function query(sql: string, tables: Record<string, string | { path: string | string[]; format?: 'csv' | 'json' | 'parquet' | 'lines'; header?: boolean; delimiter?: string; ignoreErrors?: boolean }>, options?: { limit?: number }): { rows: Record<string, any>[]; truncated: boolean };",
    summary:
      "One SELECT of DuckDB's SQL over CSV, TSV, JSON, NDJSON and Parquet (.gz, .zst too), each file a table; of other text each line is a row of one column, line. query('select region, quantile_cont(ms, 0.95) p95 from t group by 1', { t: 'attachments:requests.csv' }).rows",
    needs: 'files',
    library: '@duckdb/node-api',
  },
  pdf_text: {
    declaration:
      'declare function pdf_text(path: string, options?: { pages?: [first: number, last: number] }): string[];',
    summary: 'The text of each page of a PDF, or of some pages, counted from 1.',
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
