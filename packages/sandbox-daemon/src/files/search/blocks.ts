import { isAscii } from 'node:buffer';
import type { Pace } from '../pace.ts';
import type { Source } from '../source/source.ts';

const newline = 0x0a;

/**
 * Matching is twice as fast in a text of this size as in one of a megabyte, because it stays in the processor's cache.
 */
const blockBytes = 64 * 1024;

/** A longer line is searched in pieces. */
const maxLineBytes = 1024 * 1024;

/** How far the next piece of a long line reaches back. A match up to this length is found whole. */
export const overlapBytes = 64 * 1024;

/** Whole lines of a text, or a piece of a long line. */
export class Block {
  /** The bytes of the text. The next block may overwrite them. */
  readonly bytes: Buffer;
  /** Where the bytes begin in the text. */
  readonly offset: number;
  /** Whether it continues a line that began in another block. */
  readonly isContinued: boolean;
  /** Whether its last line continues in the next block. */
  readonly isOpen: boolean;
  readonly isPlain: boolean;
  #text: string | undefined;

  constructor(bytes: Buffer, offset: number, isContinued: boolean, isOpen: boolean) {
    this.bytes = bytes;
    this.offset = offset;
    this.isContinued = isContinued;
    this.isOpen = isOpen;
    // Then each byte is one character.
    this.isPlain = isAscii(bytes) && !bytes.includes(0x0d);
  }

  /** The lines, each with `\n` at its end, except an open one. */
  get text(): string {
    return (this.#text ??= this.#decode());
  }

  #decode(): string {
    if (this.isPlain) return this.bytes.toString('latin1');
    return this.bytes.toString('utf8').replaceAll('\r\n', '\n');
  }
}

/** The outcome of scanning a block. */
export interface Scanned {
  /** How many bytes of an open block are finished. The next block begins there. */
  doneBytes?: number;
  /** Whether enough was found. */
  isOver: boolean;
}

/**
 * Cuts a text into blocks and gives each to `scan`, until `scan` says that enough was found.
 *
 * @throws {SandboxError} like `Source.next` and `Pace.check`
 */
export function eachBlock(source: Source, pace: Pace, scan: (block: Block) => Scanned): void {
  let rest: Buffer = Buffer.alloc(0);
  let offset: number | undefined;
  let isContinued = false;
  const give = (bytes: Buffer, isOpen: boolean): Scanned => {
    const scanned = scan(new Block(bytes, offset as number, isContinued, isOpen));
    (offset as number) += isOpen ? (scanned.doneBytes ?? bytes.length) : bytes.length;
    isContinued = isOpen;
    return scanned;
  };
  for (;;) {
    pace.check();
    const bytes = source.next();
    offset ??= source.markBytes;
    if (bytes === undefined) break;
    let start = 0;
    if (rest.length > 0) {
      const firstEnd = bytes.indexOf(newline) + 1;
      rest = Buffer.concat([rest, firstEnd === 0 ? bytes : bytes.subarray(0, firstEnd)]);
      if (firstEnd === 0) {
        if (rest.length < maxLineBytes) continue;
        const { doneBytes = rest.length, isOver } = give(rest, true);
        if (isOver) return;
        rest = rest.subarray(doneBytes);
        continue;
      }
      if (give(rest, false).isOver) return;
      start = firstEnd;
    }
    for (let end: number; (end = endOfBlock(bytes, start)) > start; start = end) {
      if (give(bytes.subarray(start, end), false).isOver) return;
    }
    // This is a copy, because the source reads its next bytes into the same buffer.
    rest = Buffer.from(bytes.subarray(start));
  }
  if (rest.length > 0) give(rest, false);
}

/** The end of the last whole line that fits into a block, or of the first line; `start` when no line ends. */
function endOfBlock(bytes: Buffer, start: number): number {
  const wanted = start + blockBytes;
  if (wanted < bytes.length) {
    const last = bytes.subarray(start, wanted).lastIndexOf(newline);
    if (last !== -1) return start + last + 1;
    const next = bytes.indexOf(newline, wanted);
    return next === -1 ? start : next + 1;
  }
  return bytes.lastIndexOf(newline) + 1 > start ? bytes.lastIndexOf(newline) + 1 : start;
}
