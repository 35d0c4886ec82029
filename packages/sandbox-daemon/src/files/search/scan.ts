import { unitBoundary } from '../text-range.ts';
import { overlapBytes, type Block, type Scanned } from './blocks.ts';
import type { Pattern } from './pattern.ts';

/** Gets the matches, in the order of the text. */
export interface Findings {
  /**
   * @param at where the match begins in `block.text`
   * @param lineEnd where the line of the match ends there
   * @param match absent for a literal, which matches itself
   * @returns whether enough was found
   */
  found(block: Block, at: number, lineEnd: number, match: RegExpExecArray | undefined): boolean;
  /** @returns whether enough was found */
  blockEnd(block: Block): boolean;
}

/** After this many matches across line ends, the pattern is searched line by line. */
const maxSpans = 64;

/** How many bytes of a long line are kept before the place where its search continues, for look-behind. */
const contextBytes = 256;

/**
 * Searches the lines of one text for a pattern. A match never crosses the end of a line. Where possible, it searches
 * many lines at a time: that finds everything that a search of each line finds, and matches that cross a line end are
 * searched again.
 */
export class Scanner {
  readonly #pattern: Pattern;
  readonly #findings: Findings;
  readonly #literalBytes: Buffer;
  #spans = 0;
  /** Whether the match of the long line that is being searched was found. */
  #isLineDone = false;
  /** Where the search in a long line continues, in characters of the next block. */
  #resumeAt = 0;

  constructor(pattern: Pattern, findings: Findings) {
    this.#pattern = pattern;
    this.#findings = findings;
    this.#literalBytes = Buffer.from(pattern.literal ?? '');
  }

  scan(block: Block): Scanned {
    if (block.isOpen || block.isContinued) return this.#scanPiece(block);
    return { isOver: this.#scanLines(block) || this.#findings.blockEnd(block) };
  }

  #scanLines(block: Block): boolean {
    const { literal, inBlock, hasAnchors } = this.#pattern;
    if (literal !== undefined && block.isPlain) return this.#scanLiteral(block, literal);
    // `^` and `$` also match at these characters, but these do not end a line.
    const isOdd = hasAnchors && !block.isPlain && /[\r\u2028\u2029]/.test(block.text);
    if (inBlock === undefined || isOdd || this.#spans > maxSpans) return this.#lineByLine(block, 0);
    return this.#scanAtOnce(block, inBlock);
  }

  #scanLiteral(block: Block, literal: string): boolean {
    const { bytes } = block;
    const { isGlobal } = this.#pattern;
    for (let from = 0; from < bytes.length;) {
      const at = bytes.indexOf(this.#literalBytes, from);
      if (at === -1) return false;
      const lineEnd = endOfLine(bytes.indexOf(0x0a, at), bytes.length);
      if (this.#findings.found(block, at, lineEnd, undefined)) return true;
      from = isGlobal ? at + literal.length : lineEnd + 1;
    }
    return false;
  }

  #scanAtOnce(block: Block, pattern: RegExp): boolean {
    const { text } = block;
    const { isGlobal } = this.#pattern;
    pattern.lastIndex = 0;
    for (;;) {
      const match = pattern.exec(text);
      // There is no line after the last line end.
      if (match === null || (match.index === text.length && text.endsWith('\n'))) return false;
      const { index } = match;
      const lineEnd = endOfLine(text.indexOf('\n', index), text.length);
      if (index + match[0].length > lineEnd) {
        const lineStart = startOfLine(text, index);
        if (++this.#spans > maxSpans) return this.#lineByLine(block, lineStart, index);
        if (this.#lookAtLine(block, lineStart, lineEnd, index)) return true;
      } else {
        if (this.#findings.found(block, index, lineEnd, match)) return true;
        if (isGlobal) {
          if (match[0] === '') pattern.lastIndex = next(text, index, pattern);
          continue;
        }
      }
      if (lineEnd === text.length) return false;
      pattern.lastIndex = lineEnd + 1;
    }
  }

  /** @param from where the search in the first line begins */
  #lineByLine(block: Block, start: number, from = start): boolean {
    const { text } = block;
    for (let at = start, first = from; at < text.length; first = at) {
      const end = endOfLine(text.indexOf('\n', at), text.length);
      if (this.#lookAtLine(block, at, end, first)) return true;
      at = end + 1;
    }
    return false;
  }

  #lookAtLine(block: Block, start: number, end: number, from: number): boolean {
    const { inLine, isGlobal } = this.#pattern;
    const line = block.text.slice(start, end);
    inLine.lastIndex = from - start;
    for (let match; (match = inLine.exec(line)) !== null;) {
      if (this.#findings.found(block, start + match.index, end, match)) return true;
      if (!isGlobal) return false;
      if (match[0] === '') inLine.lastIndex = next(line, match.index, inLine);
    }
    return false;
  }

  /** Searches a piece of a line that is too long to hold. */
  #scanPiece(block: Block): Scanned {
    const { inLine, isGlobal } = this.#pattern;
    const cut = block.isOpen ? unitBoundary(block.bytes, block.bytes.length - overlapBytes) : block.bytes.length;
    const kept = block.isOpen ? unitBoundary(block.bytes, cut - contextBytes) : cut;
    const text = block.text.replace(/\n$/, '');
    // A match that begins after this is found in the next piece.
    const last = block.isOpen ? block.bytes.toString('utf8', 0, cut).length : text.length;
    let isOver = false;
    let doneAt = last;
    inLine.lastIndex = this.#resumeAt;
    while (!isOver && !this.#isLineDone) {
      const match = inLine.exec(text);
      if (match === null || (block.isOpen && match.index >= last)) break;
      isOver = this.#findings.found(block, match.index, text.length, match);
      this.#isLineDone = !isGlobal;
      doneAt = Math.max(last, inLine.lastIndex);
      if (match[0] === '') inLine.lastIndex = next(text, match.index, inLine);
    }
    this.#resumeAt = block.isOpen ? doneAt - block.bytes.toString('utf8', 0, kept).length : 0;
    if (!block.isOpen) this.#isLineDone = false;
    return { isOver: isOver || this.#findings.blockEnd(block), doneBytes: kept };
  }
}

function endOfLine(newlineAt: number, length: number): number {
  return newlineAt === -1 ? length : newlineAt;
}

/** The start of the line that holds the position. */
export function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** The position after an empty match. */
function next(text: string, at: number, { unicode, unicodeSets }: RegExp & { unicodeSets?: boolean }): number {
  return at + ((unicode || unicodeSets === true) && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}
