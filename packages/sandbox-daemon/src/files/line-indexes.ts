import type { Stats } from 'node:fs';

/** For how many files one run remembers its lines. */
const maxIndexes = 64;

/**
 * Positions in a file with the number of lines that end before them. They begin at the start, and lie some hundred
 * kilobytes apart.
 */
export interface LineIndex {
  /** Tells whether the file is still the one that was read. */
  identity: string;
  marks: { offset: number; lines: number }[];
}

/** Where the lines of files begin, as far as one run has read them. */
export class LineIndexes {
  readonly #indexes = new Map<string, LineIndex>();

  of(path: string, { dev, ino, size, mtimeMs }: Stats): LineIndex {
    const identity = [dev, ino, size, mtimeMs].join(' ');
    let index = this.#indexes.get(path);
    if (index?.identity === identity) return index;
    index = { identity, marks: [{ offset: 0, lines: 0 }] };
    if (this.#indexes.size >= maxIndexes) this.#indexes.clear();
    this.#indexes.set(path, index);
    return index;
  }
}
