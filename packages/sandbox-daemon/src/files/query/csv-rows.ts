/** A cell that is longer is none. */
const maxCell = 4 * 1024 * 1024;

/** One row of a CSV, and the line that it begins in, from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/**
 * The rows of a CSV, of which cells in quotation marks may hold separators, line ends and doubled marks. Empty lines are
 * left out.
 *
 * @throws {Error} for a cell without an end
 */
export function* csvRows(texts: Iterable<string>, delimiter: string): Generator<CsvRow, void> {
  let rest = '';
  let line = 1;
  for (const text of texts) {
    rest += text;
    if (rest.length > 2 * maxCell) throw new Error('a row is too long, or a quotation mark is open');
    const cutter = new Cutter(rest, delimiter);
    for (let row; (row = cutter.row()) !== undefined; line += row.lines) {
      if (!isEmpty(row.cells)) yield { line, cells: row.cells };
    }
    rest = rest.slice(cutter.done);
  }
  if (rest === '') return;
  const last = new Cutter(`${rest}\n`, delimiter).row();
  if (last === undefined) throw new Error(`the quotation mark in line ${line} is never closed`);
  if (!isEmpty(last.cells)) yield { line, cells: last.cells };
}

function isEmpty(cells: readonly string[]): boolean {
  return cells.length === 1 && cells[0] === '';
}

/** Cuts a text into rows. */
class Cutter {
  /** Up to where there were whole rows. */
  done = 0;
  readonly #text: string;
  readonly #delimiter: string;
  /** The next of each from where was last looked: to look again for each cell takes a minute for a line of a megabyte. */
  #separator = -1;
  #newline = -1;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
  }

  /** The next row; `undefined` when its end is not there. */
  row(): { cells: string[]; lines: number } | undefined {
    const cells: string[] = [];
    let lines = 1;
    for (let at = this.done; ;) {
      const quoted = this.#text[at] === '"' ? this.#quoted(at) : { value: '', end: at, lines: 0 };
      if (quoted === undefined) return undefined;
      const end = this.#next(quoted.end);
      if (end === Infinity) return undefined;
      lines += quoted.lines;
      const isLast = end === this.#newline;
      // Whatever stands between a closing mark and the next separator belongs to the cell.
      const plain = this.#text.slice(quoted.end, end);
      cells.push(quoted.value + (isLast ? plain.replace(/\r$/, '') : plain));
      at = end + (isLast ? 1 : this.#delimiter.length);
      if (!isLast) continue;
      this.done = at;
      return { cells, lines };
    }
  }

  /** The next separator or line end. */
  #next(at: number): number {
    if (this.#separator < at) this.#separator = this.#find(this.#delimiter, at);
    if (this.#newline < at) this.#newline = this.#find('\n', at);
    return Math.min(this.#separator, this.#newline);
  }

  #find(what: string, at: number): number {
    const found = this.#text.indexOf(what, at);
    return found === -1 ? Infinity : found;
  }

  #quoted(start: number): { value: string; end: number; lines: number } | undefined {
    const text = this.#text;
    for (let at = start + 1; ;) {
      const mark = text.indexOf('"', at);
      // What follows the last mark that is there may double it.
      if (mark === -1 || mark === text.length - 1) return undefined;
      if (text[mark + 1] === '"') {
        at = mark + 2;
        continue;
      }
      const value = text.slice(start + 1, mark);
      return { value: value.replaceAll('""', '"'), end: mark + 1, lines: value.split('\n').length - 1 };
    }
  }
}

const delimiters = [',', '\t', ';', '|'];
const lookedAt = 20;

/** The separator that gives most rows of the start of a text as many cells, and more than one. */
export function delimiterOf(start: string): string {
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of delimiters) {
    const widths: number[] = [];
    try {
      for (const { cells } of csvRows([start], delimiter)) if (widths.push(cells.length) === lookedAt) break;
    } catch {
      // The start may end within a cell.
    }
    const [width = 1] = widths;
    const score = width < 2 ? 0 : widths.filter((each) => each === width).length * 100 + Math.min(width, 99);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}
