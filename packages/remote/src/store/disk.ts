import { statfs } from 'node:fs/promises';
import { diskFull, isFull } from './problems.ts';

const MiB = 1024 * 1024;

/** How much is left free for writes other than uploads: a hundredth of the disk, and at most this much. */
const mostReserve = 64 * MiB;
/** A disk also has a limited number of inodes. */
const fewestNames = 64;

/** Something on the disk of the store that may give way. */
export interface Evictable {
  /** How many bytes it takes. */
  readonly bytes: number;
  /** Removes the oldest entry that nobody uses. Returns whether there was one. */
  forgetOldest(): Promise<boolean>;
}

/**
 * The disk with the stores of all tokens. It may be smaller than what they may take together, and other programs may
 * fill it. Whatever is in a store can be sent again.
 */
export class Disk {
  readonly #folder: string;
  readonly #evictables = new Set<Evictable>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(evictable: Evictable): void {
    this.#evictables.add(evictable);
  }

  /**
   * Removes what was used longest ago until `bytes` more fit. The largest store gives way first, so a token that fills
   * the disk does not harm the others.
   *
   * @throws {SandboxError} `invalid_request` (507) when that is not enough
   */
  async makeRoom(bytes: number): Promise<void> {
    let missing = await this.#missing(bytes);
    // Something that can never fit must not remove what belongs to others.
    const most = [...this.#evictables].reduce((sum, one) => sum + one.bytes, 0);
    if (missing > most) throw diskFull();
    const done = new Set<Evictable>();
    while (missing > 0) {
      const left = [...this.#evictables].filter((one) => !done.has(one)).sort((a, b) => b.bytes - a.bytes);
      const [largest] = left;
      if (largest === undefined) throw diskFull();
      if (!(await largest.forgetOldest())) done.add(largest);
      missing = await this.#missing(bytes);
    }
  }

  /** Does work that needs a little of the disk. @throws {SandboxError} like `makeRoom`; the error of `work` */
  async with<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFull(error)) throw error;
      await this.makeRoom(MiB);
      return await work();
    }
  }

  /** How much must be removed before `bytes` more fit. */
  async #missing(bytes: number): Promise<number> {
    const stats = await statfs(this.#folder).catch(() => undefined);
    // This system does not report it.
    if (stats === undefined) return 0;
    const { bavail, blocks, bsize, ffree, files } = stats;
    const reserve = Math.min(mostReserve, (blocks * bsize) / 100);
    // Some disks make inodes as they are needed, and report 0.
    const names = files > 0 && ffree < fewestNames ? 1 : 0;
    return Math.max(names, bytes + reserve - bavail * bsize);
  }
}
