import { createHash } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, Evictable } from './disk.ts';
import { diskError, refused } from './problems.ts';

interface Entry {
  size: number;
  usedAt: number;
  pins: number;
}

const isHash = /^[0-9a-f]{64}$/;

/**
 * How many bytes a file or a folder counts in addition to its content. Otherwise empty ones could use up all inodes of
 * a disk.
 */
export const nameBytes = 4096;

/**
 * Files by their hash, each stored once and completely. When they take more than `maxBytes`, the least recently used
 * are removed, except those that a run has pinned. Folders made of such files (`trees`) count with their contents.
 */
export class BlobStore implements Evictable {
  readonly folder: string;
  readonly trees: string;
  readonly #maxBytes: number;
  readonly #disk: Disk;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  private constructor(folder: string, maxBytes: number, disk: Disk) {
    this.folder = join(folder, 'blobs');
    this.trees = join(folder, 'trees');
    this.#maxBytes = maxBytes;
    this.#disk = disk;
  }

  /** Takes over the files in `folder`. */
  static async open(folder: string, maxBytes: number, disk: Disk): Promise<BlobStore> {
    const store = new BlobStore(folder, maxBytes, disk);
    for (const folder of [store.folder, store.trees]) {
      await disk.with(() => mkdir(folder, { recursive: true, mode: 0o700 }));
    }
    for (const name of await readdir(store.folder)) {
      // A write that was killed left this file.
      if (!isHash.test(name)) await rm(join(store.folder, name), { force: true });
      else store.#add(name, await stat(join(store.folder, name)).then(({ size }) => size));
    }
    // A tree is built again from its blobs when a run asks for it.
    for (const name of await readdir(store.trees)) await rm(join(store.trees, name), { recursive: true, force: true });
    disk.add(store);
    return store;
  }

  /** How many bytes everything takes. */
  get bytes(): number {
    return this.#bytes;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Whether it is there with this size. */
  has(hash: string, size: number): boolean {
    return this.#entries.get(hash)?.size === size;
  }

  /** The path of an entry. The entry is certain to stay only while it is pinned. */
  pathOf(hash: string): string {
    return join(this.folder, hash);
  }

  /** Keeps an entry from being removed until the returned function is called. */
  pin(key: string): () => void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return () => {};
    entry.pins++;
    entry.usedAt = performance.now();
    return () => entry.pins--;
  }

  /** Sets the time of a file, so that scripts see the time of the client's file. */
  async setTime(hash: string, mtimeMs: number): Promise<void> {
    const path = this.pathOf(hash);
    if ((await stat(path)).mtimeMs === mtimeMs) return;
    // Node takes a negative number for the present time, but accepts a date before 1970.
    const time = mtimeMs < 0 ? new Date(mtimeMs) : mtimeMs / 1000;
    await utimes(path, time, time);
  }

  /**
   * Takes content that came with a request.
   *
   * @throws {SandboxError} `invalid_request` when it does not match its size and hash
   */
  async put(content: Buffer, size: number, sha256: string | undefined): Promise<string> {
    const hash = createHash('sha256').update(content).digest('hex');
    if (content.length !== size || (sha256 !== undefined && sha256 !== hash)) {
      throw refused(
        422,
        'The content of a file does not match its size and hash. It changed meanwhile, or was cut off.',
      );
    }
    if (this.#entries.has(hash)) return hash;
    await this.makeRoom(size);
    const partial = join(this.folder, `.partial-${randomBytes(8).toString('hex')}`);
    try {
      await writeFile(partial, content, { mode: 0o600, flag: 'wx' });
      await this.take(partial, hash, size);
      return hash;
    } catch (error) {
      await rm(partial, { force: true });
      throw diskError(error);
    }
  }

  /** Moves a file in. Its hash must have been checked. */
  async take(path: string, hash: string, size: number): Promise<void> {
    await rename(path, this.pathOf(hash));
    this.#add(hash, size);
  }

  /** Moves a folder in that was made of entries. */
  async takeTree(path: string, key: string, size: number): Promise<void> {
    await rename(path, join(this.trees, key.slice('tree:'.length)));
    this.#add(key, size);
  }

  /** Whether the folder of a manifest is there. */
  hasTree(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Makes a second name for an entry. That copies nothing, and the name stays when the entry is removed. */
  async linkTo(hash: string, path: string): Promise<void> {
    await link(this.pathOf(hash), path);
  }

  /**
   * Removes what was used longest ago until `bytes` more fit.
   *
   * @param onDisk how many of these bytes must still be written
   * @throws {SandboxError} `invalid_request` when that is not enough: 413 for the store of the token, 507 for the disk
   */
  async makeRoom(bytes: number, onDisk = bytes): Promise<void> {
    const fits = (): boolean => this.#maxBytes - this.#bytes >= bytes;
    while (!fits() && (await this.forgetOldest()));
    if (fits()) return await this.#disk.makeRoom(onDisk);
    throw refused(
      413,
      `The store of this token has ${this.#maxBytes} bytes (--store-bytes), and runs use too much of it.`,
    );
  }

  async forgetOldest(): Promise<boolean> {
    let oldest: [key: string, entry: Entry] | undefined;
    for (const one of this.#entries) {
      if (one[1].pins === 0 && one[1].usedAt < (oldest?.[1].usedAt ?? Infinity)) oldest = one;
    }
    if (oldest === undefined) return false;
    const [key, { size }] = oldest;
    this.#entries.delete(key);
    this.#bytes -= size + nameBytes;
    const path = key.startsWith('tree:') ? join(this.trees, key.slice('tree:'.length)) : this.pathOf(key);
    await rm(path, { recursive: true, force: true });
    return true;
  }

  #add(key: string, size: number): void {
    const before = this.#entries.get(key);
    this.#bytes += size + nameBytes - (before === undefined ? 0 : before.size + nameBytes);
    this.#entries.set(key, { size, usedAt: performance.now(), pins: before?.pins ?? 0 });
  }
}
