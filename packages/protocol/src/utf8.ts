import { isAscii } from 'node:buffer';

/** The text of valid UTF-8. Most text is ASCII, which decodes three times as fast as latin1. */
export function decodeUtf8(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
