import { isAscii } from 'node:buffer';
import type { Pace } from '../pace.ts';
import type { Source } from '../source/source.ts';

const newline = 0x0a;

/** Matching in a text of this size is twice as fast as in one of a megabyte: it stays in the processor's cache. */
const blockBytes = 64 * 1024;

/** A line that is longer than this is looked through in pieces. */
const maxLineBytes = 1024 * 1024;

/** How far the next piece of a long line reaches back: a match may be that long and still be found whole. */
export const overlapBytes = 64 * 1024;

/** Whole lines of a text, or a piece of a long one. */
export class Block {
  /** As they stand in the text. The next block may overwrite them. */
  readonly bytes: Buffer;
  /** Where they begin in the text, in bytes. */
  readonly offset: number;
  /** It goes on with a line that began in another block. */
  readonly isContinued: boolean;
  /** Its last line goes on in the next block. */
  readonly isOpen: boolean;
  readonly isPlain: boolean;
  #text: string | undefined;

  constructor(bytes: Buffer, offset: number, isContinued: boolean, isOpen: boolean) {
    this.bytes = bytes;
    this.offset = offset;
    this.isContinued = isContinued;
    this.isOpen = isOpen;
    // Then bytes and characters are the same.
    this.isPlain = isAscii(bytes) && !bytes.includes(0x0d);
  }

  /** The lines, each but an open one with `\n` at its end. */
  get text(): string {
    return (this.#text ??= this.#decode());
  }

  #decode(): string {
    if (this.isPlain) return this.bytes.toString('latin1');
    return this.bytes.toString('utf8').replaceAll('\r\n', '\n');
  }
}

/** What a scan of a block says about it. */
export interface Scanned {
  /** How many bytes of an open block were scanned for good. The next block begins there. */
  doneBytes?: number;
  /** Enough was found. */
  isOver: boolean;
}

/**
 * Cuts a text into blocks, and gives each to `scan`, until that says that enough was found.
 *
 * @throws {SandboxError} as `Source.next` and `Pace.check`
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
    // The source reads its next bytes into the same buffer.
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
