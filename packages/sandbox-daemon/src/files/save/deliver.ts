import type { SandboxValue } from '@mustard-sandbox/protocol';

/** How many characters of a file go to the host in one call. As JSON they are at most six times as many bytes. */
const partCharacters = 1024 * 1024;
/** How many bytes go in one call. They are sent as base64, in which three bytes are four characters. */
const partBytes = 3 * 256 * 1024;

/** Hands one part of a file to the host. Returns false if the host refuses, and then no other part should follow. */
export type Deliver = (args: SandboxValue[]) => boolean;

/** Hands the text of a file to the host. @returns whether the host took it */
export function deliverAll(file: string, text: string, append: boolean, deliver: Deliver): boolean {
  let at = 0;
  for (;;) {
    let end = Math.min(at + partCharacters, text.length);
    // A part must not end inside a surrogate pair.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    const isLast = end === text.length;
    const isTaken = deliver([file, text.slice(at, end), { append, isLast }]);
    if (!isTaken || isLast) return isTaken;
    at = end;
  }
}

/** Hands the bytes of a file to the host. @returns whether the host took them */
export function deliverBytes(file: string, bytes: Buffer, deliver: Deliver): boolean {
  for (let at = 0; ; at += partBytes) {
    const part = bytes.subarray(at, at + partBytes);
    const isLast = at + partBytes >= bytes.length;
    const isTaken = deliver([file, part.toString('base64'), { append: false, encoding: 'base64', isLast }]);
    if (!isTaken || isLast) return isTaken;
  }
}
