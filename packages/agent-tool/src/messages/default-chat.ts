import { oneLine } from '@mustard-sandbox/protocol';
import { formatBytes } from '../sizes.ts';
import { badAttachment, maxPartBytes, readRange, readStart, type Start } from './content.ts';
import { isImage, mayBeText } from './media-type.ts';
import type { UserPart } from './options.ts';
import type { ResolvedAttachment } from './resolve-attachments.ts';

/** `file_stats` looks at as many bytes. With fewer, the start of a binary file could pass for text. */
const probedBytes = 8 * 1024;

/** A part of a message, and whether its text was cut. */
interface InlinedPart {
  part: UserPart;
  truncated: boolean;
}

/**
 * The part of a message for a model without tools: text is inlined, an image is an image, and anything else is a file.
 *
 * @param truncateTo a text is cut to this many bytes, and beyond them only samples are read. Default: the whole text
 * @throws {SandboxError} `invalid_request` for a file that disappeared, one that is too big for a message, and one that
 *   is declared as text but is binary
 */
export async function inlinePart(attachment: ResolvedAttachment, truncateTo?: number): Promise<InlinedPart> {
  const { name, content, size, mediaType } = attachment;
  const textPossible = mayBeText(mediaType);
  const cut = textPossible && truncateTo !== undefined && size > truncateTo;
  const start = cut ? await readStart(name, content, Math.max(truncateTo, probedBytes)) : await readAll(attachment);
  // A file that is too big for a message can only be cut.
  const isMixed = cut && size <= maxPartBytes && !(await endsAsText(attachment));
  const text = textPossible && !isMixed ? decodeText(start, cut ? truncateTo : undefined) : undefined;
  if (text !== undefined) {
    const body = cut ? `${text}${truncationMark(size, truncateTo)}` : text;
    return { part: { type: 'text', text: inlineText(name, size, body) }, truncated: cut };
  }
  const { bytes } = cut ? await readAll(attachment) : start;
  return { part: binaryPart(name, bytes, mediaType), truncated: false };
}

/** How many places are looked at. The last of them is the end. */
const samples = 16;

/**
 * Whether the part that would be left out looks like text too. A file may begin with megabytes of text and continue
 * with anything.
 */
async function endsAsText({ name, content, size }: ResolvedAttachment): Promise<boolean> {
  const { bytes: start } = await readStart(name, content, 2);
  // Any bytes are valid UTF-16.
  if (encodingOf(start) !== 'utf-8') return true;
  for (let sample = 1; sample <= samples; sample++) {
    const end = Math.floor((size * sample) / samples);
    const bytes = await readRange(name, content, Math.max(0, end - probedBytes), end);
    // A sample may begin or end in the middle of a character, and so may a file that is being written.
    const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
    if (first > 3 || decode(bytes.subarray(Math.max(0, first)), 'utf-8', true) === undefined) return false;
  }
  return true;
}

/** @throws {SandboxError} `invalid_request` when it is more than a message can hold */
async function readAll({ name, content, size }: ResolvedAttachment): Promise<Start> {
  if (size <= maxPartBytes) return await readStart(name, content, size);
  const most = `${formatBytes(size)} is too big for a message, which holds ${formatBytes(maxPartBytes)} of one file`;
  throw badAttachment(name, `${most}; truncate it, or store it for scripts with the mode 'local-agent'`);
}

function binaryPart(name: string, bytes: Uint8Array, mediaType = 'application/octet-stream'): UserPart {
  if (isImage(mediaType)) return { type: 'image', image: bytes, mediaType };
  if (!mediaType.startsWith('text/')) return { type: 'file', data: bytes, mediaType, filename: name };
  const rule = 'but its bytes are neither UTF-8 nor UTF-16 with a byte order mark';
  throw badAttachment(name, `declared as ${mediaType}, ${rule}; leave mediaType out to attach it as a binary file`);
}

/**
 * The text of these bytes: UTF-8, or UTF-16 with a byte order mark, as PowerShell and Notepad write it. The mark is
 * removed, and a character that is cut at the end is left out.
 *
 * @param keep how many bytes to decode. Default: all. The others are checked too
 * @returns `undefined` for binary bytes: those with a NUL, or with a byte that the encoding does not allow
 */
function decodeText({ bytes, more }: Start, keep = bytes.length): string | undefined {
  const encoding = encodingOf(bytes);
  const text = decode(bytes, encoding, more);
  if (text === undefined || keep >= bytes.length) return text;
  return decode(bytes.subarray(0, keep), encoding, true);
}

/** A file's text in a message. The fence is longer than any in the text, so nothing in it can end it or begin another. */
function inlineText(name: string, size: number, text: string): string {
  const longest = Math.max(2, ...fencesIn(text));
  const fence = '`'.repeat(longest + 1);
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `Attachment: ${oneLine(name)} (${formatBytes(size)})\n${fence}\n${body}${fence}`;
}

/** The mark where a text was cut: `... [truncated, 623 KB → 256 KB]`. */
function truncationMark(size: number, truncateTo: number): string {
  return `... [truncated, ${formatBytes(size)} → ${formatBytes(truncateTo)}]`;
}

function decode(bytes: Uint8Array, encoding: string, more: boolean): string | undefined {
  try {
    // With `stream` the decoder keeps an unfinished character instead of refusing it.
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

/** Each length occurs once, because a text may hold more runs of backticks than a call can have arguments. */
function fencesIn(text: string): Set<number> {
  const lengths = new Set<number>();
  for (const [run] of text.matchAll(/`+/g)) lengths.add(run.length);
  return lengths;
}
