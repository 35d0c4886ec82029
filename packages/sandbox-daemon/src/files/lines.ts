import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { readLimitTable, SandboxError } from '@mustard-sandbox/protocol';
import { BuiltinCall } from './call.ts';
import type { BuiltinContext } from './context.ts';
import { parseOptions } from './options.ts';
import { encodings } from './source/encodings.ts';
import { assertSameFile, fileChanged, markOf, type FileMark } from './file-mark.ts';
import { countNewlines } from './search/newlines.ts';
import { openSource, type Source } from './source/source.ts';

const newline = 0x0a;

const optionsSchema = z.strictObject({ encoding: z.optional(z.enum(encodings)) });

/**
 * How many lines are given at a time. Half a million empty lines at once would block the engine beyond its deadline.
 */
const maxLines = 50_000;

/** The position of a loop over the lines of a file, with which the loop continues in another process. */
export interface KeptReader {
  path: string;
  options: unknown;
  /** How many bytes of text it has given. */
  given: number;
  /** How many bytes of a byte order mark come before the text. */
  markBytes: number;
  file: FileMark;
}

/** Splits the text of one file into whole lines. */
export class LineReader implements Disposable {
  readonly #call: BuiltinCall;
  readonly #options: unknown;
  readonly #context: BuiltinContext;
  readonly #source: Source;
  /** The start of a line whose end was not read yet. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Whole lines that were too many to be given at once. */
  #waiting: Buffer = Buffer.alloc(0);
  #given = 0;
  /** The length of the byte order mark, if an earlier reader has passed it. */
  #markBytes: number | undefined;

  /** @param startAt for a text in UTF-8 that is not compressed: where to begin, in bytes */
  constructor(context: BuiltinContext, path: unknown, options: unknown, startAt = 0) {
    this.#call = new BuiltinCall('lines', path);
    this.#context = context;
    this.#options = options;
    this.#source = this.#call.run(() => {
      const { encoding } = parseOptions(optionsSchema, options, this.#call);
      return openSource(context, path, this.#call, encoding, startAt);
    });
    context.markRead(path);
  }

  /**
   * A reader that continues where another one was.
   *
   * @throws {SandboxError} `snapshot_refused` for a file that has changed meanwhile, `timeout`, `cancelled`
   */
  static thaw(context: BuiltinContext, { path, options, given, markBytes, file }: KeptReader): LineReader {
    const call = new BuiltinCall('lines', path);
    let reader: LineReader | undefined;
    try {
      reader = new LineReader(context, path, options);
      assertSameFile(reader.#source.content.file, file, call);
      if (given === 0 || !reader.#source.isPlain) return reader.#skip(given);
      reader[Symbol.dispose]();
      reader = new LineReader(context, path, options, markBytes + given);
      reader.#given = given;
      reader.#markBytes = markBytes;
      return reader;
    } catch (error) {
      reader?.[Symbol.dispose]();
      // A file that is gone counts as changed.
      const isGone = error instanceof SandboxError && ['script_error', 'capability_denied'].includes(error.code);
      throw isGone ? fileChanged(call, error) : error;
    }
  }

  keep(): KeptReader {
    const {
      content: { file },
      markBytes: found,
      isPlain,
    } = this.#source;
    const markBytes = this.#markBytes ?? found;
    const position = isPlain ? markBytes + this.#given : file.stats.size;
    const mark = markOf(file, position);
    return { path: this.#call.path, options: this.#options, given: this.#given, markBytes, file: mark };
  }

  /** How many bytes were read and counted, but not given yet. */
  get unread(): number {
    return this.#restBytes + this.#waiting.length;
  }

  next(): Buffer {
    const lines = this.#call.run(() => this.#next());
    this.#given += lines.length;
    return asUtf8(lines);
  }

  /** Skips the bytes that another reader has given. */
  #skip(bytes: number): this {
    while (this.#given < bytes) {
      const { length } = this.#call.run(() => this.#next());
      if (length === 0) break;
      this.#given += length;
    }
    return this;
  }

  #next(): Buffer {
    if (this.#waiting.length > 0) return this.#some(this.#waiting);
    for (;;) {
      this.#context.pace.check();
      const bytes = this.#source.next();
      if (bytes === undefined) return this.#take();
      const end = bytes.lastIndexOf(newline) + 1;
      if (end === 0) {
        this.#keep(bytes);
        continue;
      }
      const lines = this.#restBytes === 0 ? bytes.subarray(0, end) : this.#take(bytes.subarray(0, end));
      const given = this.#some(lines);
      this.#keep(bytes.subarray(end));
      return given;
    }
  }

  /** The first of these lines, as many as are given at a time. */
  #some(lines: Buffer): Buffer {
    this.#waiting = Buffer.alloc(0);
    if (countNewlines(lines) <= maxLines) return lines;
    let end = 0;
    for (let count = 0; count < maxLines; count++) end = lines.indexOf(newline, end) + 1;
    this.#waiting = Buffer.from(lines.subarray(end));
    return lines.subarray(0, end);
  }

  [Symbol.dispose](): void {
    this.#source[Symbol.dispose]();
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const { maxReadBytes: most } = this.#context.budget;
    if (this.#restBytes + bytes.length > most) throw this.#tooLong(most);
    // This is a copy, because the source reads its next bytes into the same buffer.
    this.#rest.push(Buffer.from(bytes));
    this.#restBytes += bytes.length;
  }

  #take(...more: Buffer[]): Buffer {
    const all = Buffer.concat([...this.#rest, ...more]);
    this.#rest = [];
    this.#restBytes = 0;
    return all;
  }

  #tooLong(most: number): Error {
    return this.#call.limitExceeded(
      readLimitTable.maxReadBytes.name,
      most,
      this.#restBytes,
      `${this.#call.shown} has a line of more than ${most} bytes, so it is no file of lines. ` +
        'search() looks through it as well, and read_file reads it in ranges.',
    );
  }
}

function asUtf8(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'), 'utf8');
}
