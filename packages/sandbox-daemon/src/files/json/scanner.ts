/** The kind of a JSON value. */
export type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** What to do with a value: look into it (a list or an object only), take its text, or pass over it. */
export type Action = 'descend' | 'capture' | 'skip';

/** Decides about each value that the scanner reaches. */
export interface Visitor {
  /** @param step the key or index in the container that was entered last; `undefined` for the whole value */
  enter(step: string | number | undefined, kind: Kind): Action;
  /** The container that was entered last ends. It has this many values. */
  leave(length: number): void;
  captured(text: string): void;
  /** This many bytes are held of a text or a key whose end has not come yet. It may throw to stop them from growing. */
  holding(bytes: number, isKey: boolean): void;
}

/** A text is not JSON. The error has the byte at which that shows. */
export class JsonError extends Error {
  /** Whether a second value follows the first one, as in NDJSON. */
  readonly isMany: boolean;

  constructor(what: string, at: number, isMany = false) {
    super(`${what} at byte ${at}`);
    this.isMany = isMany;
  }
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

type Mode = 'value' | 'key' | 'in key' | 'colon' | 'passing' | 'after';

interface Frame {
  isArray: boolean;
  length: number;
}

/**
 * Scans one JSON value that comes in pieces. It holds only what is captured. It is not a parser: in what it passes over
 * it looks only at brackets and quotes, at some 300 MB a second. Streaming parsers from npm build or report every
 * value, at a tenth of that speed, and a file of 200 MB must be read within a deadline of seconds.
 */
export class JsonScanner {
  readonly #visitor: Visitor;
  readonly #frames: Frame[] = [];
  #mode: Mode = 'value';
  #step: string | undefined;
  /** How many bytes the earlier pieces have. */
  #before = 0;
  /** The depth in a container that is passed over. It is 0 for a string, and -1 for a number or a word. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The part of a captured value or a key that earlier pieces held. */
  #parts: Buffer[] | undefined;
  #heldBytes = 0;
  #from = 0;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
  }

  /** @throws {JsonError} */
  push(piece: Buffer): void {
    this.#from = 0;
    for (let at = 0; at < piece.length;) at = this.#go(piece, at);
    this.#hold(piece.subarray(this.#from));
    this.#before += piece.length;
  }

