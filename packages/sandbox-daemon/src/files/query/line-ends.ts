import { countNewlines } from '../search/newlines.ts';

const [newline, carriageReturn] = [0x0a, 0x0d];

/** Separates the columns of a table of lines, which has one: DuckDB takes up to four bytes. */
export const separator = '\u0001\u0002\u0003\u0004';

/**
 * Looks for what makes DuckDB see other lines than there are: it takes a `\r` by itself for the end of one, and where a
 * text has ends of both kinds, `\r\n` for two.
 */
export class LineEnds {
  #newlines = 0;
  #pairs = 0;
  #hasLoneReturn = false;
  #endsInReturn = false;
  #hasSeparator = false;

  /** @param bytes the next of a text in which a line end is one byte */
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

  /** Why the text cannot be a table of lines, if it cannot. Asked at its end. */
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
