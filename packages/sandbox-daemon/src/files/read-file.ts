import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import * as z from 'zod/mini';
import { readLimitTable } from '../protocol/limits.ts';
import type { BuiltinCall } from './call.ts';
import { spendInAll, type ReadBudget } from './budget.ts';
import { withFile, type Files } from './open.ts';
import { parseOptions } from './options.ts';
import { lookAround, unitBoundary } from './text-range.ts';

const offset = z.int().check(z.gte(0));

const optionsSchema = z.strictObject({
  start: z._default(offset, 0),
  length: z.optional(offset),
  encoding: z._default(z.enum(['utf8', 'base64']), 'utf8'),
});

/** How many bytes are read between two checks of the clock; about 1 ms from the page cache. */
const chunkBytes = 4 * 1024 * 1024;

/**
 * A byte range of a file: as base64, or as UTF-8 text of the characters whose first byte lies in
 * the range, so that consecutive ranges join to the text of the whole file. Invalid bytes are U+FFFD,
 * which takes up to three times their room; a byte order mark stays.
 *
 * @throws {SandboxError} `limit_exceeded`, `invalid_request` for the options, and as `withFile`
 */
export function readFile(
  files: Files,
  budget: ReadBudget,
  path: unknown,
  rawOptions: unknown,
  call: BuiltinCall,
): Buffer {
  const { start: from, length, encoding } = parseOptions(optionsSchema, rawOptions, call);
  return withFile(files, path, call, (fd, { size }) => {
    const start = Math.min(from, size);
    const end = length === undefined ? size : Math.min(size, start + length);
    spend(budget, end - start, size, call);
    if (start === end) return Buffer.alloc(0);
    if (encoding === 'utf8') return readText(fd, start, end, size, call);
    return Buffer.from(readBytes(fd, start, end, call).toString('base64'), 'latin1');
  });
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

function readText(fd: number, start: number, end: number, size: number, call: BuiltinCall): Buffer {
  const from = Math.max(0, start - lookAround);
  const bytes = readBytes(fd, from, Math.min(size, end + lookAround), call);
  const text = bytes.subarray(unitBoundary(bytes, start - from), unitBoundary(bytes, end - from));
  return isUtf8(text) ? text : Buffer.from(text.toString('utf8'), 'utf8');
}

/** The bytes from `start` up to `end`; fewer when the file has shrunk since its size was taken. */
function readBytes(fd: number, start: number, end: number, call: BuiltinCall): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    call.checkTime();
    const count = readSync(fd, bytes, filled, Math.min(chunkBytes, bytes.length - filled), start + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
