import { countNewlines } from '../search/newlines.ts';

const [newline, carriageReturn] = [0x0a, 0x0d];

/** Separates the columns of a table of lines, which has only one column. DuckDB accepts up to four bytes. */
export const separator = '\u0001\u0002\u0003\u0004';

/**
 * Finds texts in which DuckDB would see other lines than there are. It takes a lone `\r` for the end of a line. In a
 * text with both kinds of ends, it takes `\r\n` for two ends.
 */
export class LineEnds {
  #newlines = 0;
  #pairs = 0;
  #hasLoneReturn = false;
  #endsInReturn = false;
  #hasSeparator = false;

  /** @param bytes the next part of a text in which a line end is one byte */
  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#endsInReturn) this.#returnBefore(bytes[0]);
    this.#endsInReturn = bytes[bytes.length - 1] === carriageReturn;
    this.#newlines += countNewlines(bytes);
    for (let at = bytes.indexOf(carriageReturn); at !== -1; at = bytes.indexOf(carriageReturn, at + 1)) {
      if (at < bytes.length - 1) this.#returnBefore(bytes[at + 1]);
    }
    this.#hasSeparator ||= bytes.includes(separator);
  }

  /** Why the text cannot be a table of lines; `undefined` when it can. Read it at the end of the text. */
  get problem(): string | undefined {
    if (this.#hasSeparator) return 'has control characters that no log has';
    if (this.#hasLoneReturn || this.#endsInReturn)
      return 'has \\r within lines, which a table would take for their ends';
    if (this.#pairs === 0 || this.#pairs === this.#newlines) return undefined;
    return 'has lines that end in \\n and others in \\r\\n, which a table would take for further lines';
  }

  #returnBefore(byte: number | undefined): void {
    if (byte === newline) this.#pairs++;
    else this.#hasLoneReturn = true;
  }
}
