import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { limitTable, SandboxError } from '@mustard-sandbox/client';
import { UsageError } from './failure.ts';
import { openStdin } from './read-text.ts';

const { default: limit, name, unit } = limitTable.scriptBytes;

/**
 * The script in `file`, or on stdin for `-`. It reads no more than a script may have.
 *
 * @throws {UsageError} when there is no such file, or it is a folder, not readable, or not text
 * @throws {SandboxError} `limit_exceeded` when it is too large
 */
export async function readScript(file: string, signal: AbortSignal): Promise<string> {
  const what = file === '-' ? 'stdin' : `'${file}'`;
  let bytes: Buffer;
  try {
    bytes = await readStart(file === '-' ? openStdin('a script') : openFile(file), signal);
  } catch (error) {
    throw unreadable(what, error as NodeJS.ErrnoException);
  }
  const tooLarge = bytes.length > limit;
  const text = decode(tooLarge ? bytes.subarray(0, limit) : bytes, !tooLarge);
  if (text === undefined) {
    throw new UsageError(`${what} is not a script: it is not UTF-8 text.`, 'to read a file in a script, use --attach');
  }
  if (tooLarge) throw scriptTooLarge(what);
  return text;
}

async function readStart(stream: Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, stream)) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    // Leaving the loop destroys the stream.
    if (size > limit) break;
  }
  return Buffer.concat(chunks);
}

function openFile(file: string): Readable {
  if (process.platform === 'win32' || !statSync(file).isFIFO()) return createReadStream(file);
  // Opening a FIFO that nobody writes to blocks a thread, and then the process cannot exit.
  return new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
}

/** Returns `undefined` for bytes that are not text. If `complete` is false, the end may be a cut character. */
function decode(bytes: Buffer, complete: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !complete });
  } catch {
    return undefined;
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  EISDIR: 'is a folder, not a script',
  EACCES: 'cannot be read: its permissions do not allow it',
  EPERM: 'cannot be read: its permissions do not allow it',
};

function unreadable(what: string, { code, message }: NodeJS.ErrnoException): UsageError {
  return new UsageError(`The file ${what} ${reasons[code ?? ''] ?? `cannot be read: ${message}`}.`);
}

function scriptTooLarge(what: string): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `The script in ${what} is over the limit of ${formatBytes(limit)} (${name}).`,
    { details: { limit: name, value: limit, unit } },
  );
}
