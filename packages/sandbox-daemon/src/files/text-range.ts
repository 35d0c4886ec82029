/** A unit of UTF-8 text has at most this many bytes, including its first one. */
const maxUnitBytes = 4;

/** How far `unitBoundary` looks to either side of a position, in bytes. */
export const lookAround = maxUnitBytes - 1;

/**
 * The first position at or after `position` where a unit of text starts. A unit is what a decoder turns into one code
 * point: a character, or the longest start of a character that something else cuts short. Such a start becomes one
 * U+FFFD, as in WHATWG's decoder for the whole file.
 *
 * It works on any bytes, without decoding from the start: a byte that is not a continuation byte always starts a unit,
 * so at most three bytes before `position` decide.
 *
 * @param bytes a part of the file that holds `lookAround` bytes on both sides of `position`, or all there are
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

/** The length of the unit that starts with a byte that is not a continuation byte. */
function unitLength(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] ?? 0;
  const wanted = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let length = 1; length < wanted; length++) {
    const byte = bytes[start + length];
    if (!isContinuation(byte) || (length === 1 && !maySecond(lead, byte as number))) return length;
  }
  return wanted;
}

/** The second byte excludes overlong forms, surrogates and code points above U+10FFFF. */
function maySecond(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second <= 0x8f;
  return true;
}
