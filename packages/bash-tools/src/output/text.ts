import { isUtf8 } from 'node:buffer';
import { stripVTControlCharacters } from 'node:util';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { printable } from '@mustard-sandbox/protocol';

/** The part of one stream that a model gets. */
export interface Shown {
  text: string;
  truncated: boolean;
  /** Where the whole output is, relative to the workspace. Absent when `text` has all of it. */
  path?: string;
}

interface Pieces {
  /** The beginning, and the part of the end that is known. */
  head: Buffer;
  tail: Buffer;
  /** The number of bytes of the whole output. */
  bytes: number;
  maxChars: number;
}

interface Kept {
  path?: string | undefined;
  /** Why there is no file with the whole output. */
  problem?: string | undefined;
  /** More may come. */
  isLive?: boolean;
}

interface Described {
  /** Whether nothing was left out, so that the whole output need not be kept. */
  isWhole: boolean;
  with: (kept: Kept) => Shown;
}

const mark = '…(truncated)';

/**
 * A stream as a text, without escape sequences of terminals and without white space at its end. If it is too long, its
 * middle is left out at ends of lines. For binary data the text only says how much there is.
 */
export function describeOutput({ head, tail, bytes, maxChars }: Pieces): Described {
  if (isBinary(head)) {
    return { isWhole: false, with: (kept) => shown(`[binary data, ${amount(bytes, kept, '')}]`, kept) };
  }
  const isAllHere = bytes === head.length + tail.length;
  const text = asText(isAllHere ? Buffer.concat([head, tail]) : head);
  if (isAllHere && text.length <= maxChars) return { isWhole: true, with: () => ({ text, truncated: false }) };
  const end = isAllHere ? text : asText(tail);
  const first = uptoLine(text, Math.floor(maxChars * 0.75));
  const last = fromLine(end, Math.floor(maxChars * 0.25));
  return {
    isWhole: false,
    with: (kept) => shown(`${first}\n${mark} ${amount(bytes, kept, ' in all')}\n${last}`, kept),
  };
}

function shown(text: string, { path }: Kept): Shown {
  return { text, truncated: true, ...(path !== undefined && { path }) };
}

function amount(bytes: number, kept: Kept, inAll: string): string {
  return kept.isLive === true ? `${formatBytes(bytes)} so far.` : `${formatBytes(bytes)}${inAll}. ${whereAll(kept)}`;
}

function whereAll({ path, problem = 'it was not kept' }: Kept): string {
  return path === undefined ? `The rest is gone: ${problem}.` : `All of it: ${path}`;
}

const probedBytes = 8 * 1024;

/**
 * Text in another encoding than UTF-8 is shown as well as possible. Binary data has NULs, or hardly anything that is
 * text.
 */
function isBinary(head: Buffer): boolean {
  const probed = head.subarray(0, probedBytes);
  if (probed.includes(0)) return true;
  if (isUtf8(probed)) return false;
  const text = probed.toString('utf8');
  return (text.match(/\ufffd/g)?.length ?? 0) > text.length / 10 + 4;
}

function asText(bytes: Buffer): string {
  const text = stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\r\n', '\n');
  const lines = text.includes('\r') ? text.split('\n').map(lastWritten).join('\n') : text;
  return printable(lines).trimEnd();
}

/** A progress bar returns to the start of its line, and a terminal shows what was written last. */
function lastWritten(line: string): string {
  const written = line.replace(/\r+$/, '');
  return written.slice(written.lastIndexOf('\r') + 1);
}

function uptoLine(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf('\n', maxChars);
  return end > 0 ? text.slice(0, end) : withoutHalves(text.slice(0, maxChars));
}

function fromLine(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = text.indexOf('\n', text.length - maxChars);
  return start >= 0 && start < text.length - 1 ? text.slice(start + 1) : withoutHalves(text.slice(-maxChars));
}

/** Removes half a surrogate pair at either end. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
