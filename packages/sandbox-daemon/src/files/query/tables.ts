import { readSync } from 'node:fs';
import * as z from 'zod/mini';
import type { SandboxError } from '@mustard-sandbox/protocol';
import { bytesAt } from '../archives/bytes.ts';
import { openContent, type Content } from '../archives/content.ts';
import { spendInAll } from '../budget.ts';
import { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { refusedKind } from '../binary-kinds.ts';
import type { OpenFile } from '@mustard-sandbox/paths';
import { compressionOf, type Compression } from '../source/compression.ts';
import { encodingOf, probedBytes, type Encoding } from '../source/encodings.ts';
import { openSource } from '../source/source.ts';
import { lookAround } from '../text-range.ts';
import { identifier, literal, type Connection } from './duckdb.ts';
import { argumentsOf, bufferBytes, formatOf, formats, readers, type Format, type Sampling } from './formats.ts';
import { globFiles } from './glob-files.ts';
import { LineEnds } from './line-ends.ts';
import { load, loadedKindOf, type LoadedKind } from './loading.ts';

const tableSchema = z.strictObject({
  path: z.union([z.string(), z.array(z.string()).check(z.minLength(1), z.maxLength(100))]),
  format: z.optional(z.enum(formats)),
  header: z.optional(z.boolean()),
  delimiter: z.optional(z.string().check(z.minLength(1), z.maxLength(4))),
  ignoreErrors: z.optional(z.boolean()),
  /** For a spreadsheet. */
  sheet: z.optional(z.union([z.string(), z.int().check(z.gte(1))])),
  range: z.optional(z.string().check(z.maxLength(40))),
  /** For an SQLite file. */
  table: z.optional(z.string()),
});

const optionNames = new Set(Object.keys(tableSchema.shape));

/**
 * The tables of a query by their names in SQL. Each is a path, several paths of the same shape, or either with options.
 */
export const tablesSchema = z.record(
  z.string().check(z.regex(/^[\p{L}_][\p{L}\p{N}_]{0,62}$/u, 'a table needs a name of letters, digits and _')),
  z.union([z.string(), z.array(z.string()).check(z.minLength(1), z.maxLength(100)), tableSchema]),
);

type TableOptions = z.output<typeof tableSchema>;

interface Opened {
  content: Content;
  file: OpenFile;
  path: string;
  start: Buffer;
}

/** The built-in that makes a table, and how much of each file it reads at most. */
export interface Caller {
  name: string;
  mostBytes: number;
}

/** One table of a query, with its open files. */
export class Table implements Disposable {
  readonly name: string;
  readonly #options: TableOptions;
  readonly #context: BuiltinContext;
  readonly #caller: Caller;
  readonly #files: Opened[] = [];
  readonly #isOfGlob: boolean;

  constructor(
    name: string,
    given: string | string[] | TableOptions,
    context: BuiltinContext,
    caller: Caller = { name: 'query', mostBytes: Infinity },
  ) {
    this.name = name;
    this.#caller = caller;
    this.#context = context;
    this.#options = typeof given === 'string' || Array.isArray(given) ? { path: given } : given;
    const { path } = this.#options;
    try {
      const several = Array.isArray(path) ? undefined : globFiles(context, path, new BuiltinCall(caller.name, path));
      this.#isOfGlob = several !== undefined;
      for (const one of several ?? [path].flat()) this.#open(one);
      this.#assertOfOneKind();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The kind of its file if DuckDB does not read that kind itself. */
  get loads(): LoadedKind | undefined {
    const [first] = this.#files;
    return first && loadedKindOf(first, this.#options.format);
  }

  /** Makes the table in memory if DuckDB does not read its kind itself. */
  async load(kind: LoadedKind, connection: Connection): Promise<void> {
    const [first, ...others] = this.#files.map(({ path }) => path) as [string, ...string[]];
    const options = { ...this.#options, format: this.format };
    const loading = { name: this.name, paths: [first, ...others], caller: this.#caller.name, kind, options } as const;
    await load(connection, loading, this.#context);
  }

  /** The paths by which DuckDB opens the files. They are descriptors, so it opens what the guard accepted. */
  get paths(): string[] {
    return this.#files.map(({ file }) => pathOf(file));
  }

  /** The names of the files in DuckDB's messages, and in the script. */
  get names(): [string, string][] {
    return this.#files.map(({ file, path }) => [pathOf(file), path]);
  }

  /** Whether a second pass over all rows may find other types. */
  get isSampled(): boolean {
    return this.loads === undefined && (this.format === 'csv' || this.format === 'json');
  }

  get #isOfLines(): boolean {
    return this.format === 'csv' || this.format === 'lines';
  }

  get format(): Format {
    const { format } = this.#options;
    const [first] = this.#files;
    return format ?? (first === undefined ? 'csv' : formatOf(first.path, first.start));
  }

  /** The first of its files: descriptor, size and first bytes. */
  get first(): { fd: number; size: number; start: Buffer } {
    const [{ content, file, start }] = this.#files as [Opened];
    return { fd: file.fd, size: content.size, start };
  }

  /** @param more further arguments of the function that reads it */
  view(sampling: Sampling, more: readonly string[] = []): string {
    const files = `[${this.paths.map(literal).join(', ')}]`;
    const named = this.#isOfGlob ? ['filename = true'] : [];
    const read = `${readers[this.format]}(${[files, ...this.#arguments(sampling), ...named, ...more].join(', ')})`;
    const names = this.names.map(([descriptor, path]) => `WHEN ${literal(descriptor)} THEN ${literal(path)}`);
    // DuckDB knows files by their descriptors.
    const columns = this.#isOfGlob ? `* REPLACE (CASE filename ${names.join(' ')} END AS filename)` : '*';
    return `CREATE VIEW ${identifier(this.name)} AS SELECT ${columns} FROM ${read}`;
  }

  /** The same file as a table of its lines. */
  lines(name: string): string {
    const { start } = this.first;
    const read = [literal(this.paths[0] as string), ...argumentsOf.lines({}, 'some', start, compressionOf(start))];
    return `CREATE VIEW ${identifier(name)} AS SELECT * FROM read_csv(${read.join(', ')})`;
  }

  /**
   * Reads compressed files to their end, because DuckDB gives the rows before a cut as if they were all. The
   * decompressed bytes count towards what the run may read, so a bomb ends here.
   *
   * @throws {SandboxError} `script_error` for a file that is broken or cut off, `limit_exceeded`, `timeout`,
   * `cancelled`
   */
  check(): void {
    if (this.loads !== undefined) return;
    const isOfLines = this.#isOfLines;
    for (const { file, path, start } of this.#files) {
      const call = new BuiltinCall(this.#caller.name, path);
      const compression = compressionOf(start);
      // Only where each line is one value, because a value of a CSV may hold line ends.
      const ends = this.format === 'lines' ? new LineEnds() : undefined;
      const lastLine = call.run(() => {
        if (compression !== undefined) return this.#readThrough(path, call, compression, ends);
        if (isOfLines) assertKnown(encodingOf(start), call);
        if (ends !== undefined) this.#look(file, encodingOf(start), ends);
        return lengthOfLastLine(file);
      });
      if (isOfLines && lastLine >= bufferBytes) throw tooLong(call);
      if (ends?.problem !== undefined)
        throw call.failed('NotReadableError', `${call.shown} ${ends.problem}. ${instead}`);
    }
  }

  /** @returns the length of its last line */
  #readThrough(path: string, call: BuiltinCall, compression: Compression, ends: LineEnds | undefined): number {
    using source = openSource(this.#context, path, call, 'utf8');
    let length: number | undefined;
    for (let piece; (piece = source.next()) !== undefined;) {
      if (length === undefined) {
        if (this.#isOfLines && isUtf16(encodingOf(piece))) throw unknownEncoding(call);
        this.#assertReadable(piece.subarray(0, probedBytes + lookAround), call, compression);
      }
      ends?.push(piece);
      const end = piece.lastIndexOf(newline) + 1;
      length = end === 0 ? (length ?? 0) + piece.length : piece.length - end;
    }
    return length ?? 0;
  }

  /** DuckDB reads the file once more, but it counts only once: the budget was charged when the file was opened. */
  #look({ fd }: OpenFile, encoding: Encoding | undefined, ends: LineEnds): void {
    const buffer = Buffer.allocUnsafe(lookBytes);
    for (let position = 0, read; (read = readSync(fd, buffer, 0, lookBytes, position)) > 0; position += read) {
      const bytes = buffer.subarray(0, read);
      ends.push(isUtf16(encoding) ? Buffer.from(bytes.toString('utf16le')) : bytes);
      this.#context.pace.check();
    }
  }

  [Symbol.dispose](): void {
    for (const { content } of this.#files) content[Symbol.dispose]();
  }

  /** Requires one kind of file, because DuckDB is told only once how to read all of them. */
  #assertOfOneKind(): void {
    const packings = new Set(this.#files.map(({ start }) => compressionOf(start)));
    const kinds = new Set(this.#files.map((file) => loadedKindOf(file, this.#options.format)));
    const [kind] = kinds;
    if (kinds.size === 1 && kind === 'mail') return;
    if (packings.size <= 1 && (this.#files.length === 1 || (kinds.size === 1 && kind === undefined))) return;
    const call = new BuiltinCall(this.#caller.name, this.#files[0]?.path);
    const why =
      packings.size > 1
        ? `the files of ${this.name} are packed in several ways. Make a table of each kind, and UNION ALL BY NAME`
        : 'a spreadsheet, a database or a file in an archive is a table of its own: name each';
    throw call.invalid(`${call.name} tables: ${why}.`);
  }

  #open(path: string): void {
    const call = new BuiltinCall(this.#caller.name, path);
    const { budget } = this.#context;
    if (optionNames.has(this.name) && (formats as readonly string[]).includes(path)) {
      const how = `{ t: { path, ${this.name}: '${path}' } }`;
      throw call.invalid(`query tables: ${this.name} is an option of one table: ${how}`);
    }
    call.run(() => {
      const content = openContent(this.#context, path, call);
      const { file } = content;
      const opened: Opened = { content, file, path, start: Buffer.alloc(0) };
      this.#files.push(opened);
      const start = (opened.start = bytesAt(content, 0, probedBytes + lookAround));
      this.#context.markRead(path);
      // What is loaded counts then, and of a compressed file the decompressed bytes.
      if (loadedKindOf(opened, this.#options.format) !== undefined || compressionOf(start) !== undefined) return;
      this.#assertReadable(start, call);
      spendInAll(budget, Math.min(file.stats.size, this.#caller.mostBytes), call);
    });
  }

  /** Refuses binary files, because DuckDB reads a picture as a table without rows. */
  #assertReadable(start: Buffer, call: BuiltinCall, compression?: Compression): void {
    if (this.format === 'parquet') return;
    const refused = refusedKind(start, call, { compression });
    if (refused !== undefined) throw refused;
    if (this.#options.format !== undefined || encodingOf(start) !== undefined) return;
    const why = `${call.shown} is not text. { path, format: 'csv' } has it read as text all the same.`;
    throw call.failed('NotReadableError', why);
  }

  #arguments(sampling: Sampling): string[] {
    const start = this.#files[0]?.start ?? Buffer.alloc(0);
    const format = this.format;
    const compression = compressionOf(start);
    const packed = format === 'parquet' || compression === undefined ? [] : [`compression = '${compression}'`];
    return [...packed, ...argumentsOf[format](this.#options, sampling, start, compression)];
  }
}

const newline = 0x0a;

/**
 * The length of the last line in bytes, within the last `bufferBytes`. DuckDB does not report a last line that is
 * longer and has no line end.
 */
function lengthOfLastLine({ fd, stats }: OpenFile): number {
  if (stats.size < bufferBytes) return 0;
  const end = Buffer.allocUnsafe(bufferBytes);
  const read = readSync(fd, end, 0, bufferBytes, stats.size - bufferBytes);
  return read - (end.subarray(0, read).lastIndexOf(newline) + 1);
}

function tooLong(call: BuiltinCall): SandboxError {
  const why = `${call.shown} has a line of more than ${bufferBytes} bytes.`;
  return call.failed(
    'NotReadableError',
    `${why} search(path, pattern) looks through it, read_file reads it in ranges.`,
  );
}

const lookBytes = 512 * 1024;

const instead = 'for (const line of lines(path)), search and read_lines read it.';

function isUtf16(encoding: Encoding | undefined): boolean {
  return encoding === 'utf16le' || encoding === 'utf16be';
}

/**
 * Refuses encodings that DuckDB confuses: big-endian UTF-16 with little-endian, and UTF-16 in a compressed file with
 * UTF-8.
 */
function assertKnown(encoding: Encoding | undefined, call: BuiltinCall): void {
  if (encoding === 'utf16be') throw unknownEncoding(call);
}

function unknownEncoding(call: BuiltinCall): SandboxError {
  const why = `${call.shown} is in UTF-16 that query does not read: big-endian, or compressed`;
  return call.failed('NotReadableError', `${why}. ${instead}`);
}

function pathOf({ fd }: OpenFile): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : `/dev/fd/${fd}`;
}
