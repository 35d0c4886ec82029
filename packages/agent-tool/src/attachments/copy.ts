import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { chmod, copyFile, open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { readChunks, streamChunks } from './chunks.ts';
import { AttachmentError, notAFile, orAborted, readingError, throwIfAborted, writingError } from './errors.ts';
import { discard } from './folder.ts';
import { probedBytes } from './media-type.ts';

/** A file's path, or its bytes as they arrive: a `Readable`, a web stream, a generator. */
export type StoreSource = string | AsyncIterable<Uint8Array>;

export interface Copied {
  /** The hash of the written bytes, in hex. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** The first `probedBytes` of it. */
  head: Uint8Array;
}

export interface CopyOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((bytes: number) => void) | undefined;
}

/** The size in bytes from which cloning a file saves more than a failed attempt costs. */
const cloneFromBytes = 1024 * 1024;

/** How long to wait before each attempt at a file that is being rewritten, in ms. */
const pausesMs = [0, 50, 250];

/** The longest step of file times, in ms. The kernel's tick is 10 ms or shorter. */
const timeStepMs = 20;

// Read-only, because the file is named after its hash, which a later write would make wrong.
const fileMode = 0o400;

/**
 * Copies a source into the new file `target`, synced, read-only.
 *
 * @throws {AttachmentError} see `AttachmentErrorCode`
 * @throws {SandboxError} `cancelled`; `invalid_request` for a stream of anything but bytes
 */
export async function copy(source: StoreSource, target: string, options: CopyOptions): Promise<Copied> {
  if (typeof source !== 'string') return await writeAll(streamChunks(source, options.signal), target, options);
  for (const pauseMs of pausesMs) {
    await orAborted(delay(pauseMs), options.signal);
    const copied = await copyUnchanged(source, target, options);
    if (copied !== undefined) return copied;
    await discard(target);
  }
  throw new AttachmentError(
    'changed_while_storing',
    `${source} was rewritten while it was stored, ${pausesMs.length} times: store it when it is complete.`,
    { details: { path: source } },
  );
}

/** A file that was opened to be stored, and its state at that time. */
interface Source {
  file: FileHandle;
  path: string;
  /** In ms since 1970. */
  openedAt: number;
  stats: BigIntStats;
}

/** Returns `undefined` when the file was rewritten meanwhile. */
async function copyUnchanged(path: string, target: string, options: CopyOptions): Promise<Copied | undefined> {
  const file = await openFile(path);
  try {
    const source: Source = { file, path, openedAt: Date.now(), stats: await file.stat({ bigint: true }) };
    const size = Number(source.stats.size);
    const cloned = size >= cloneFromBytes && (await cloneFile(path, target, options));
    const copied = cloned || (await writeAll(readChunks(file, path, size), target, options));
    return (await stillHolds(source, copied, options.signal)) ? copied : undefined;
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Checked before opening, because opening a FIFO waits for its other end, and opening a device can have effects.
    const stats = await stat(path);
    if (!stats.isFile()) throw notAFile(path, stats.isDirectory() ? 'a folder' : 'a device, pipe or socket');
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw readingError(error, path);
  }
}

/**
 * Whether the file still begins with the bytes that were copied, like a log that only grew. If the times of the file
 * show a change, the file is read again and its content decides. That happens only for files in use.
 */
async function stillHolds(
  { file, path, openedAt, stats: before }: Source,
  { size, sha256 }: Copied,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const after = await file.stat({ bigint: true });
  // File times have coarse steps, so two changes within one step cannot be told apart.
  const isSettled = openedAt - Number(before.mtimeMs) > timeStepMs;
  if (BigInt(size) === before.size && isSame(before, after) && isSettled) return true;
  if (size < before.size || after.size < size) return false;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readChunks(file, path, size)) {
    throwIfAborted(signal);
    hash.update(chunk);
    bytes += chunk.length;
  }
  return bytes === size && hash.digest('hex') === sha256;
}

function isSame(before: BigIntStats, after: BigIntStats): boolean {
  return before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs;
}

/**
 * Clones the file if the file system can share blocks between files: it reads the file once and writes nothing. Returns
 * `undefined` if it cannot.
 */
async function cloneFile(path: string, target: string, options: CopyOptions): Promise<Copied | undefined> {
  try {
    await copyFile(path, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
  } catch {
    await discard(target);
    return undefined;
  }
  try {
    // A clone has the mode of its source, which may forbid to write or even to read.
    await chmod(target, 0o600);
    const clone = await open(target, 'r+');
    try {
      const sum = new Sum(options);
      const { size } = await clone.stat();
      for await (const chunk of readChunks(clone, target, size)) sum.add(chunk);
      await clone.chmod(fileMode);
      await clone.sync();
      return sum.result();
    } finally {
      await clone.close();
    }
  } catch (error) {
    throw writingError(error, target);
  }
}

async function writeAll(chunks: AsyncIterable<Uint8Array>, target: string, options: CopyOptions): Promise<Copied> {
  try {
    const file = await open(target, 'wx', 0o600);
    try {
      const sum = new Sum(options);
      for await (const chunk of chunks) {
        // The chunk is hashed while another thread writes it.
        const written = file.writeFile(chunk);
        try {
          sum.add(chunk);
        } finally {
          await written;
        }
      }
      await file.chmod(fileMode);
      await file.sync();
      return sum.result();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw writingError(error, target);
  }
}

/** Collects size, hash and first bytes of a copy. */
class Sum {
  readonly #hash = createHash('sha256');
  readonly #head: Uint8Array[] = [];
  readonly #options: CopyOptions;
  #size = 0;

  constructor(options: CopyOptions) {
    this.#options = options;
  }

  add(chunk: Uint8Array): void {
    throwIfAborted(this.#options.signal);
    this.#hash.update(chunk);
    if (this.#size < probedBytes) this.#head.push(Uint8Array.from(chunk.subarray(0, probedBytes - this.#size)));
    this.#size += chunk.length;
    try {
      this.#options.onProgress?.(this.#size);
    } catch {
      // A listener that throws must not end the copy.
    }
  }

  result(): Copied {
    return { sha256: this.#hash.digest('hex'), size: this.#size, head: Buffer.concat(this.#head) };
  }
}
