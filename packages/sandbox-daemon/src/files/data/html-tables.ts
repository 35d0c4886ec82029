import type { SandboxValue } from '@mustard-sandbox/protocol';
import { namesOf } from '../sheets/cells.ts';

/** The most cells. A script could not get more. */
const maxCells = 300_000;
const maxSpan = 1_000;
/** The deepest nesting. No page is deeper, and each closing tag is looked for among all open ones. */
const maxDepth = 5_000;

/**
 * The tables of a page, in the order in which they begin: `{ caption, rows }`. If all cells of the first row are headings,
 * rows are objects with these names, and otherwise lists. A cell that spans several places is in each of them.
 *
 * @throws {Error} for more cells than a script may get
 */
export async function htmlTables(html: string): Promise<SandboxValue> {
  const { Parser } = await import('htmlparser2');
  const page = new Page();
  const parser = new Parser({
    onopentag: (name, attributes) => page.open(name, attributes),
    ontext: (text) => page.text(text),
    onclosetag: (name) => page.close(name),
  });
  parser.end(html);
  return page.tables.map((table) => table.value());
}

class Page {
  readonly tables: Table[] = [];
  /** The open tables. A table may be in a cell of another one. */
  readonly #open: Table[] = [];
  #depth = 0;
  /** Whether this is within a script or a style, whose text is not text of the page. */
  #hidden = 0;
  #cells = { count: 0 };

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (++this.#depth > maxDepth) throw new Error('its elements nest too deep');
    if (name === 'script' || name === 'style') this.#hidden++;
    if (name === 'table') {
      const table = new Table(this.#cells);
      this.tables.push(table);
      this.#open.push(table);
    }
    this.#open.at(-1)?.open(name, attributes);
  }

  text(text: string): void {
    if (this.#hidden === 0) this.#open.at(-1)?.text(text);
  }

  close(name: string): void {
    this.#depth--;
    if (name === 'script' || name === 'style') this.#hidden--;
    this.#open.at(-1)?.close(name);
    if (name === 'table') this.#open.pop();
  }
}

interface Spanning {
  value: string;
  rows: number;
}

class Table {
  readonly #rows: string[][] = [];
  readonly #all: { count: number };
  #caption: string | undefined;
  #hasHeader = false;
  /** Cells that span into the rows below, by column. */
  #spanning: (Spanning | undefined)[] = [];
  #row: string[] | undefined;
  #isHeader = true;
  #cell: { text: string; columns: number; rows: number } | undefined;
  #inCaption = false;

  /** @param all counts the cells of all tables */
  constructor(all: { count: number }) {
    this.#all = all;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'caption') this.#inCaption = true;
    if (name === 'tr') this.#beginRow();
    if (name === 'td' || name === 'th') {
      if (this.#row === undefined) this.#beginRow();
      this.#isHeader &&= name === 'th';
      this.#cell = { text: '', columns: spanOf(attributes['colspan']), rows: spanOf(attributes['rowspan']) };
    }
    // Elements on separate lines must not join their words.
    if (name === 'br' || name === 'p' || name === 'li' || name === 'div') this.text(' ');
  }

  text(text: string): void {
    if (this.#cell !== undefined) this.#cell.text += text;
    else if (this.#inCaption) this.#caption = (this.#caption ?? '') + text;
  }

  close(name: string): void {
    if (name === 'caption') this.#inCaption = false;
    if (name === 'td' || name === 'th') this.#endCell();
    if (name === 'tr' || name === 'table') this.#endRow();
  }

  value(): SandboxValue {
    const [first = [], ...others] = this.#rows;
    const caption = this.#caption === undefined ? {} : { caption: plain(this.#caption) };
    if (!this.#hasHeader) return { ...caption, rows: this.#rows };
    const width = this.#rows.reduce((most, row) => Math.max(most, row.length), 0);
    const names = namesOf(first, width, 1);
    const rows = others.map((row) => {
      const record = Object.create(null) as Record<string, SandboxValue>;
      names.forEach((name, at) => (record[name] = row[at] ?? ''));
      return record;
    });
    return { ...caption, rows };
  }

  #beginRow(): void {
    this.#endRow();
    this.#row = [];
    this.#isHeader = true;
    this.#continueAbove();
  }

  #endRow(): void {
    this.#endCell();
    const row = this.#row;
    this.#row = undefined;
    if (row === undefined || row.length === 0) return;
    if (this.#rows.length === 0) this.#hasHeader = this.#isHeader;
    this.#rows.push(row);
  }

  #endCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (cell === undefined || this.#row === undefined) return;
    const value = plain(cell.text);
    for (let column = 0; column < cell.columns; column++) {
      if (cell.rows > 1) this.#spanning[this.#row.length] = { value, rows: cell.rows - 1 };
      this.#add(value);
    }
    this.#continueAbove();
  }

  /** Cells that span down from a row above come before the next cell. */
  #continueAbove(): void {
    const row = this.#row as string[];
    for (let above; (above = this.#spanning[row.length]) !== undefined && above.rows > 0;) {
      above.rows--;
      this.#add(above.value);
    }
  }

  #add(value: string): void {
    if (++this.#all.count > maxCells) throw new Error(`its tables have more than ${maxCells} cells`);
    this.#row?.push(value);
  }
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function spanOf(given: string | undefined): number {
  const span = Number(given ?? 1);
  return Number.isInteger(span) && span >= 1 ? Math.min(span, maxSpan) : 1;
}
