/** How many bytes at the beginning of a file decide whether it is text. `file_stats` of the sandbox reads as many. */
export const probedBytes = 8 * 1024;

/**
 * The media type of a file. The content decides whether it is text, and the name decides which kind. So TypeScript is
 * not `video/mp2t`, which also uses `.ts`, and an image named `.txt` is not text. Text in a single-byte encoding such
 * as Latin-1 is `text/plain`.
 *
 * @param head the file's first `probedBytes`, or all of it
 * @param whole whether `head` is all of it
 */
export async function guessMediaType(name: string, head: Uint8Array, whole: boolean): Promise<string> {
  // Loaded with the first file that is stored, because it has two tables of a thousand types.
  const { default: mime } = await import('mime');
  const byName = mime.getType(name);
  if (isText(head, whole)) return byName !== null && isKindOfText(byName, head) ? byName : 'text/plain';
  if (byName !== null && !isKindOfText(byName, head)) return byName;
  return isLatinText(head) ? 'text/plain' : 'application/octet-stream';
}

/**
 * Whether bytes are text in a single-byte encoding such as Latin-1: almost no control characters, and mostly ASCII.
 * Called only for files whose name does not give a type, such as that of an image.
 */
function isLatinText(head: Uint8Array): boolean {
  let high = 0;
  for (const byte of head) {
    // Logs contain backspace to carriage return, and escape.
    if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) return false;
    if (byte >= 0x7f) high++;
  }
  return high <= head.length * 0.3;
}

/** UTF-8 without NUL. */
export function isText(head: Uint8Array, whole: boolean): boolean {
  if (head.includes(0)) return false;
  try {
    // With `stream`, a character that the end of `head` cuts in two is not an error.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !whole });
    return true;
  } catch {
    return false;
  }
}

const textual = /^(?:text\/.+|application\/(?:json|xml|javascript|toml|sql|yaml|x-sh)|.+\+json)$/;

function isKindOfText(type: string, head: Uint8Array): boolean {
  if (textual.test(type)) return true;
  // Rust's `.rs` is also an extension of an XML format.
  return type.endsWith('+xml') && /^\ufeff?\s*</.test(Buffer.from(head).toString());
}

/**
 * A media type of a caller, without parameters and in lower case; `undefined` for an empty text, which browsers give
 * for a type that they do not know.
 *
 * @returns `null` for a text that is not a media type
 */
export function parseMediaType(type: string): string | null | undefined {
  const essence = type.replace(/;.*$/s, '').trim().toLowerCase();
  if (essence === '') return undefined;
  return mediaTypePattern.test(essence) ? essence : null;
}

// RFC 6838, section 4.2.
export const mediaTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
