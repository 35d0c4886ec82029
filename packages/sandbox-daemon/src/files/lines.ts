import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { readLimitTable } from '../protocol/limits.ts';
import { BuiltinCall } from './call.ts';
import type { BuiltinContext } from './index.ts';
import { parseOptions } from './options.ts';
import { encodings } from './source/encodings.ts';
import { countNewlines } from './search/newlines.ts';
import { openSource, type Source } from './source/source.ts';

const newline = 0x0a;

const optionsSchema = z.strictObject({ encoding: z.optional(z.enum(encodings)) });

/** So many lines are given at a time: half a million empty ones at once would hold up the engine beyond its deadline. */
const maxLines = 50_000;

/** Cuts the text of one file into whole lines. */
export class LineReader implements Disposable {
  readonly #call: BuiltinCall;
  readonly #context: BuiltinContext;
  readonly #source: Source;
  /** The start of a line whose end was not read yet. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Whole lines that were too many to be given at once. */
  #waiting: Buffer = Buffer.alloc(0);

  constructor(context: BuiltinContext, path: unknown, options: unknown) {
    this.#call = new BuiltinCall('lines', path);
    this.#context = context;
    this.#source = this.#call.run(() => {
      const { encoding } = parseOptions(optionsSchema, options, this.#call);
      return openSource(context, path, this.#call, encoding);
    });
    context.markRead(path);
  }

  next(): Buffer {
    return this.#call.run(() => {
      if (this.#waiting.length > 0) return this.#some(this.#waiting);
      for (;;) {
        this.#context.pace.check();
        const bytes = this.#source.next();
        if (bytes === undefined) return asUtf8(this.#take());
        const end = bytes.lastIndexOf(newline) + 1;
        if (end === 0) {
          this.#keep(bytes);
          continue;
        }
        const lines = asUtf8(this.#restBytes === 0 ? bytes.subarray(0, end) : this.#take(bytes.subarray(0, end)));
        this.#keep(bytes.subarray(end));
        return this.#some(lines);
      }
    });
  }

  /** As many of these lines as are given at a time. */
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
    // The source reads its next bytes into the same buffer.
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
