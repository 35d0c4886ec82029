import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { maxFileBytes } from '../wire/files.ts';
import type { BlobStore } from './blobs.ts';
import type { Disk, Evictable } from './disk.ts';
import { PartWriter, type Arrived } from './part-writer.ts';
import { diskError, refused, statusOf } from './problems.ts';

/** The part of one file that has arrived. */
interface Partial extends Arrived {
  usedAt: number;
  /** Ends the request that is writing it. */
  stop?: (() => void) | undefined;
  /** Settles when nobody writes it. */
  idle: Promise<void>;
}

/** How many bytes are read at once. */
const chunkBytes = 1024 * 1024;
/** Uploads that nobody has continued for this long are removed, in ms. */
const staleMs = 24 * 60 * 60_000;
/** How long a client may pause before it continues an upload, in ms. */
const pauseMs = 30_000;
/** How many unfinished uploads one token may have. */
const mostPartials = 64;

const unhashedPrefix = 'unhashed-';

/** The name of an upload whose hash is not known yet. */
export function unhashedName(id: string): string {
  return unhashedPrefix + id;
}

function isUnhashed(name: string): boolean {
  return name.startsWith(unhashedPrefix);
}

/**
 * Uploads that can be resumed. What has arrived stays when the connection breaks or the server ends, and the next
 * request continues there. A file becomes visible as a whole, after its hash was checked.
 */
export class Uploads implements Evictable {
  readonly #folder: string;
  readonly #store: BlobStore;
  readonly #partials = new Map<string, Partial>();
  /** Unfinished uploads of an earlier server, in bytes, until somebody continues them. */
  readonly #left = new Map<string, number>();

  private constructor(folder: string, store: BlobStore) {
    this.#folder = join(folder, 'partial');
    this.#store = store;
  }

