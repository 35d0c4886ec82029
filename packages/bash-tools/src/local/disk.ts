import { lstat, opendir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folders } from './toolchain.ts';

/** What an entry of a folder takes at least: files without content must not be free. */
const entryBytes = 1024;
/** How much fuller the disk may get before the size of a workspace is counted anew; others use the disk, too. */
const unnoticedBytes = 4 * 1024 * 1024;

/**
 * How much of the disk a workspace takes. Counting a tree of 50,000 files takes half a second, so the free space of the
 * disk, which is one call, tells when that is due.
 */
export class Disk {
  readonly #folders: readonly string[];
  #bytes: number | undefined;
  #freeThen = 0;

  constructor({ files, home, tmp }: Folders) {
    this.#folders = [files, home, tmp];
  }

  /** In bytes; counted anew only where the disk has changed. */
  async used(): Promise<number> {
    if (this.#bytes === undefined || (await this.#change()) > unnoticedBytes) await this.count();
    return this.#bytes ?? 0;
  }

  /** Whether the disk got fuller by more than this since the last count. */
  async mayHaveGrownBy(bytes: number): Promise<boolean> {
    return this.#freeThen - (await freeBytes(this.#folders)) > bytes;
  }

  async count(): Promise<number> {
    this.#freeThen = await freeBytes(this.#folders);
    const sizes = await Promise.all(this.#folders.map((folder) => sizeOf(folder)));
    return (this.#bytes = sizes.reduce((sum, size) => sum + size, 0));
  }

  async #change(): Promise<number> {
    return Math.abs(this.#freeThen - (await freeBytes(this.#folders)));
  }
}

async function freeBytes([folder = '/']: readonly string[]): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Follows no links. What goes away meanwhile takes nothing. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) bytes += entryBytes + (await sizeOf(path));
      else bytes += Math.max(entryBytes, ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512);
    }
  } catch {
    // Not there any more, or made unreadable by its owner: then it counts from when it can be read.
  }
  return bytes;
}
