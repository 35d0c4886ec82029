import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { AttachmentError, orAborted, readingError } from './errors.ts';

// 256 KiB are hashed in less than a millisecond, so the host's event loop never waits long.
const chunkBytes = 256 * 1024;

/** The first `size` bytes, or fewer if the file is shorter. Each chunk is valid until the next one is requested. */
export async function* readChunks(file: FileHandle, path: string, size: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, size)));
  for (let position = 0; position < size;) {
    const wanted = Math.min(buffer.length, size - position);
    const bytesRead = await file.read(buffer, 0, wanted, position).then(
      (result) => result.bytesRead,
      (error: unknown) => {
        throw readingError(error, path);
      },
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Chunks of `chunkBytes` from a stream whose own chunks may have any size. An abort ends it without waiting for the
 * next chunk.
 */
export async function* streamChunks(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let used = 0;
  try {
    for (;;) {
      const { done, value } = await orAborted(nextOf(iterator), signal);
      if (done) break;
      if (!(value instanceof Uint8Array)) {
        throw invalidRequest(`store(): the stream gave a ${typeof value}, not bytes; it must have no encoding set`);
      }
      for (let start = 0; start < value.length;) {
        const piece = value.subarray(start, start + chunkBytes - used);
        buffer.set(piece, used);
        used += piece.length;
        start += piece.length;
        if (used < chunkBytes) continue;
        yield buffer;
        used = 0;
      }
    }
    yield buffer.subarray(0, used);
  } finally {
    // Closes a source that was not read to its end. This is not awaited, because a generator that hangs in `next` also
    // hangs in `return`.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

async function nextOf(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<unknown, unknown>> {
  try {
    return await iterator.next();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new AttachmentError('unreadable', `The stream to store broke off: ${message}`, { cause: error });
  }
}

/**
 * Listens to a source before it is read. From now on `streamChunks` throws an error of a `Readable`. Without a
 * listener, its `error` event would end the process.
 *
 * @returns closes the source, however much was read. The iterator cannot close a `Readable` that gives nothing
 */
export function takeOver(source: string | AsyncIterable<Uint8Array>): () => void {
  if (typeof source === 'string') return () => {};
  const stream = source as Partial<Readable>;
  stream.on?.('error', () => {});
  return () => void stream.destroy?.();
}
