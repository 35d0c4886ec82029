import type { Block } from './blocks.ts';
import { countNewlines } from './newlines.ts';
import { maxValueBytes } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from '../call.ts';
import { startOfLine, type Findings } from './scan.ts';

/** A row for a line that was found. */
export interface Row {
  path: string;
  /** The number of the line, from 1. */
  line: number;
  /**
   * Where `text` begins in the file, in bytes. For a compressed file, or one in another encoding, it is the position in
   * its text as UTF-8.
   */
  offset: number;
  /** The line without its end. For a line that is too long, the part around the match. */
  text: string;
  /** By number from 1, and by name. Absent for a pattern without groups. */
  groups?: Record<string, string | null>;
  before?: string[];
  after?: string[];
}

/** How many characters of one line a row holds, and how many of them come before the match. */
const maxText = 10_000;
const lead = 2_000;

/**
 * The most rows of a search, and the most characters in all of them. Rows of lines hold more than rows of fields:
 * 150,000 of 90 characters exceed the engine's 64 MiB, and rows of fields take at most 180 MB of the process.
 */
const most = {
  lines: { rows: 100_000, characters: 6 * 1024 * 1024 },
  fields: { rows: 150_000, characters: maxValueBytes },
};

const instead =
  "Count them with { count: true } or { by: 1 }, take less of each with fields: [1], take a part with limit and offset, loop over lines(path), or compute it by query(sql, { t: { path, format: 'lines' } }).";

/** The rows of all files of one search. */
export class Rows {
  /** Rows, or the fields of each row. */
  readonly rows: (Row | (string | null)[])[] = [];
  isTruncated = false;
  #skipped = 0;
  #characters = 0;
  readonly #limit: number;
  readonly #offset: number;
  readonly #most: { rows: number; characters: number };
  readonly #call: BuiltinCall;

  constructor(
    { limit, offset, fields }: { limit: number; offset: number; fields?: unknown[] | undefined },
    call: BuiltinCall,
  ) {
    this.#most = fields === undefined ? most.lines : most.fields;
    this.#limit = limit;
    this.#offset = offset;
    this.#call = call;
  }

  /** Whether the next match is left out, because it comes before `offset`. */
  skips(): boolean {
    return this.#skipped < this.#offset && ++this.#skipped > 0;
  }

  /**
   * Whether one more row is wanted.
   *
   * @throws {SandboxError} `limit_exceeded` when it is wanted, but a script cannot be given more
   */
  hasRoom(): boolean {
    if (this.rows.length >= this.#limit) {
      this.isTruncated = true;
      return false;
    }
    const { rows, characters } = this.#most;
    if (this.rows.length >= rows) {
      const why = `more than ${rows} matches are too many for one list. ${instead}`;
      throw this.#call.limitExceeded('value_items', rows, this.rows.length + 1, why, 'items');
    }
    if (this.#characters >= characters) {
      const why = `the first ${this.rows.length} matches alone have ${this.#characters} characters, over the limit of ${characters} for one list. ${instead}`;
      throw this.#call.limitExceeded('argument_bytes', characters, this.#characters, why);
    }
    return true;
  }

  add(row: Row): void {
    this.rows.push(row);
    this.spend(row.text);
    for (const text of row.before ?? []) this.spend(text);
  }

  addFields(fields: (string | null)[]): void {
    this.rows.push(fields);
    for (const field of fields) this.spend(field ?? '');
  }

  spend(text: string): void {
    this.#characters += text.length;
  }
}

/** Makes rows of the matches in one file. */
export class RowsOfFile implements Findings {
  readonly #path: string;
  readonly #rows: Rows;
  readonly #before: number;
  readonly #after: number;
  readonly #groupsOf: (match: RegExpExecArray) => Record<string, string | null> | undefined;
  /** How many lines come before the block. */
  #lines = 0;
  /** The block, and how far its lines were counted, in lines, characters and bytes. */
  #counted: { block: Block; lines: number; at: number; bytes: number } | undefined;
  /** The last lines before the block, if they are wanted. */
  #lastLines: string[] = [];
  /** Rows that still want lines after them, and how far the lines of the block were handed out. */
  #pending: { row: Row; after: string[] }[] = [];
  #handedOut = 0;

