// The bits of a character's eight dots, by row and column; see Unicode, "Braille Patterns".
const bits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

/** Dots in characters, eight in each. */
export class Canvas {
  /** The width in dots. */
  readonly width: number;
  readonly height: number;
  readonly #cells: Uint8Array;
  /** For each character, the series that was drawn there last. */
  readonly #series: Uint8Array;
  readonly #columns: number;

  /** @param columns the width in characters; `rows` is the height in characters */
  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.width = columns * 2;
    this.height = rows * 4;
    this.#cells = new Uint8Array(columns * rows);
    this.#series = new Uint8Array(columns * rows);
  }

  dot(x: number, y: number, series: number): void {
    if (!(x >= 0 && x < this.width && y >= 0 && y < this.height)) return;
    const cell = (y >> 2) * this.#columns + (x >> 1);
    this.#cells[cell] = (this.#cells[cell] ?? 0) | (bits[y & 3]?.[x & 1] ?? 0);
    this.#series[cell] = series;
  }

  line([fromX, fromY]: readonly [number, number], [toX, toY]: readonly [number, number], series: number): void {
    const steps = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY), 1);
    for (let step = 0; step <= steps; step++) {
      const part = step / steps;
      this.dot(Math.round(fromX + (toX - fromX) * part), Math.round(fromY + (toY - fromY) * part), series);
    }
  }

  /** The rows from the top, each character in the colour of its series. */
  rows(paint: (text: string, series: number) => string): string[] {
    const rows: string[] = [];
    for (let start = 0; start < this.#cells.length; start += this.#columns) {
      let row = '';
      for (let cell = start; cell < start + this.#columns; cell++) {
        const bit = this.#cells[cell] ?? 0;
        row += bit === 0 ? ' ' : paint(String.fromCharCode(0x2800 + bit), this.#series[cell] ?? 0);
      }
      rows.push(row.trimEnd());
    }
    return rows;
  }
}
