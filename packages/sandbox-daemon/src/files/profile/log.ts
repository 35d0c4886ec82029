import { StringDecoder } from 'node:string_decoder';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { openSource, type Source } from '../source/source.ts';
import { spendInAll } from '../budget.ts';
import { Templates, type Template } from './templates.ts';

export interface LogProfile {
  format: 'lines';
  /** The size of the file in bytes. */
  size: number;
  /** How many lines were looked at. */
  lines: number;
  /** What was left out, in words. Absent when everything was looked at. */
  sampled?: string;
  empty: number;
  longest: number;
  /** The first and the last time at the start of a line, as it is written. */
  from?: string;
  to?: string;
  /** The most frequent kinds of lines, and how many kinds there are. */
  templates: Template[];
  kinds: number;
}

/** Up to this size all of a file is looked at. */
const wholeBytes = 16 * 1024 * 1024;
const pieceBytes = 512 * 1024;
/** A larger file is looked at in this many pieces, spread evenly. */
const pieces = 32;
const mostTemplates = 30;
const maxLine = 4 * 1024 * 1024;

/** The kinds of lines in a text. */
export function profileLines(context: BuiltinContext, path: unknown, call: BuiltinCall): LogProfile {
  using source = openSource(context, path, call);
  const { encoding } = source.format();
  if (encoding === undefined) throw call.failed('NotReadableError', `${call.shown} is no text.`);
  const { size } = source.content;
  const found = new Found();
  let sampled: string | undefined;
  if (size > wholeBytes && source.isPlain) {
    sampled = `${pieces} pieces of ${pieceBytes / 1024} KB, spread over the file`;
    for (const text of spread(source, context, call)) found.pushWhole(text);
  } else if (!readFirst(source, context, found)) {
    sampled = `the first ${wholeBytes / 1024 / 1024} MB`;
  }
  return { format: 'lines', size, ...found.result(), ...(sampled !== undefined && { sampled }) };
}

/** Reads up to `wholeBytes`. Returns false if there is more. */
function readFirst(source: Source, { pace }: BuiltinContext, found: Found): boolean {
  const decoder = new StringDecoder('utf8');
  let read = 0;
  for (let piece; (piece = source.next()) !== undefined;) {
    found.push(decoder.write(piece));
    read += piece.length;
    pace.check();
    if (read >= wholeBytes) break;
  }
  const isWhole = read < wholeBytes || source.next() === undefined;
  // The last line of a part may be cut.
  if (isWhole) found.end();
  return isWhole;
}

/** Whole lines from pieces that are spread over the file. The last piece is the end of the file. */
function* spread(source: Source, { budget, pace }: BuiltinContext, call: BuiltinCall): Generator<string> {
  const { content } = source;
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (let index = 0; index < pieces; index++) {
    const position = Math.floor(((content.size - pieceBytes) * index) / (pieces - 1));
    const count = content.read(buffer, position);
    spendInAll(budget, count, call);
    const text = buffer.subarray(0, count);
    const start = index === 0 ? 0 : text.indexOf(10) + 1;
    const end = index === pieces - 1 ? count : text.lastIndexOf(10) + 1;
    if (end > start) yield text.toString('utf8', start, end);
    pace.check();
  }
}

/** A time near the start of a line. */
const time =
  /(?:^|[[\s"(])(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*Z?|\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)/;

class Found {
  readonly #templates = new Templates();
  #open = '';
  #lines = 0;
  #empty = 0;
  #longest = 0;
  #from: string | undefined;
  #to: string | undefined;

  /** Takes the next part of a text, which may end within a line. */
  push(text: string): void {
    const lines = (this.#open + text).split('\n');
    this.#open = (lines.pop() ?? '').slice(0, maxLine);
    for (const line of lines) this.#line(line);
  }

  /** Takes a text of whole lines. */
  pushWhole(text: string): void {
    this.push(text);
    this.end();
  }

  end(): void {
    if (this.#open !== '') this.#line(this.#open);
    this.#open = '';
  }

  result(): Omit<LogProfile, 'format' | 'size' | 'sampled'> {
    return {
      lines: this.#lines,
      empty: this.#empty,
      longest: this.#longest,
      ...(this.#from !== undefined && { from: this.#from, to: this.#to ?? this.#from }),
      ...this.#templates.top(mostTemplates),
    };
  }

  #line(given: string): void {
    const line = given.endsWith('\r') ? given.slice(0, -1) : given;
    this.#lines++;
    this.#longest = Math.max(this.#longest, line.length);
    if (line.trim() === '') {
      this.#empty++;
      return;
    }
    const at = time.exec(line.slice(0, 100))?.[1];
    if (at !== undefined) {
      this.#from ??= at;
      this.#to = at;
    }
    this.#templates.push(line);
  }
}
