import { statfs } from 'node:fs/promises';
import { diskFull, isFull } from './problems.ts';

const MiB = 1024 * 1024;

/** Left free, for what is written beside uploads: a hundredth of the disk, and no more than this. */
const mostReserve = 64 * MiB;
/** A disk has a number of names, too. */
const fewestNames = 64;

/** Something on the disk of the store that may give way. */
export interface Evictable {
  /** What it takes, in bytes. */
  readonly bytes: number;
  /** Removes the oldest entry that nobody is using. Returns whether there was one. */
  forgetOldest(): Promise<boolean>;
}

/**
 * The disk that the stores of all tokens are on. It may be smaller than what they may take together, and others may fill
 * it; what is in a store can always be sent again.
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
   * Removes what was used longest ago until `bytes` more fit. What takes most gives way first: one token that fills the
   * disk costs the others nothing.
   *
   * @throws {SandboxError} `invalid_request` (507) when that is not enough
   */
  async makeRoom(bytes: number): Promise<void> {
    let missing = await this.#missing(bytes);
    // What can never fit must not cost the others theirs.
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

  /** Does work that needs a little of the disk. @throws {SandboxError} as `makeRoom`; what `work` throws */
  async with<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFull(error)) throw error;
      await this.makeRoom(MiB);
      return await work();
    }
  }

  /** How much has to go before `bytes` more fit. */
  async #missing(bytes: number): Promise<number> {
    const stats = await statfs(this.#folder).catch(() => undefined);
    // A system that does not tell.
    if (stats === undefined) return 0;
    const { bavail, blocks, bsize, ffree, files } = stats;
    const reserve = Math.min(mostReserve, (blocks * bsize) / 100);
    // Some disks make names as they are needed, and tell 0.
    const names = files > 0 && ffree < fewestNames ? 1 : 0;
    return Math.max(names, bytes + reserve - bavail * bsize);
  }
}
