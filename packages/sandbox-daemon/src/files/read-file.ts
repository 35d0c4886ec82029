import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { readLimitTable } from '@mustard-sandbox/protocol';
import { isArchive, kindBytes, refusedKind } from './binary-kinds.ts';
import { bytesAt, type Bytes } from './archives/bytes.ts';
import { openContent } from './archives/content.ts';
import type { BuiltinCall } from './call.ts';
import type { BuiltinContext } from './context.ts';
import { spendInAll, type ReadBudget } from './budget.ts';
import { parseOptions } from './options.ts';
import { compressionOf } from './source/compression.ts';
import { encodingOf, encodings } from './source/encodings.ts';
import { lookAround, unitBoundary } from './text-range.ts';

const offset = z.int().check(z.gte(0));

const optionsSchema = z.strictObject({
  start: z._default(offset, 0),
  length: z.optional(offset),
  encoding: z.optional(z.enum([...encodings, 'base64'])),
});

/** How many bytes are read between two checks of the clock. Reading them takes about 1 ms from the page cache. */
const chunkBytes = 4 * 1024 * 1024;

/**
 * A byte range of a file: as base64, decoded from another encoding, or as UTF-8 text of the characters whose first byte
 * lies in the range, so that consecutive ranges join to the text of the whole file. Invalid bytes become U+FFFD, which
 * takes up to three times their room. A byte order mark stays.
 *
 * @throws {SandboxError} `limit_exceeded`, `invalid_request` for the options, and as `openContent`
 */
export function readFile(context: BuiltinContext, path: unknown, rawOptions: unknown, call: BuiltinCall): Buffer {
  const { start: from, length, encoding } = parseOptions(optionsSchema, rawOptions, call);
  using content = openContent(context, path, call);
  const { size } = content;
  const { budget } = context;
  const start = Math.min(from, size);
  const end = length === undefined ? size : Math.min(size, start + length);
  spend(budget, end - start, size, call);
  budget.reached = { path: call.path, position: end, size };
  if (start === end) return Buffer.alloc(0);
  if (encoding === undefined || encoding === 'utf8') {
    const text = readText(content, start, end, size, call);
    const isText = isUtf8(text);
    const isHead = start === 0 && (end === size || text.length >= kindBytes);
    // Without an explicit encoding, nobody wants the text of such a file.
    if (encoding === undefined) refuseOther(isHead ? text : bytesAt(content, 0, kindBytes), isText, call);
    if (isText) return text;
    return Buffer.from(text.toString('utf8'), 'utf8');
  }
  if (encoding === 'utf16le' || encoding === 'utf16be') return readUtf16(content, start, end, size, encoding, call);
  const bytes = readBytes(content, start, end, call);
  return encoding === 'latin1'
    ? Buffer.from(bytes.toString('latin1'))
    : Buffer.from(bytes.toString('base64'), 'latin1');
}

/** @throws {SandboxError} `script_error` when the first bytes show that the file is not UTF-8, or is an archive */
function refuseOther(start: Buffer, isText: boolean, call: BuiltinCall): void {
  if (isText && !isArchive(start)) return;
  const compression = compressionOf(start);
  if (compression !== undefined) {
    const how = "search, lines and read_lines read what it holds; { encoding: 'base64' } gives its bytes";
    throw call.failed('NotReadableError', `${call.shown} is ${compression}: ${how}.`);
  }
  const refused = refusedKind(start, call, { also: "; { encoding: 'base64' } gives its bytes" });
  if (refused !== undefined) throw refused;
  const encoding = encodingOf(start.subarray(0, 16));
  if (encoding === 'utf16le' || encoding === 'utf16be') {
    throw call.failed('NotReadableError', `${call.shown} is UTF-16: pass { encoding: '${encoding}' }.`);
  }
}

function spend(budget: ReadBudget, bytes: number, size: number, call: BuiltinCall): void {
  const { maxReadBytes: most } = budget;
  if (bytes > most) {
    throw call.limitExceeded(
      readLimitTable.maxReadBytes.name,
      most,
      bytes,
      `${call.shown} has ${size} bytes and this call asks for ${bytes}, but one call reads at most ${most}. ` +
        `Read it in ranges: pass {start, length: ${most}}, begin with start 0, add ${most} to start after each ` +
        `read, and stop when start reaches ${size}. A range never splits a character.`,
    );
  }
  spendInAll(budget, bytes, call);
}

function readText(content: Bytes, start: number, end: number, size: number, call: BuiltinCall): Buffer {
  const from = Math.max(0, start - lookAround);
  const bytes = readBytes(content, from, Math.min(size, end + lookAround), call);
  return bytes.subarray(unitBoundary(bytes, start - from), unitBoundary(bytes, end - from));
}

/** The characters whose first byte lies in the range, without a byte order mark. */
function readUtf16(
  content: Bytes,
  start: number,
  end: number,
  size: number,
  encoding: 'utf16le' | 'utf16be',
  call: BuiltinCall,
): Buffer {
  const [first, last] = [start + (start % 2), end + (end % 2)];
  const from = Math.max(0, first - 2);
  const bytes = readBytes(content, from, Math.min(size, last + 2), call);
  const units = encoding === 'utf16be' ? Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16() : bytes;
  /** Whether the second half of a surrogate pair begins at this place in the file. */
  const isSecondHalf = (at: number): boolean =>
    at - from >= 2 &&
    at - from + 2 <= units.length &&
    isHigh(units.readUInt16LE(at - from - 2)) &&
    isLow(units.readUInt16LE(at - from));
  const [a, b] = [first, last].map((at) => Math.max(0, at + (isSecondHalf(at) ? 2 : 0) - from)) as [number, number];
  return Buffer.from(new TextDecoder('utf-16le', { ignoreBOM: start > 0 }).decode(units.subarray(a, b)), 'utf8');
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The bytes from `start` up to `end`; fewer when the file has shrunk since its size was taken. */
function readBytes(content: Bytes, start: number, end: number, call: BuiltinCall): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    call.checkTime();
    const count = content.read(bytes.subarray(filled, filled + chunkBytes), start + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