  constructor(
    path: string,
    rows: Rows,
    { before, after }: { before: number; after: number },
    groupsOf: (match: RegExpExecArray) => Record<string, string | null> | undefined,
  ) {
    this.#path = path;
    this.#rows = rows;
    this.#before = before;
    this.#after = after;
    this.#groupsOf = groupsOf;
  }

  found(block: Block, at: number, lineEnd: number, match: RegExpExecArray | undefined): boolean {
    if (this.#rows.skips()) return false;
    const lineStart = startOfLine(block.text, at);
    if (this.#pending.length > 0) this.#handOut(block, lineEnd + 1);
    if (!this.#rows.hasRoom()) return this.#pending.length === 0;
    const { line, offset } = this.#place(block, lineStart);
    const cut = lineEnd - lineStart > maxText ? Math.max(lineStart, at - lead) : lineStart;
    const groups = match === undefined ? undefined : this.#groupsOf(match);
    const row: Row = {
      path: this.#path,
      line,
      offset: cut === lineStart ? offset : offset + Buffer.byteLength(block.text.slice(lineStart, cut)),
      text: block.text.slice(cut, Math.min(lineEnd, cut + maxText)),
      ...(groups !== undefined && { groups }),
      ...(this.#before > 0 && { before: this.#linesBefore(block, lineStart) }),
    };
    this.#rows.add(row);
    if (this.#after > 0) {
      row.after = [];
      this.#pending.push({ row, after: row.after });
      this.#handedOut = Math.max(this.#handedOut, lineEnd + 1);
    }
    return false;
  }

  blockEnd(block: Block): boolean {
    if (this.#pending.length > 0) this.#handOut(block, block.text.length);
    this.#handedOut = 0;
    if (this.#before > 0) this.#lastLines = this.#linesBefore(block, block.text.length);
    this.#lines += countNewlines(block.bytes);
    this.#counted = undefined;
    return this.#rows.isTruncated && this.#pending.length === 0;
  }

  #place(block: Block, lineStart: number): { line: number; offset: number } {
    if (this.#counted?.block !== block) this.#counted = { block, lines: 0, at: 0, bytes: 0 };
    const counted = this.#counted;
    for (let end; (end = block.text.indexOf('\n', counted.at)) !== -1 && end < lineStart;) {
      counted.lines++;
      counted.at = end + 1;
      // A line may have more bytes than characters, and an end of two bytes.
      if (!block.isPlain) counted.bytes = block.bytes.indexOf(0x0a, counted.bytes) + 1;
    }
    const offset = block.offset + (block.isPlain ? lineStart : counted.bytes);
    return { line: this.#lines + counted.lines + 1, offset };
  }

  #linesBefore(block: Block, lineStart: number): string[] {
    const found: string[] = [];
    for (let end = lineStart - 1; end >= 0 && found.length < this.#before;) {
      const start = startOfLine(block.text, end);
      found.push(short(block.text.slice(start, end)));
      end = start - 1;
    }
    const missing = this.#before - found.length;
    return [...(missing > 0 ? this.#lastLines.slice(-missing) : []), ...found.toReversed()];
  }

  /** Gives lines to the rows that want them, up to a position at the end of a line. */
  #handOut(block: Block, to: number): void {
    while (this.#handedOut < to && this.#pending.length > 0) {
      const newlineAt = block.text.indexOf('\n', this.#handedOut);
      const end = newlineAt === -1 ? block.text.length : newlineAt;
      const line = short(block.text.slice(this.#handedOut, end));
      for (const { after } of this.#pending) {
        after.push(line);
        this.#rows.spend(line);
      }
      this.#pending = this.#pending.filter(({ after }) => after.length < this.#after);
      this.#handedOut = end + 1;
    }
  }
}

function short(line: string): string {
  return line.length > maxText ? line.slice(0, maxText) : line;
}
