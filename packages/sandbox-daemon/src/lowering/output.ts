import { Buffer } from 'node:buffer';

/** A range of UTF-8 byte offsets, as the engine gives them. */
interface Span {
  start: number;
  end: number;
}

/** Some text of the program, and the range of the script that it stands for. */
interface Piece {
  text: string;
  start: number;
  end: number;
  /** The text is that of the range. */
  copied: boolean;
}

/** Collects the program piece by piece, and remembers where each came from. */
export class Output {
  #source: string;
  readonly #pieces: Piece[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  copy(start: number, end: number): void {
    if (end <= start) return;
    const last = this.#pieces.at(-1);
    if (last?.copied === true && last.end === start) {
      last.end = end;
      last.text = this.#source.slice(last.start, end);
    } else {
      this.#pieces.push({ text: this.#source.slice(start, end), start, end, copied: true });
    }
  }

  /** From now on `text` is copied for as many characters of the script from `at` on. */
  replace(at: number, text: string): void {
    this.#source = this.#source.slice(0, at) + text + this.#source.slice(at + text.length);
  }

  /** Text that stands for `start` to `end` of the script. */
  write(text: string, { start, end }: Span): void {
    this.#pieces.push({ text, start, end, copied: false });
  }

  /** A place to put text later, when it is known what has to stand there. */
  reserve(span: Span): (text: string) => void {
    const piece: Piece = { text: '', ...span, copied: false };
    this.#pieces.push(piece);
    return (text) => {
      piece.text = text;
    };
  }

  /** @param script as it was written, in which every place is where it is in what is copied */
  finish(script: string, prelude: string): { code: string; positions: Positions } {
    this.#keepWordsApart();
    const code = prelude + this.#pieces.map((piece) => piece.text).join('');
    return { code, positions: new Positions(script, code, prelude.length, this.#pieces) };
  }

  /** `return/a(?=b)/.test(x)` and `typeof(n).toFixed()` need no space, what is written for them does. */
  #keepWordsApart(): void {
    let before: Piece | undefined;
    for (const piece of this.#pieces) {
      if (piece.text === '') continue;
      const isKeyword = before?.copied === true && !piece.copied && endsInKeyword.test(before.text);
      if (isKeyword && /^[\w$]/.test(piece.text)) piece.text = ` ${piece.text}`;
      before = piece;
    }
  }
}

/** Those that an expression or a pattern may follow. Other words that end in the middle of a name are parts of names of ours. */
const endsInKeyword =
  /(?:^|[^\w$.])(?:let|const|var|return|typeof|void|delete|throw|case|in|of|instanceof|new|await|yield|else|do|default|extends)$/;

/** Leads from places in the program back to those in the script. */
export class Positions {
  readonly #source: string;
  readonly #code: string;
  readonly #preludeLength: number;
  readonly #pieces: readonly Piece[];

  constructor(source: string, code: string, preludeLength: number, pieces: readonly Piece[]) {
    this.#source = source;
    this.#code = code;
    this.#preludeLength = preludeLength;
    this.#pieces = pieces;
  }

  /** `undefined` for what stands in a helper. All offsets are in bytes of UTF-8. */
  original({ start, end }: Span): Span | undefined {
    const code = Buffer.from(this.#code);
    const from = code.subarray(0, start).toString().length;
    const to = from + code.subarray(start, end).toString().length;
    if (to <= this.#preludeLength) return undefined;
    const first = this.#locate(Math.max(from, this.#preludeLength));
    const last = this.#locate(Math.max(to - 1, from, this.#preludeLength));
    const range = { start: first.start, end: Math.max(first.start, last.end) };
    const bytesBefore = Buffer.byteLength(this.#source.slice(0, range.start));
    return { start: bytesBefore, end: bytesBefore + Buffer.byteLength(this.#source.slice(range.start, range.end)) };
  }

  /** The range of the script that the character at `offset` of the program stands for. */
  #locate(offset: number): Span {
    let at = this.#preludeLength;
    for (const piece of this.#pieces) {
      if (offset < at + piece.text.length) {
        const place = piece.start + offset - at;
        return piece.copied ? { start: place, end: place + 1 } : piece;
      }
      at += piece.text.length;
    }
    return { start: this.#source.length, end: this.#source.length };
  }
}
