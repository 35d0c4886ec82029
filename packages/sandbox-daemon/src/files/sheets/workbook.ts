import { SandboxError } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from '../call.ts';
import { columnOf, type Cell, type Range } from './cells.ts';
import { dateOf, isDateFormat } from './dates.ts';
import type { Parts } from './parts.ts';
import { attribute, prefixedAttribute, tagsOf, type Tag } from './xml.ts';

/** More texts than this take more memory than a sidecar has. */
const maxSharedBytes = 64 * 1024 * 1024;
const maxSheets = 1_000;
const maxColumns = 16_384;

/** A workbook of Excel (XLSX): its sheets by name, and their rows. */
export class Workbook {
  readonly sheets: { name: string; part: string }[];
  readonly #parts: Parts;
  readonly #call: BuiltinCall;
  readonly #from1904: boolean;
  #shared: string[] | undefined;
  #dates: boolean[] | undefined;

  constructor(parts: Parts, call: BuiltinCall) {
    this.#parts = parts;
    this.#call = call;
    if (!parts.has('xl/workbook.xml')) throw this.#broken('it is a ZIP archive, and no spreadsheet of Excel (.xlsx)');
    const found = this.#sheets(this.#relations());
    this.sheets = found.sheets;
    this.#from1904 = found.from1904;
    if (this.sheets.length === 0) throw this.#broken('it has no sheet');
  }

  /** @throws {SandboxError} `script_error` with the names of the sheets that exist */
  sheet(name: string | number | undefined): { name: string; part: string } {
    const found =
      typeof name === 'string' ? this.sheets.find((sheet) => sheet.name === name) : this.sheets[(name ?? 1) - 1];
    if (found !== undefined) return found;
    const names = this.sheets.slice(0, 20).map((sheet) => JSON.stringify(sheet.name));
    throw this.#call.failed(
      'NotFoundError',
      `${this.#call.shown} has no sheet ${JSON.stringify(name)}; it has ${names.join(', ')}.`,
    );
  }

  /** The rows of a sheet that have a cell in the range. Each is as long as its last cell. */
  *rows(
    { part }: { part: string },
    { top, bottom, left, right }: Range,
  ): Generator<{ number: number; cells: Cell[] }, void> {
    let row = 0;
    let cells: Cell[] = [];
    let cell: { column: number; type: string; style: number } | undefined;
    let column = 0;
    let value = '';
    for (const tag of this.#tags(part)) {
      if (tag.name === 'row') {
        if (tag.kind === 'close') {
          if (cells.some((each) => each !== null)) yield { number: row, cells };
          continue;
        }
        row = Number(attribute(tag, 'r') ?? row + 1);
        if (row > bottom) return;
        cells = [];
        column = 0;
      } else if (tag.name === 'c' && tag.kind !== 'close') {
        const at = attribute(tag, 'r');
        column = at === undefined ? column + 1 : columnOf(at);
        if (column < 1 || column > maxColumns) throw this.#broken('a cell has no place');
        cell =
          tag.kind === 'empty'
            ? undefined
            : { column, type: attribute(tag, 't') ?? 'n', style: Number(attribute(tag, 's') ?? 0) };
        value = '';
      } else if ((tag.name === 'v' || tag.name === 't') && tag.kind === 'close' && cell !== undefined) {
        value += tag.text;
      } else if (tag.name === 'c' && cell !== undefined) {
        if (row >= top && cell.column >= left && cell.column <= right) {
          const place = cell.column - left;
          while (cells.length < place) cells.push(null);
          cells[place] = this.#valueOf(value, cell);
        }
        cell = undefined;
      }
    }
  }

  #valueOf(text: string, { type, style }: { type: string; style: number }): Cell {
    if (type === 's') return (this.#shared ??= this.#readShared())[Number(text)] ?? null;
    if (text === '') return type === 'inlineStr' || type === 'str' ? '' : null;
    if (type === 'b') return text === '1';
    if (type !== 'n') return plainText(text);
    const number = Number(text);
    if (Number.isNaN(number)) return text;
    return (this.#dates ??= this.#readStyles())[style] === true ? dateOf(number, this.#from1904) : number;
  }

  #readShared(): string[] {
    const texts: string[] = [];
    if (!this.#parts.has('xl/sharedStrings.xml')) return texts;
    let text = '';
    let bytes = 0;
    let isRead = false;
    for (const tag of this.#tags('xl/sharedStrings.xml')) {
      // The pronunciation of a word is not part of its text.
      if (tag.name === 'rPh') isRead = tag.kind === 'open';
      if (tag.name === 't' && tag.kind === 'close' && !isRead) text += tag.text;
      if (tag.name !== 'si' || tag.kind === 'open') continue;
      texts.push(plainText(text));
      bytes += text.length + 24;
      text = '';
      if (bytes > maxSharedBytes) throw this.#broken('it has more texts than fit into memory');
    }
    return texts;
  }

  /** Whether each style of cells shows a date. */
  #readStyles(): boolean[] {
    if (!this.#parts.has('xl/styles.xml')) return [];
    const codes = new Map<number, string>();
    const dates: boolean[] = [];
    let isOfCells = false;
    for (const tag of this.#tags('xl/styles.xml')) {
      if (tag.name === 'numFmt' && tag.kind !== 'close')
        codes.set(Number(attribute(tag, 'numFmtId')), attribute(tag, 'formatCode') ?? '');
      if (tag.name === 'cellXfs') isOfCells = tag.kind === 'open';
      if (tag.name !== 'xf' || tag.kind === 'close' || !isOfCells) continue;
      const id = Number(attribute(tag, 'numFmtId') ?? 0);
      dates.push(isDateFormat(id, codes.get(id)));
    }
    return dates;
  }

  #relations(): Map<string, string> {
    const parts = new Map<string, string>();
    for (const tag of this.#tags('xl/_rels/workbook.xml.rels')) {
      const [id, target] = [attribute(tag, 'Id'), attribute(tag, 'Target')];
      if (tag.name !== 'Relationship' || id === undefined || target === undefined) continue;
      parts.set(id, target.startsWith('/') ? target.slice(1) : `xl/${target}`);
    }
    return parts;
  }

  #sheets(parts: ReadonlyMap<string, string>): { sheets: { name: string; part: string }[]; from1904: boolean } {
    const sheets: { name: string; part: string }[] = [];
    let from1904 = false;
    for (const tag of this.#tags('xl/workbook.xml')) {
      if (tag.name === 'workbookPr') from1904 = /^(?:1|true)$/.test(attribute(tag, 'date1904') ?? '');
      if (tag.name !== 'sheet' || tag.kind === 'close' || sheets.length === maxSheets) continue;
      const part = parts.get(prefixedAttribute(tag, 'id') ?? '');
      if (part !== undefined && this.#parts.has(part)) sheets.push({ name: attribute(tag, 'name') ?? '', part });
    }
    return { sheets, from1904 };
  }

  *#tags(part: string): Generator<Tag, void> {
    const tags = tagsOf(this.#parts.read(part));
    for (;;) {
      let next: IteratorResult<Tag, void>;
      try {
        next = tags.next();
      } catch (error) {
        if (error instanceof SandboxError) throw error;
        throw this.#broken(`${part} is no XML that such a file has (${(error as Error).message})`);
      }
      if (next.done === true) return;
      yield next.value;
    }
  }

  #broken(why: string): Error {
    return this.#call.failed('NotReadableError', `${this.#call.shown} cannot be read: ${why}.`);
  }
}

/** Excel writes control characters, which XML has not, as `_x000D_`. */
function plainText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
