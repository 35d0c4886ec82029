import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { SandboxError, throwIfAborted, type CancelSignal } from '@mustard-sandbox/protocol';

/** How many bytes are read at once. */
const chunkBytes = 1024 * 1024;
/** One buffer is read into, one is hashed, and one is on its way to the socket. */
const buffersOfStream = 3;

/** An open file, and what it must hold. */
export interface OpenFile {
  handle: FileHandle;
  size: number;
}

/**
 * The hash of a file's first `size` bytes.
 *
 * @throws {SandboxError} `invalid_request` when the file has become shorter
 */
export async function hashOf({ handle, size }: OpenFile, signal?: CancelSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(handle, 0, size)) {
    throwIfAborted(signal);
    hash.update(chunk);
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

/** Content that can be sent from any position. */
export interface Source {
  /** Where it is sent: the address has its hash, or a name until the hash is known. */
  address: string;
  size: number;
  /** The bytes from `start` to before `end`. A chunk is valid until the next but one is requested. */
  read: (start: number, end: number) => AsyncIterable<Buffer>;
  /** The hash, for a source whose address does not have it. */
  hash?: HashOnTheWay;
}

/** Content that is named by its hash. */
export function byHash(sha256: string, content: Pick<Source, 'size' | 'read'>): Source {
  return { ...content, address: `/v1/blobs/${sha256}` };
}

/** A file as the content of a source. */
export function readable({ handle, size }: OpenFile): Pick<Source, 'size' | 'read'> {
  return { size, read: (start, end) => chunksOf(handle, start, end) };
}

/**
 * A file that is hashed while it is sent, so that it is read only once.
 *
 * @param name 64 hex digits. It is the same for the same file, so a restarted client continues the upload
 */
export function unhashed(name: string, file: OpenFile): Source & { hash: HashOnTheWay } {
  const hash = new HashOnTheWay(file);
  const read = (start: number, end: number): AsyncIterable<Buffer> => hash.chunks(start, end);
  return { address: `/v1/uploads/${name}`, size: file.size, read, hash };
}

/** The hash of a file whose parts are read in any order, some of them twice. */
class HashOnTheWay {
  readonly #file: OpenFile;
  readonly #hash = createHash('sha256');
  #hashed = 0;
  #sha256: string | undefined;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  /** The hash, if all of the file was read. */
  get known(): string | undefined {
    if (this.#sha256 === undefined && this.#hashed === this.#file.size) this.#sha256 = this.#hash.digest('hex');
    return this.#sha256;
  }

  /** The hash. Parts that were not read yet are read now. */
  async digest(): Promise<string> {
    await this.#hashUpTo(this.#file.size);
    return this.known as string;
  }

  /** The bytes from `start` to before `end`. */
  async *chunks(start: number, end: number): AsyncGenerator<Buffer> {
    // An earlier client has sent these bytes.
    await this.#hashUpTo(start);
    let at = start;
    for await (const chunk of chunksOf(this.#file.handle, start, end)) {
      this.#update(chunk, at);
      at += chunk.length;
      yield chunk;
    }
  }

  async #hashUpTo(end: number): Promise<void> {
    if (this.#hashed >= end) return;
    let at = this.#hashed;
    for await (const chunk of chunksOf(this.#file.handle, at, end)) {
      this.#update(chunk, at);
      at += chunk.length;
    }
  }

  /** A part that is sent again was hashed before. */
  #update(chunk: Buffer, at: number): void {
    const fresh = chunk.subarray(Math.min(chunk.length, this.#hashed - at));
    if (fresh.length === 0) return;
    this.#hash.update(fresh);
    this.#hashed += fresh.length;
  }
}

/**
 * The next chunk is read while the last one is hashed and sent. The buffers are reused: new ones for each megabyte made
 * the collector search the whole heap 40 times for 1 GB, at either end, which was a third of the time of an upload.
 */
async function* chunksOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  const buffers = Array.from({ length: buffersOfStream }, () =>
    Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - start)),
  );
  const readNext = (turn: number, at: number): Promise<Buffer> =>
    readAt(handle, buffers[turn % buffersOfStream] as Buffer, at, end);
  let next = readNext(0, start);
  for (let at = start, turn = 1; at < end; turn++) {
    const chunk = await next;
    if (chunk.length === 0) throw changed();
    at += chunk.length;
    next = readNext(turn, at);
    yield chunk;
  }
}

/** A failure does not count as unhandled, because nobody may want what was read ahead. */
function readAt(handle: FileHandle, buffer: Buffer, at: number, end: number): Promise<Buffer> {
  const length = Math.min(buffer.length, end - at);
  if (length === 0) return Promise.resolve(buffer.subarray(0, 0));
  const read = handle.read(buffer, 0, length, at).then(({ bytesRead }) => buffer.subarray(0, bytesRead));
  read.catch(() => {});
  return read;
}

/** The error for a file that has changed. */
export function changed(): SandboxError {
  return new SandboxError(
    'invalid_request',
    'A file changed while it was read. Nothing was run. Try again when nobody writes to it.',
  );
}