  static async open(folder: string, store: BlobStore, disk: Disk): Promise<Uploads> {
    const uploads = new Uploads(folder, store);
    await disk.with(() => mkdir(uploads.#folder, { recursive: true, mode: 0o700 }));
    await uploads.#takeOverOld(staleMs);
    disk.add(uploads);
    return uploads;
  }

  /**
   * How much of a file is there: all of it (`done`), or its first `offset` bytes.
   *
   * @param name its hash, or the result of `unhashedName`
   */
  async status(name: string, total: number): Promise<{ done: boolean; offset: number }> {
    if (this.#store.has(name, total)) return { done: true, offset: total };
    const { offset } = await this.#partialOf(name, total);
    return { done: false, offset };
  }

  /**
   * Appends a part.
   *
   * @param name its hash, or the result of `unhashedName`
   * @param offset where the part begins; the bytes before it must have arrived
   * @param sha256 with the last part of an upload whose name is not its hash
   * @throws {SandboxError} `invalid_request` with a `status`: 409 for another offset, 413, 422 for a wrong hash, 507
   */
  async append(
    name: string,
    { total, offset, body, sha256 }: { total: number; offset: number; body: Readable; sha256?: string | undefined },
  ): Promise<{ done: boolean; offset: number }> {
    if (total > maxFileBytes) throw refused(413, `A file of ${total} bytes is over the limit of ${maxFileBytes}.`);
    if (this.#store.has(name, total)) return { done: true, offset: total };
    const stop = (): void => void body.destroy(new Error('Another request continues this upload.'));
    const taken = await this.#takeOver(name, total, stop);
    if (taken === undefined) return { done: true, offset: total };
    const { partial, release } = taken;
    try {
      if (offset !== partial.offset) {
        throw refused(409, `${partial.offset} bytes have arrived, so a part at ${offset} does not fit.`, {
          actual: partial.offset,
        });
      }
      await this.#makeRoom(partial);
      await this.#write(name, partial, body);
      const hash = isUnhashed(name) ? sha256 : name;
      if (partial.offset < total || hash === undefined) return { done: false, offset: partial.offset };
      await this.#finish(name, partial, hash);
      return { done: true, offset: total };
    } catch (error) {
      const shown = diskError(error);
      // An incomplete upload would only take room from others.
      if (statusOf(shown) === 507) await this.#forget(name);
      throw shown;
    } finally {
      partial.stop = undefined;
      partial.usedAt = performance.now();
      release();
    }
  }

  /**
   * The upload, with nobody else writing it. A client that comes again has given up its earlier connection, even if
   * that was not noticed here. `undefined` when the earlier request finished the upload.
   *
   * @param stop ends the request that takes it
   */
  async #takeOver(
    name: string,
    total: number,
    stop: () => void,
  ): Promise<{ partial: Partial; release: () => void } | undefined> {
    for (;;) {
      const partial = await this.#partialOf(name, total);
      if (partial.stop === undefined) {
        if (this.#store.has(name, total)) return undefined;
        // This happens at once, because several may have waited for the same upload, and only one of them may write.
        let release = (): void => {};
        partial.idle = new Promise((resolve) => (release = resolve));
        partial.stop = stop;
        return { partial, release };
      }
      partial.stop();
      await partial.idle;
    }
  }

  async #write(name: string, partial: Partial, body: Readable): Promise<void> {
    const file = await open(join(this.#folder, name), partial.offset === 0 ? 'w' : 'r+', 0o600);
    const writer = new PartWriter(file, partial);
    try {
      await writer.write(body);
    } catch (error) {
      // The hash already holds bytes that the disk refused.
      await writer.written.catch(() => this.#partials.delete(name));
      throw error;
    } finally {
      await file.close();
    }
  }

  async #finish(name: string, partial: Partial, hash: string): Promise<void> {
    const path = join(this.#folder, name);
    this.#partials.delete(name);
    if (partial.hash.digest('hex') !== hash) {
      await rm(path, { force: true });
      throw refused(
        422,
        'The content does not match its hash, because it changed while it was sent. Nothing was kept.',
      );
    }
    await this.#store.take(path, hash, partial.total);
  }

  /**
   * Makes room for an upload. Incomplete uploads take room too, and the oldest of them is removed first. Without that,
   * many uploads that are never finished would fill the disk.
   *
   * @throws {SandboxError} `invalid_request` (413, 507)
   */
  async #makeRoom(partial: Partial): Promise<void> {
    const taken = (): number =>
      [...this.#partials.values()].reduce((sum, one) => sum + (one === partial ? one.total : one.offset), 0);
    while (taken() > this.#store.maxBytes && (await this.#forgetOldest()));
    await this.#store.makeRoom(taken(), partial.total - partial.offset);
  }

  async #partialOf(name: string, total: number): Promise<Partial> {
    const known = this.#partials.get(name);
    if (known !== undefined) {
      if (known.total !== total) throw refused(409, `This upload began with ${known.total} bytes, not ${total}.`);
      return known;
    }
    if (this.#partials.size >= mostPartials && !(await this.#forgetOldest())) {
      throw refused(429, `${mostPartials} uploads are under way. Wait for some to finish.`);
    }
    const read = await this.#readPartial(name, total);
    // Two requests may have come here at the same time, and the first one counts.
    const partial = this.#partials.get(name) ?? read;
    this.#partials.set(name, partial);
    return partial;
  }

  /** Reads an upload that an earlier server began, and hashes what it had written. */
  async #readPartial(name: string, total: number): Promise<Partial> {
    const path = join(this.#folder, name);
    this.#left.delete(name);
    const digest = createHash('sha256');
    let offset = 0;
    const size = await stat(path).then(
      (stats) => stats.size,
      () => 0,
    );
    // All bytes may be here without a hash, which comes last.
    if (size > 0 && (size < total || (size === total && isUnhashed(name)))) {
      for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
        digest.update(chunk);
        offset += chunk.length;
      }
    } else if (size > 0) await truncate(path, 0);
    return { hash: digest, offset, total, usedAt: performance.now(), idle: Promise.resolve() };
  }

  /** Removes the oldest upload, and returns whether there was one that nobody is writing. */
  async #forgetOldest(before = Infinity): Promise<boolean> {
    const idle = [...this.#partials].filter(([, { stop, usedAt }]) => stop === undefined && usedAt <= before);
    const [oldest] = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest === undefined) return false;
    await this.#forget(oldest[0]);
    return true;
  }

  async #forget(name: string): Promise<void> {
    this.#partials.delete(name);
    this.#left.delete(name);
    await rm(join(this.#folder, name), { force: true });
  }

  /** How many bytes the incomplete uploads take. */
  get bytes(): number {
    const arrived = [...this.#partials.values()].map(({ offset }) => offset);
    return [...this.#left.values(), ...arrived].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Gives room to the disk. Of two uploads that are being continued, neither removes the other. */
  async forgetOldest(): Promise<boolean> {
    const [left] = this.#left.keys();
    if (left !== undefined) {
      await this.#forget(left);
      return true;
    }
    return await this.#forgetOldest(performance.now() - pauseMs);
  }

  /** Takes over the uploads of an earlier server, without those that nobody has continued for `ms`. */
  async #takeOverOld(ms: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const { mtimeMs, size } = await stat(join(this.#folder, name));
      this.#left.set(name, size);
      if (Date.now() - mtimeMs >= ms) await this.#forget(name);
    }
  }
}
