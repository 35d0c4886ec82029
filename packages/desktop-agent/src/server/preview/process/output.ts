// What a dev script prints: the end of its output, the ports that it names, and its errors.
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { ServerError } from '../../../shared/contract/index.ts';

/** How much of the output's end is kept, in characters. */
const maxKept = 200_000;
/** The most characters of a line. A longer one is split. */
const maxLine = 4_000;
const maxErrors = 30;
const maxErrorLines = 12;

/** Matches a word that begins an error, but not `0 errors`, `error-page.ts` or `--no-error`. */
const beginsError =
  /(?:^|[\s[(✘✖×⨯])(?:\w*Error|error|ERROR|ERR!|Failed to|failed to|Unhandled|Uncaught|panic|PANIC|EADDRINUSE)\b(?![-./\w])/;
const noError = /\b(?:0|no) errors?\b/i;
const belongsToError = /^(?:\s+\S|at |[│|╎>]|\d+ *[│|])/;
const address = /\b(https?):\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{1,5})\b/g;

/** Ids are unique in this program, so an error of the next start is a different one. */
let lastId = 0;

export class Output {
  /** How many characters before the kept ones were dropped. */
  left = 0;
  /** The ports in the order in which they were first named. */
  readonly ports = new Map<number, { isSecure: boolean }>();
  readonly #decoder = new StringDecoder('utf8');
  #kept = '';
  #line = '';
  #errors: ServerError[] = [];
  /** The error that may get more lines. */
  #open: { lines: string[] } | undefined;

  /** @returns whether errors or ports have changed */
  add(chunk: Buffer): boolean {
    const text = stripVTControlCharacters(this.#decoder.write(chunk)).replace(/\r\n?/g, '\n');
    this.#kept += text;
    if (this.#kept.length > 2 * maxKept) this.#cut();
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() ?? '').slice(-maxLine);
    let isOther = false;
    for (const line of lines) isOther = this.#take(line.slice(0, maxLine)) || isOther;
    return isOther;
  }

  /** The kept end of the output. */
  get text(): string {
    this.#cut();
    return this.#kept;
  }

  /** The last errors, the newest last. */
  get errors(): ServerError[] {
    return [...this.#errors];
  }

  #cut(): void {
    const over = this.#kept.length - maxKept;
    if (over <= 0) return;
    this.left += over;
    this.#kept = this.#kept.slice(over);
  }

  #take(line: string): boolean {
    let isOther = false;
    for (const [, scheme, digits] of line.matchAll(address)) {
      const port = Number(digits);
      if (port < 1 || port > 65_535 || this.ports.has(port) || this.ports.size >= 20) continue;
      this.ports.set(port, { isSecure: scheme === 'https' });
      isOther = true;
    }
    if (this.#open !== undefined && belongsToError.test(line) && this.#open.lines.length < maxErrorLines) {
      this.#open.lines.push(line.trimEnd());
      const last = this.#errors.at(-1) as ServerError;
      this.#errors[this.#errors.length - 1] = { ...last, text: this.#open.lines.join('\n').slice(0, maxLine) };
      return true;
    }
    this.#open = undefined;
    if (!beginsError.test(line) || noError.test(line)) return isOther;
    this.#open = { lines: [line.trim()] };
    this.#addError(line.trim());
    return true;
  }

  /** An error that came before gets a higher count, and becomes the newest. */
  #addError(text: string): void {
    const isSame = (error: ServerError): boolean => error.text === text || error.text.startsWith(`${text}\n`);
    const known = this.#errors.find(isSame);
    const others = this.#errors.filter((error) => error !== known);
    this.#errors = [...others, { id: known?.id ?? ++lastId, text, count: (known?.count ?? 0) + 1 }].slice(-maxErrors);
  }
}
