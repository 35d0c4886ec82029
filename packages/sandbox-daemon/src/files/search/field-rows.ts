import type { Block } from './blocks.ts';
import type { Rows } from './rows.ts';
import type { Findings } from './scan.ts';

/** Gives some groups of each match instead of its line. */
export class FieldRows implements Findings {
  readonly #rows: Rows;
  readonly #read: readonly ((match: RegExpExecArray) => string | undefined)[];

  constructor(rows: Rows, read: readonly ((match: RegExpExecArray) => string | undefined)[]) {
    this.#rows = rows;
    this.#read = read;
  }

  found(_block: Block, _at: number, _lineEnd: number, match: RegExpExecArray | undefined): boolean {
    if (match === undefined || this.#rows.skips()) return false;
    if (!this.#rows.hasRoom()) return true;
    this.#rows.addFields(this.#read.map((read) => read(match) ?? null));
    return false;
  }

  blockEnd(): boolean {
    return false;
  }
}
