import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError, throwIfAborted, type CancelSignal } from '@mustard-sandbox/client/peer';
import { NetworkError, type Http } from './http.ts';

const MiB = 1024 * 1024;
/** Read at once. */
const chunkBytes = MiB;
/** What one request sends. Proxies bound a request, and after a cut only the server's last bytes have to go again. */
const partBytes = 64 * MiB;
/** Sent without a look at what the server has of it. */
const smallBytes = MiB;
const firstWaitMs = 100;

/** A file that is open, and what it must hold. */
export interface OpenFile {
  handle: FileHandle;
  size: number;
}

/**
 * The hash of a file's first `size` bytes.
 *
 * @throws {SandboxError} `invalid_request` when it has become shorter
 */
export async function hashOf({ handle, size }: OpenFile, signal?: CancelSignal): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, size)));
  for (let at = 0; at < size;) {
    throwIfAborted(signal);
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) throw changed();
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

/** The whole content of a small file. */
export async function contentOf({ handle, size }: OpenFile): Promise<Buffer> {
  const content = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(content, at, size - at, at);
    if (bytesRead === 0) throw changed();
    at += bytesRead;
  }
  return content;
}

/** Content that can be sent from any place in it. */
export interface Source {
  sha256: string;
  size: number;
  /** The bytes from `start` up to and without `end`. */
  read: (start: number, end: number) => Readable;
}

/** A file as a source. */
export function readable({ handle, size, sha256 }: OpenFile & { sha256: string }): Source {
  // Not a ReadStream: that closes the file when it is destroyed, and the next part needs it.
  const read = (start: number, end: number): Readable =>
    Readable.from(chunksOf(handle, start, end), { objectMode: false, highWaterMark: chunkBytes });
  return { size, sha256, read };
}

async function* chunksOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw changed();
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

interface UploadOptions {
  signal?: CancelSignal | undefined;
  /** How long it is tried when nothing gets through. */
  patienceMs: number;
  onProgress: (sent: number) => void;
}

/**
 * Sends a file, from where the server has it. A connection that breaks is made again as long as bytes get through.
 *
 * @throws {SandboxError} what the server answered; `sidecar_unavailable` when nothing gets through; `cancelled`
 */
export async function uploadFile(
  http: Http,
  source: Source,
  { signal, patienceMs, onProgress }: UploadOptions,
): Promise<void> {
  const { size, sha256 } = source;
  const path = `/v1/blobs/${sha256}`;
  let furthest = -1;
  let furthestAt = performance.now();
  for (let tries = 0; ;) {
    throwIfAborted(signal);
    try {
      // A small file is not worth asking for.
      let { done, offset } =
        size <= smallBytes && tries === 0
          ? { done: false, offset: 0 }
          : readStatus(await http.ask('GET', path, { headers: { 'upload-length': size }, signal }));
      while (!done) {
        if (offset > furthest) {
          tries = 0;
          furthest = offset;
          furthestAt = performance.now();
        }
        onProgress(offset);
        ({ done, offset } = readStatus(await sendPart(http, path, source, offset, signal)));
      }
      onProgress(size);
      return;
    } catch (error) {
      // 409: what was sent last has arrived after all, or somebody else sends the same file. 429: too many at a time.
      const status = error instanceof SandboxError ? error.details['status'] : undefined;
      const again = error instanceof NetworkError || status === 409 || status === 429;
      if (!again) throw error;
      tries++;
      if (performance.now() - furthestAt > patienceMs) throw stuck(error as Error);
      await delay(firstWaitMs * 2 ** Math.min(tries, 5));
    }
  }
}

async function sendPart(
  http: Http,
  path: string,
  { read, size }: Source,
  offset: number,
  signal: CancelSignal | undefined,
): Promise<Record<string, unknown>> {
  const end = Math.min(size, offset + partBytes);
  const headers = { 'upload-length': size, 'upload-offset': offset, 'content-length': end - offset };
  if (end === offset) return await http.ask('PATCH', path, { headers, signal });
  const body = read(offset, end);
  try {
    return await http.ask('PATCH', path, { headers, body, signal });
  } finally {
    body.destroy();
  }
}

function readStatus(answer: Record<string, unknown>): { done: boolean; offset: number } {
  const { done, offset } = answer;
  if (typeof done === 'boolean' && Number.isSafeInteger(offset) && (offset as number) >= 0) {
    return { done, offset: offset as number };
  }
  throw new SandboxError('protocol_error', 'The server answered an upload with something else.');
}

/** The error for a file that is no longer what it was. */
export function changed(): SandboxError {
  return new SandboxError(
    'invalid_request',
    'A file changed while it was read. Nothing was run; try again when nobody writes to it.',
  );
}

function stuck(cause: Error): SandboxError {
  return new SandboxError('sidecar_unavailable', `A file cannot be sent: ${cause.message}`, { cause });
}
