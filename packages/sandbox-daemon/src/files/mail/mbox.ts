import { RawMailParts, type RawMail } from './raw-mail.ts';

/** How many bytes a `From ` line and the name of the header after it may have. */
const aheadBytes = 2048;
/** How many bytes before it show the end of an empty line. */
const behindBytes = 3;

/**
 * The messages of an mbox, one after the other. A message begins with a line `From ` after an empty line, if a header
 * follows. A sentence that begins with this word is rarely followed by a header.
 *
 * @param position where the pieces begin in the file; it must be the start of a message
 * @throws {NoMbox} when no message begins there
 */
export function* mailsIn(pieces: Iterable<Buffer>, position = 0): Generator<RawMail, void> {
  let start = position;
  let mail = new RawMailParts();
  let rest: Buffer = Buffer.alloc(0);
  let scanned = 0;
  let isBegun = false;
  for (const { piece, isLast } of withEnd(pieces)) {
    rest = Buffer.concat([rest, piece]);
    const end = isLast ? rest.length : rest.length - aheadBytes;
    if (end <= scanned) continue;
    if (!isBegun && !isPostmark(rest, 0)) throw new NoMbox();
    isBegun = true;
    let taken = 0;
    for (let at: number; (at = nextMail(rest, scanned, end)) !== -1; scanned = at + 1, taken = at) {
      mail.add(rest.subarray(taken, at));
      yield mail.taken(start, false);
      start += mail.size;
      mail = new RawMailParts();
    }
    scanned = end;
    const until = isLast ? end : Math.max(taken, end - behindBytes);
    mail.add(rest.subarray(taken, until));
    rest = rest.subarray(until);
    scanned -= until;
  }
  if (mail.size > 0) yield mail.taken(start, true);
}

/** The file is not an mbox, or no message begins at the given position. */
export class NoMbox extends Error {}

function* withEnd(pieces: Iterable<Buffer>): Generator<{ piece: Buffer; isLast: boolean }, void> {
  for (const piece of pieces) yield { piece, isLast: false };
  yield { piece: Buffer.alloc(0), isLast: true };
}

/** The first line from `from` and before `end` that begins a message; -1 when there is none. */
function nextMail(bytes: Buffer, from: number, end: number): number {
  for (let at = from - 1; (at = bytes.indexOf('From ', at + 1)) !== -1 && at < end;) {
    if (/\n\r?\n$/.test(bytes.toString('latin1', Math.max(0, at - behindBytes), at)) && isPostmark(bytes, at))
      return at;
  }
  return -1;
}

function isPostmark(bytes: Buffer, at: number): boolean {
  return /^From [^\n]*\n(?:>From |[!-9;-~]+:)/.test(bytes.toString('latin1', at, at + aheadBytes));
}

/** The bytes of a message without its `From ` line, and without the marks that escape such lines in its text. */
export function unmarked(bytes: Buffer): Buffer {
  const message = bytes.toString('latin1', 0, 5) === 'From ' ? bytes.subarray(bytes.indexOf('\n') + 1) : bytes;
  if (!message.includes('>From ')) return message;
  return Buffer.from(message.toString('latin1').replaceAll(/^>(>*From )/gm, '$1'), 'latin1');
}
