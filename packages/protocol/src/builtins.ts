/** One built-in, as scripts, models and people see it. */
interface Builtin {
  /** Its type in TypeScript. The tool description and the docs show it unchanged. */
  declaration: string;
  /** What it does, for the model: one or two sentences. */
  summary: string;
  /**
   * What it works on. With `files`, a run whose scope has no root and no attachments can call it, but every file is
   * refused. With `outputs`, a run whose host keeps no outputs can call it, but the call is refused.
   */
  needs: 'files' | 'outputs';
  /** The optional package that it needs. Without the package the built-in is missing. */
  library?: string;
}

/**
 * Every built-in: a function that lives in the sidecar and that a script may call. All but `save` and `chart` only read. The names in
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
    summary:
      'Sorted paths in a folder, folders end in "/"; or list_files("attachments:"), list_files("a.zip!/"): of .zip, .tar, .tar.gz a file is "a.zip!/b.txt".',
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
      "declare function query(sql: string, tables: Record<string, string | { path; format?: 'csv' | 'json' | 'parquet' | 'lines'; header?; delimiter?; ignoreErrors?; sheet?; range?; table? }>, options?: { limit? }): { rows; truncated };",
    summary:
      "One SELECT of DuckDB over CSV, JSON, NDJSON, Parquet (.gz, .zst too), .xlsx, Arrow, SQLite and mail, each file a table, or a glob with the column filename; of other text the lines, as column line. query('select region, quantile_cont(ms, 0.95) p95 from t group by 1', { t: 'a.csv' }).rows",
    needs: 'files',
    library: '@duckdb/node-api',
  },
  read_data: {
    declaration: 'declare function read_data(path: string, options?: { format?; pointer?; start?; limit? }): any;',
    summary:
      'Of YAML, TOML, XML (attributes as "@name", text as "#text"): the value; of several documents a list. Of .html its tables as [{ caption?, rows }], of .ics its entries, of .eml the mail, of .mbox the mails; of a large one { records, next } by { start: next, limit }.',
    needs: 'files',
  },
  read_sheet: {
    declaration:
      'declare function read_sheet(path: string, options?: { sheet?; range?; header?; limit? }): { sheets; sheet; rows; truncated };',
    summary: "Of .xlsx: rows by the names in the first one; range: 'A2:F100'; dates as ISO 8601.",
    needs: 'files',
  },
  save: {
    declaration:
      "declare function save(name: string, content: any, options?: { format?: 'csv' | 'json' | 'ndjson' | 'markdown' | 'text' | 'xlsx' | 'parquet'; append?: boolean }): { name; size };",
    summary:
      'Keeps a file for the user, which later scripts read as outputs:<name>: save("a.csv", rows), from objects, lists or query(…).rows; .json, .ndjson, .md, .xlsx, .parquet; a string as it is.',
    needs: 'outputs',
  },
  chart: {
    declaration:
      "declare function chart(spec: { type: 'line' | 'area' | 'bar' | 'scatter' | 'histogram' | 'heatmap' | 'box'; data: any[]; x?; y?; color?: string | { field: string; label?: string; scale?: 'linear' | 'log' | 'time' | 'category' }; facet?: string; title?: string; name?: string; bins?: number }): { name; size };",
    summary:
      'Shows the user a chart, kept as outputs:<name>.chart.json: chart({ type: "line", data: rows, x: "hour", y: "errors", color: "code" }). x, y, color are columns; sum up big data first.',
    needs: 'outputs',
  },
  profile: {
    declaration:
      'declare function profile(path: string, options?: { format?; header?; delimiter? }): { rows; sampled?; columns: { name; type; nulls; distinct; min; max; key?; looks?; top?; examples }[]; broken? } | { lines; from; to; templates: { template; count; example }[] };',
    summary: 'What is in a table, or of a log the kinds of its lines. Ask it first about a file that you do not know.',
    needs: 'files',
    library: '@duckdb/node-api',
  },
  pdf_text: {
    declaration: 'declare function pdf_text(path: string, options?: { pages? }): string[];',
    summary: 'Text by page; pages: [first, last].',
    needs: 'files',
    library: 'unpdf',
  },
  parallel: {
    declaration:
      'declare function parallel(where: string | string[], fn: (path: string, value?) => any, value?): any[];',
    summary: 'fn per file, several at once; it sees only path and value.',
    needs: 'files',
  },
} as const satisfies Record<string, Builtin>;

/** The name of a built-in. */
export type BuiltinName = keyof typeof builtins;

/** The names of all built-ins. Host functions and inputs cannot take them. */
export const builtinNames = Object.keys(builtins) as [BuiltinName, ...BuiltinName[]];

/** The optional package that a built-in needs; `undefined` for a built-in that needs none. */
export function libraryOf(name: BuiltinName): string | undefined {
  const { library }: Builtin = builtins[name];
  return library;
}

/** Whether this is the name of a built-in. */
export function isBuiltinName(name: string | undefined): name is BuiltinName {
  return name !== undefined && Object.hasOwn(builtins, name);
}

/**
 * The built-in that a host has to serve. The sidecar writes no file: it makes the text of the file, and then calls a
 * host function of the same name. A run that may save names it among its host functions.
 */
export const savingFunction = 'save' satisfies BuiltinName;

/**
 * The built-in that starts further runs. The sidecar finds the files, and then calls a host function of the same name.
 * A run that may do this names it among its host functions.
 */
export const parallelFunction = 'parallel' satisfies BuiltinName;

/** The host functions that serve built-ins. To a script they are built-ins alone. */
export const servingFunctions: readonly string[] = [savingFunction, parallelFunction];

/** Whether a built-in is of use only where the host keeps outputs. */
export function needsOutputs(name: BuiltinName): boolean {
  return builtins[name].needs === 'outputs';
}

/** The end of the name of each file that is a chart. */
export const chartEnding = '.chart.json';

/** Whether an output of this name is a chart. */
export function isChartName(name: string): boolean {
  return name.endsWith(chartEnding);
}

/**
 * Optional packages that a built-in needs for some kinds of file. Without one of them, only files of that kind are
 * refused.
 */
export const furtherLibraries: readonly string[] = ['sql.js'];
