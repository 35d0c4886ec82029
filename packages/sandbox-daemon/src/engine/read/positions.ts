import { Buffer } from 'node:buffer';
import type { Span } from '../source-location.ts';

/** Text that was added to the program before the character `at` of the script. */
export interface Insertion {
  at: number;
  text: string;
}

/** A line and a column, from 1. */
export interface LineColumn {
  line: number;
  column: number;
}

/** Converts places in the program to places in the script. */
export class Positions {
  readonly #source: string;
  readonly #code: string;
  /** Where each insertion begins and ends in the program, in order. */
  readonly #inserted: { start: number; end: number }[] = [];

  readonly insertions: readonly Insertion[];

  /** @param insertions in order of their places */
  constructor(source: string, code: string, insertions: readonly Insertion[]) {
    this.insertions = insertions;
    this.#source = source;
    this.#code = code;
    let longer = 0;
    for (const { at, text } of insertions) {
      this.#inserted.push({ start: at + longer, end: at + longer + text.length });
      longer += text.length;
    }
  }

  /** The offset in the script, in UTF-16 units. A place in inserted text becomes the place where it was inserted. */
  offset(inCode: number): number {
    let longer = 0;
    for (const { start, end } of this.#inserted) {
      if (inCode <= start) break;
      longer += Math.min(inCode, end) - start;
    }
    return Math.max(0, Math.min(inCode - longer, this.#source.length));
  }

  /** A range of bytes of UTF-8. */
  span({ start, end }: Span): Span {
    const code = Buffer.from(this.#code);
    const place = (bytes: number): number => {
      const inCode = code.subarray(0, bytes).toString().length;
      return Buffer.byteLength(this.#source.slice(0, this.offset(inCode)));
    };
    return { start: place(start), end: place(end) };
  }

  place({ line, column }: LineColumn): LineColumn {
    let lineStart = 0;
    for (let at = 1; at < line; at++) lineStart = this.#code.indexOf('\n', lineStart) + 1;
    const before = this.#source.slice(0, this.offset(lineStart + column - 1));
    return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
  }
}
