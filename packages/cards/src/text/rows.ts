/** The longest piece of a line that is laid out at once, because a browser takes seconds for a line of a megabyte. */
const maxRowLength = 1_000;

/** A text cut into rows for a list. A row is a line, or a piece of a long line. */
export interface Rows {
  readonly count: number;
  /** The text of a row, without its line break. */
  text(row: number): string;
  /** Where in the text a row begins, in UTF-16 units. */
  start(row: number): number;
  /** The row that holds a position of the text. */
  at(offset: number): number;
  /** The number of the line that begins with this row, from 1; `undefined` for further pieces of a line. */
  line(row: number): number | undefined;
  readonly lines: number;
}

export function rowsOf(text: string): Rows {
  const starts: number[] = [];
  const lines: number[] = [];
  let line = 1;
  for (let start = 0; ; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    for (let from = start, first = true; first || from < end; first = false) {
      starts.push(from);
      lines.push(first ? line : 0);
      from = boundary(text, Math.min(end, from + maxRowLength));
    }
    if (newline === -1) break;
    start = newline + 1;
  }
  const start = (row: number): number => starts[row] ?? text.length;
  return {
    count: starts.length,
    start,
    text: (row) => text.slice(start(row), start(row + 1)).replace(/\r?\n$/, ''),
    at(offset) {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (start(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    line: (row) => lines[row] || undefined,
    lines: line,
  };
}

/** The offset, moved by one if it would split a surrogate pair. */
function boundary(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset + 1 : offset;
}
