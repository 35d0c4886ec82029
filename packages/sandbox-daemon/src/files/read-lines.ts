import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { readLimitTable } from '@mustard-sandbox/protocol';
import { bytesAt } from './archives/bytes.ts';
import { spendInAll } from './budget.ts';
import { BuiltinCall } from './call.ts';
import type { BuiltinContext } from './context.ts';
import type { LineIndex } from './line-indexes.ts';
import { parseOptions } from './options.ts';
import { countNewlines } from './search/newlines.ts';
import { encodings } from './source/encodings.ts';
import { openSource, type Source } from './source/source.ts';

const newline = 0x0a;

const optionsSchema = z.strictObject({
  /** The first line, from 1. */
  start: z.optional(z.int().check(z.gte(1))),
  count: z.optional(z.int().check(z.gte(0))),
  /** How many lines from the end. */
  tail: z.optional(z.int().check(z.gte(0))),
  encoding: z.optional(z.enum(encodings)),
});

/** How many bytes are read at a time from the end of a file. */
const tailBytes = 32 * 1024;

/**
 * Some lines of a file by their numbers, as UTF-8 text. A file that is not compressed is read from the nearest place
 * that the run knows, or from its end.
 *
 * @throws {SandboxError} `invalid_request` for the options, `limit_exceeded` for more than one call may read, and like
 *   `openSource`
 */
export function readLines(context: BuiltinContext, path: unknown, rawOptions: unknown): Buffer {
  const call = new BuiltinCall('read_lines', path);
  return call.run(() => {
    const { start, count, tail, encoding } = parseOptions(optionsSchema, rawOptions, call);
    if (tail !== undefined && (start !== undefined || count !== undefined)) {
      throw call.invalid('read_lines: tail cannot be combined with start or count.');
    }
    using source = openSource(context, path, call, encoding);
    context.markRead(path);
    const { isPlain } = source;
    const taken = new Taken(context, call);
    if (tail !== undefined) {
      return isPlain ? readTail(context, source, tail, taken, call) : keepTail(context, source, tail, taken);
    }
    const first = start ?? 1;
    if (isPlain) {
      const index = context.lineIndexes.of(path as string, source.content.file.stats);
      // A line that begins where as many lines have ended may have begun before.
      const mark = index.marks.findLast(({ lines }) => lines < first - 1) ?? { offset: 0, lines: 0 };
      using rest = mark.offset === 0 ? undefined : openSource(context, path, call, 'utf8', mark.offset);
      return take(context, rest ?? source, first, count ?? Infinity, taken, mark, index);
    }
    return take(context, source, first, count ?? Infinity, taken, { offset: 0, lines: 0 });
  });
}

/** The lines that are given back. They must not exceed what one call may read. */
class Taken {
  readonly #parts: Buffer[] = [];
  readonly #most: number;
  readonly #call: BuiltinCall;
  length = 0;

  constructor({ budget }: BuiltinContext, call: BuiltinCall) {
    this.#most = budget.maxReadBytes;
    this.#call = call;
  }

  /** @throws {SandboxError} `limit_exceeded` */
  add(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.length > this.#most) {
      const why =
        `the lines asked for of ${this.#call.shown} have more than ${this.#most} bytes. Ask for fewer at a time, ` +
        'or loop over lines(path).';
      throw this.#call.limitExceeded(readLimitTable.maxReadBytes.name, this.#most, this.length, why);
    }
    this.#parts.push(Buffer.from(bytes));
  }

  prepend(bytes: Buffer): void {
    this.add(bytes);
    this.#parts.unshift(this.#parts.pop() as Buffer);
  }

  all(): Buffer {
    const bytes = Buffer.concat(this.#parts);
    return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'), 'utf8');
  }
}

/** @param index gets marks for what is read */
function take(
  { pace }: BuiltinContext,
  source: Source,
  first: number,
  count: number,
  taken: Taken,
  from: { offset: number; lines: number },
  index?: LineIndex,
): Buffer {
  let { offset, lines } = from;
  const last = first - 1 + count;
  while (lines < last) {
    pace.check();
    const bytes = source.next();
    if (bytes === undefined) break;
    const ended = countNewlines(bytes);
    if (lines + ended >= first - 1) {
      const start = lines >= first - 1 ? 0 : afterNewlines(bytes, first - 1 - lines);
      const end = lines + ended >= last ? afterNewlines(bytes, last - lines) : bytes.length;
      taken.add(bytes.subarray(start, end));
    }
    offset += bytes.length + (offset === 0 ? source.markBytes : 0);
    lines += ended;
    if (index !== undefined && offset > (index.marks.at(-1)?.offset ?? 0)) index.marks.push({ offset, lines });
  }
  return taken.all();
}

/** The position after this many line ends. */
function afterNewlines(bytes: Buffer, count: number): number {
  let at = 0;
  for (let passed = 0; passed < count; passed++) at = bytes.indexOf(newline, at) + 1;
  return at;
}

/** The last lines of a file, read from its end. */
function readTail(
  { budget, pace }: BuiltinContext,
  { content, markBytes }: Source,
  tail: number,
  taken: Taken,
  call: BuiltinCall,
): Buffer {
  let missing = tail;
  // The end of the last line does not end another line.
  let isLast = true;
  for (let end = content.size; end > markBytes && missing > 0;) {
    pace.check();
    const start = Math.max(markBytes, end - tailBytes);
    const read = bytesAt(content, start, end);
    spendInAll(budget, read.length, call);
    let from = read.length;
    let at = read.lastIndexOf(newline, isLast ? from - 2 : from - 1);
    if (isLast && from < 2) at = -1;
    isLast = false;
    while (at !== -1 && --missing > 0) at = at === 0 ? -1 : read.lastIndexOf(newline, at - 1);
    from = missing === 0 ? at + 1 : 0;
    taken.prepend(read.subarray(from));
    end = start;
  }
  return taken.all();
}

/** The last lines of a text that can only be read from its start. */
function keepTail({ pace, budget }: BuiltinContext, source: Source, tail: number, taken: Taken): Buffer {
  let kept = Buffer.alloc(0);
  for (;;) {
    pace.check();
    const bytes = source.next();
    if (bytes === undefined) break;
    kept = lastLines(Buffer.concat([kept, bytes]), tail);
    // More cannot be given back in any case, and fewer lines may be left at the end.
    if (kept.length > 2 * budget.maxReadBytes) kept = Buffer.from(kept.subarray(-budget.maxReadBytes - 1));
  }
  taken.add(kept);
  return taken.all();
}

function lastLines(bytes: Buffer, count: number): Buffer<ArrayBuffer> {
  if (count === 0) return Buffer.alloc(0);
  const excess = countNewlines(bytes) + (bytes.at(-1) === newline ? 0 : 1) - count;
  const start = excess <= 0 ? 0 : Math.min(bytes.length, afterNewlines(bytes, Math.min(excess, countNewlines(bytes))));
  return Buffer.from(bytes.subarray(start));
}
