import { formatBytes } from '../sizes.ts';
import type { Start } from './content.ts';
import { visible } from './visible.ts';

/**
 * The text that these bytes are: UTF-8, or UTF-16 with a byte order mark, as PowerShell and Notepad write it; without
 * that mark. A character that is cut at the end is left out.
 *
 * @param keep the bytes to decode; none: all. The others are looked at as well
 * @returns `undefined` for anything else: a NUL or a byte that cannot be there makes it binary
 */
export function decodeText({ bytes, more }: Start, keep = bytes.length): string | undefined {
  const encoding = encodingOf(bytes);
  const text = decode(bytes, encoding, more);
  if (text === undefined || keep >= bytes.length) return text;
  return decode(bytes.subarray(0, keep), encoding, true);
}

/** A file's text in a message. The fence is longer than any in the text, so nothing in it can end it or begin another. */
export function inlineText(name: string, size: number, text: string): string {
  const longest = Math.max(2, ...fencesIn(text));
  const fence = '`'.repeat(longest + 1);
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `Attachment: ${visible(name)} (${formatBytes(size)})\n${fence}\n${body}${fence}`;
}

/** What stands where a text was cut: `... [truncated, 623 KB → 256 KB]`. */
export function truncationMark(size: number, truncateTo: number): string {
  return `... [truncated, ${formatBytes(size)} → ${formatBytes(truncateTo)}]`;
}

function decode(bytes: Uint8Array, encoding: string, more: boolean): string | undefined {
  try {
    // With `stream` the decoder keeps an unfinished character back instead of refusing it.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: more });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** Each length once: a text may hold more runs of backticks than a call can have arguments. */
function fencesIn(text: string): Set<number> {
  const lengths = new Set<number>();
  for (const [run] of text.matchAll(/`+/g)) lengths.add(run.length);
  return lengths;
}