  /** @throws {JsonError} the text is cut off */
  end(): void {
    if (this.#mode === 'passing' && this.#depth === -1) this.#pass(Buffer.from(' '), 0);
    if (this.#mode !== 'after' || this.#frames.length > 0) throw new JsonError('the JSON is cut off', this.#before);
  }

  #go(piece: Buffer, at: number): number {
    if (this.#mode === 'passing') return this.#pass(piece, at);
    if (this.#mode === 'in key') return this.#readKey(piece, at);
    const byte = piece[at] as number;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    if (this.#mode === 'value') return this.#begin(piece, at, byte);
    if (this.#mode === 'after') return this.#goOn(at, byte);
    if (this.#mode === 'colon') {
      if (byte !== colon) throw this.#unexpected(at, byte);
      this.#mode = 'value';
      return at + 1;
    }
    if (byte === closeBrace && this.#frames.at(-1)?.length === 0) return this.#close(at);
    if (byte !== quote) throw this.#unexpected(at, byte);
    this.#mode = 'in key';
    // A value whose last escape lay on the border of two pieces has left this set.
    this.#escaped = false;
    this.#parts = [];
    this.#from = at + 1;
    return at + 1;
  }

  #begin(piece: Buffer, at: number, byte: number): number {
    const frame = this.#frames.at(-1);
    if (byte === closeBracket && frame?.isArray === true && frame.length === 0) return this.#close(at);
    const kind = kindOf(byte);
    if (kind === undefined) throw this.#unexpected(at, byte);
    const action = this.#visitor.enter(frame?.isArray === true ? frame.length : this.#step, kind);
    const isContainer = kind === 'object' || kind === 'array';
    if (action === 'descend' && isContainer) {
      this.#frames.push({ isArray: kind === 'array', length: 0 });
      this.#mode = kind === 'array' ? 'value' : 'key';
      return at + 1;
    }
    this.#parts = action === 'capture' ? [] : undefined;
    this.#from = at;
    this.#mode = 'passing';
    this.#depth = isContainer ? 1 : kind === 'string' ? 0 : -1;
    this.#inString = kind === 'string';
    this.#escaped = false;
    return this.#pass(piece, this.#depth === -1 ? at : at + 1);
  }

  /** Passes over a value, to its end or to the end of the piece. */
  #pass(piece: Buffer, start: number): number {
    const end = this.#depth === -1 ? endOfWord(piece, start) : this.#endOfValue(piece, start);
    if (end === undefined) return piece.length;
    if (this.#parts !== undefined) {
      const text = this.#textTo(piece, end);
      this.#visitor.captured(text);
    }
    this.#endOfOne();
    return end;
  }

  /** Nearly all of the time is spent in this loop. */
  #endOfValue(piece: Buffer, start: number): number | undefined {
    let [depth, inString, escaped] = [this.#depth, this.#inString, this.#escaped];
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) {
          inString = false;
          if (depth === 0) return at + 1;
        }
      } else if (byte === quote) inString = true;
      else if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1;
    }
    [this.#depth, this.#inString, this.#escaped] = [depth, inString, escaped];
    return undefined;
  }

  #readKey(piece: Buffer, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at] as number;
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) {
        const text = this.#textTo(piece, at);
        this.#step = text.includes('\\') ? this.#decode(text, at) : text;
        this.#mode = 'colon';
        return at + 1;
      }
    }
    return piece.length;
  }

  #hold(bytes: Buffer): void {
    if (this.#parts === undefined) return;
    this.#parts.push(Buffer.from(bytes));
    this.#heldBytes += bytes.length;
    this.#visitor.holding(this.#heldBytes, this.#mode === 'in key');
  }

  /**
   * The text that was kept, up to here. Most values lie in one piece, and copying them is what takes most of the time.
   */
  #textTo(piece: Buffer, end: number): string {
    const parts = this.#parts ?? [];
    this.#parts = undefined;
    this.#heldBytes = 0;
    if (parts.length === 0) return piece.toString('utf8', this.#from, end);
    return Buffer.concat([...parts, piece.subarray(this.#from, end)]).toString('utf8');
  }

  #decode(text: string, at: number): string {
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw new JsonError('a key is no string', this.#before + at);
    }
  }

  #goOn(at: number, byte: number): number {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw new JsonError('a second value begins', this.#before + at, true);
    if (byte === comma) {
      this.#mode = frame.isArray ? 'value' : 'key';
      return at + 1;
    }
    if (byte === (frame.isArray ? closeBracket : closeBrace)) return this.#close(at);
    throw this.#unexpected(at, byte);
  }

  #close(at: number): number {
    this.#visitor.leave(this.#frames.pop()?.length ?? 0);
    this.#endOfOne();
    return at + 1;
  }

  #endOfOne(): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.length++;
    this.#mode = 'after';
  }

  #unexpected(at: number, byte: number): JsonError {
    const shown =
      byte > 0x20 && byte < 0x7f
        ? JSON.stringify(String.fromCharCode(byte))
        : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    return new JsonError(`unexpected ${shown}`, this.#before + at);
  }
}

function kindOf(byte: number): Kind | undefined {
  if (byte === quote) return 'string';
  if (byte === openBrace) return 'object';
  if (byte === openBracket) return 'array';
  if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return 'number';
  if (byte === 0x74 || byte === 0x66) return 'boolean';
  return byte === 0x6e ? 'null' : undefined;
}

/** A number or a word ends where something else begins. */
function endOfWord(piece: Buffer, start: number): number | undefined {
  for (let at = start; at < piece.length; at++) {
    const byte = piece[at] as number;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) return at;
  }
  return undefined;
}
