import type { Block } from './blocks.ts';
import type { RowsOfFile } from './rows.ts';
import { startOfLine, type Findings } from './scan.ts';

/** Reports the lines in which nothing was found. */
export class Inverted implements Findings {
  readonly #rows: RowsOfFile;
  /** How far the lines of the block were seen. */
  #seen = 0;
  #isLineFound = false;

  constructor(rows: RowsOfFile) {
    this.#rows = rows;
  }

  found(block: Block, at: number, lineEnd: number): boolean {
    if (block.isOpen || block.isContinued) {
      this.#isLineFound = true;
      return false;
    }
    const isOver = this.#handOn(block, startOfLine(block.text, at));
    this.#seen = lineEnd + 1;
    return isOver;
  }

  blockEnd(block: Block): boolean {
    let isOver = false;
    // Only at its end is it certain that a long line has no match.
    if (!block.isOpen && !this.#isLineFound) isOver = this.#handOn(block, block.text.length);
    if (!block.isOpen) this.#isLineFound = false;
    this.#seen = 0;
    return this.#rows.blockEnd(block) || isOver;
  }

  #handOn(block: Block, to: number): boolean {
    while (this.#seen < to) {
      const newlineAt = block.text.indexOf('\n', this.#seen);
      const end = newlineAt === -1 ? block.text.length : newlineAt;
      if (this.#rows.found(block, this.#seen, end, undefined)) return true;
      this.#seen = end + 1;
    }
    return false;
  }
}
