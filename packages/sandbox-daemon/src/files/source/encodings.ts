import { isUtf8 } from 'node:buffer';
import { unitBoundary } from '../text-range.ts';

/** The encodings of text that are recognised, as `file_stats().encoding` and the option `encoding` name them. */
export const encodings = ['utf8', 'utf16le', 'utf16be', 'latin1'] as const;
/** The encoding of a text. */
export type Encoding = (typeof encodings)[number];

/** How much of the start of a file decides what it holds, in bytes. */
export const probedBytes = 8 * 1024;

/**
 * The encoding of a text by its first bytes; `undefined` when it is not text. A byte order mark decides. Without one,
 * UTF-16 is recognised by the zero bytes of its ASCII characters, and Latin-1 is text that cannot be UTF-8.
 *
 * @param bytes the first `probedBytes` and `lookAround` more, or all bytes of a shorter file
 */
export function encodingOf(bytes: Uint8Array): Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf16be';
  const probed = bytes.subarray(0, unitBoundary(bytes, probedBytes));
  if (probed.includes(0)) return utf16Of(probed);
  return isUtf8(probed) ? 'utf8' : encodingOfBroken(probed);
}

/** In a text that is mostly ASCII, nearly every other byte of UTF-16 is zero. Other texts have no zero bytes. */
function utf16Of(bytes: Uint8Array): Encoding | undefined {
  const zeros = [0, 0];
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) zeros[at % 2]!++;
  const half = Math.floor(bytes.length / 2);
  // The other bytes must have no zero: a character whose code ends in 00 is rare in such a text, and common in numbers.
  if (zeros[0] === 0 && zeros[1]! >= 0.7 * half) return 'utf16le';
  return zeros[1] === 0 && zeros[0]! >= 0.7 * half ? 'utf16be' : undefined;
}

/**
 * The encoding of bytes that are not valid UTF-8. A text in Latin-1 has letters above ASCII. UTF-8 with a few broken
 * bytes has more valid sequences than wrong bytes. Neither has control characters.
 */
function encodingOfBroken(bytes: Uint8Array): Encoding | undefined {
  let wrong = 0;
  let right = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] as number;
    if (isControl(byte)) return undefined;
    const end = byte < 0x80 ? at + 1 : unitBoundary(bytes, at + 1);
    if (byte >= 0x80) {
      if (end > at + 1 && isUtf8(bytes.subarray(at, end))) right++;
      else wrong++;
    }
    at = end;
  }
  return wrong > right ? 'latin1' : 'utf8';
}

/** Control characters of layout do not count, and neither does the escape that begins the colours of a terminal. */
function isControl(byte: number): boolean {
  return byte === 0x7f || (byte < 0x20 && byte !== 0x1b && !(byte >= 0x08 && byte <= 0x0d));
}

/** How many bytes the byte order mark at the start of a text in this encoding has. */
export function markLength(bytes: Uint8Array, encoding: Encoding): number {
  if (encoding === 'utf8') return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (encoding === 'utf16le') return bytes[0] === 0xff && bytes[1] === 0xfe ? 2 : 0;
  if (encoding === 'utf16be') return bytes[0] === 0xfe && bytes[1] === 0xff ? 2 : 0;
  return 0;
}

/** Decodes pieces of one text into UTF-8. A character may lie across two pieces. */
export interface Decoder {
  /** @param isLast whether the text ends here; half a character at the end then becomes U+FFFD */
  decode(bytes: Buffer, isLast: boolean): Buffer;
}

/**
 * A decoder for every encoding except UTF-8, which is handed on unchanged.
 *
 * @param isGuess whether nobody named the encoding. What is taken for Latin-1 is then read as windows-1252, as browsers
 *   do: no text has the control characters that only Latin-1 has. A caller that names Latin-1 gets a character for each
 *   byte.
 */
export function decoderFor(encoding: Exclude<Encoding, 'utf8'>, isGuess: boolean): Decoder {
  if (encoding === 'latin1') {
    const read = isGuess ? asWindows1252 : (text: string): string => text;
    return { decode: (bytes) => Buffer.from(read(bytes.toString('latin1')), 'utf8') };
  }
  // The mark was removed from the bytes before, so a second one is text.
  const decoder = new TextDecoder(encoding === 'utf16le' ? 'utf-16le' : 'utf-16be', { ignoreBOM: true });
  return { decode: (bytes, isLast) => Buffer.from(decoder.decode(bytes, { stream: !isLast }), 'utf8') };
}

/** What windows-1252 has where Latin-1 has control characters. The five places that it leaves free stay as they are. */
const additions = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** A text that was read as Latin-1, as windows-1252. What is above Latin-1 stays. */
export function asWindows1252(text: string): string {
  return text.replaceAll(/[\u0080-\u009f]/g, (mark) => additions[mark.charCodeAt(0) - 0x80] as string);
}
