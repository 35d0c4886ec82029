/** The content of a cell. Dates are ISO 8601. */
export type Cell = string | number | boolean | null;

/** Rows and columns count from 1. All limits are inclusive. */
export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export const everything: Range = { top: 1, bottom: Infinity, left: 1, right: Infinity };

/** The column of a place: `B7` is in column 2. */
export function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < 4; at++) {
    const letter = place.charCodeAt(at) - 64;
    if (!(letter >= 1 && letter <= 26)) break;
    column = column * 26 + letter;
  }
  return column;
}

export function lettersOf(column: number): string {
  let letters = '';
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return letters;
}

/** `A2:F100`, `A:F`, `2:100` or one cell; `undefined` for another text. */
export function rangeOf(text: string): Range | undefined {
  const found = /^\$?([A-Z]{1,3})?\$?(\d{1,7})?(?::\$?([A-Z]{1,3})?\$?(\d{1,7})?)?$/i.exec(text.trim());
  if (found === null || text.trim() === '') return undefined;
  const [, left, top, right, bottom] = found;
  const isOne = !text.includes(':');
  const range: Range = {
    left: left === undefined ? 1 : columnOf(left.toUpperCase()),
    top: top === undefined ? 1 : Number(top),
    right:
      right === undefined
        ? isOne && left !== undefined
          ? columnOf(left.toUpperCase())
          : Infinity
        : columnOf(right.toUpperCase()),
    bottom: bottom === undefined ? (isOne && top !== undefined ? Number(top) : Infinity) : Number(bottom),
  };
  return range.left <= range.right && range.top <= range.bottom ? range : undefined;
}

/** The names of columns from a row of headings. Each name occurs once; a column without a heading gets its letters. */
export function namesOf(cells: readonly Cell[], width: number, left: number): string[] {
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, at) => {
    const given = String(cells[at] ?? '').trim() || lettersOf(left + at);
    let name = given;
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${given}_${number}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
