/** A unit of UTF-8 text spans at most this many bytes, its first byte included. */
const maxUnitBytes = 4;

/** How far `unitBoundary` looks to either side of a position, in bytes. */
export const lookAround = maxUnitBytes - 1;

/**
 * The first position at or after `position` where a unit of text starts. A unit is what a decoder
 * makes one code point of: a character, or the longest start of one that something else cuts short
 * (one U+FFFD, as WHATWG's decoder has it for the whole file).
 *
 * Works on any bytes, without decoding from the start: a byte that is no continuation byte always
 * starts a unit, so at most three bytes before `position` decide.
 *
 * @param bytes a stretch of the file that holds `lookAround` bytes on both sides of `position`, or all there are
 * @param position index into `bytes`
 */
export function unitBoundary(bytes: Uint8Array, position: number): number {
  if (position >= bytes.length || !isContinuation(bytes[position])) return position;
  for (let start = position - 1; start >= 0 && start >= position - lookAround; start--) {
    if (!isContinuation(bytes[start])) return Math.max(position, start + unitLength(bytes, start));
  }
  return position;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte <= 0xbf;
}

/** Bytes of the unit that starts with a byte that is no continuation byte. */
function unitLength(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] ?? 0;
  const wanted = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let length = 1; length < wanted; length++) {
    const byte = bytes[start + length];
    if (!isContinuation(byte) || (length === 1 && !maySecond(lead, byte as number))) return length;
  }
  return wanted;
}

/** The second byte rules out overlong forms, surrogates and what is past U+10FFFF. */
function maySecond(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second <= 0x8f;
  return true;
}
