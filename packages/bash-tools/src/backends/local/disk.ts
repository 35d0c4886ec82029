import { opendir, lstat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { BashLimits } from '../../limits.ts';
import type { Folders } from './toolchain.ts';

/** An amount of disk space. */
export interface Space {
  bytes: number;
  /** Files, folders and links. Each takes an inode. */
  files: number;
}

/** How much a workspace may take at the end of a command. */
export interface Allowance {
  /** How much it took when the command began. */
  before: Space;
  /** How much it may take. For a full workspace this equals `before`, so it can only get smaller. */
  most: Space;
  isFull: boolean;
}

type DiskLimits = Pick<BashLimits, 'workspaceBytes' | 'workspaceFiles'>;

/** The least that an entry of a folder counts, in bytes, because empty files must not be free. */
const entryBytes = 1024;
/**
 * How much the free space of the disk may change before a workspace is counted again. Other programs use the disk too.
 */
const unnoticed = { bytes: 4 * 1024 * 1024, files: 1000 };
/**
 * A workspace is counted again after this time, or after this many times the duration of counting, if that is longer.
 * Others may have deleted as much as a command wrote, and some file systems, such as btrfs, do not report how many
 * files they can have.
 */
const due = { ms: 1_000, times: 40 };
/** How many files of a folder are checked at the same time. */
const batch = 32;

/**
 * How much of the disk a workspace takes. Counting a tree of 50,000 files takes some 100 ms. The free space of the disk
 * is one call, and shows when counting is due.
 */
export class Disk {
  readonly #folders: readonly string[];
  readonly #limits: DiskLimits;
  /** Counts files that are unreadable for their owner too. Absent when there are none. */
  readonly #countAll: (() => Promise<Space>) | undefined;
  /** The part that does not belong to the commands: in a folder of the user, everything that was there at first. */
  #base: Space | undefined;
  /** The last count. Absent before the first count, and after one that did not finish. */
  #last: { taken: Space; freeThen: Space; at: number; tookMs: number } | undefined;
  #counting: Promise<Space> | undefined;

  constructor({ files, home, tmp, isUsers }: Folders, limits: DiskLimits, countAll?: () => Promise<Space>) {
    this.#folders = [files, home, tmp];
    this.#limits = limits;
    this.#countAll = countAll;
    if (isUsers !== true) this.#base = { bytes: 0, files: 0 };
  }

  /** How much the workspace may take at the end of a command that begins now. */
  async allowance(): Promise<Allowance> {
    const before = await this.taken();
    const limit = this.#limit;
    const isFull = this.#isFull(before);
    if (isFull) return { before, most: before, isFull };
    const free = await this.#free();
    // Never all of the disk, because others use it too.
    const most = (of: keyof Space): number => Math.min(limit[of], before[of] + Math.floor(free[of] / 2));
    return { before, most: { bytes: most('bytes'), files: most('files') }, isFull };
  }

  /** How many bytes were left at the last count. */
  get room(): number {
    if (this.#last === undefined) return 0;
    const { bytes, files } = this.#last.taken;
    return files >= this.#limit.files ? 0 : Math.max(0, this.#limit.bytes - bytes);
  }

  /** The message for a workspace that has all that it may have. */
  describeFull({ bytes, files }: Space): string {
    const { workspaceBytes, workspaceFiles } = this.#limits;
    return (
      `The workspace takes ${formatBytes(bytes)} in ${files} files, and may take ${formatBytes(workspaceBytes)} ` +
      `(workspaceBytes) in ${workspaceFiles} files (workspaceFiles). Until enough is deleted, nothing can be written.`
    );
  }

  /** How much it takes. It is counted again only when the disk has changed. */
  async taken(): Promise<Space> {
    if (this.#counting !== undefined) await this.#counting;
    // One file less may be enough for a full workspace, so it is always counted again.
    if (this.#last === undefined || this.#isFull(this.#last.taken) || (await this.#hasChanged(this.#last.freeThen))) {
      return await this.count();
    }
    return this.#last.taken;
  }

  /** Whether the disk has filled by more than what is left of the allowance. */
  async mayExceed({ most }: Allowance): Promise<boolean> {
    if (this.#last === undefined) return true;
    const { taken, freeThen } = this.#last;
    const free = await this.#free();
    return (['bytes', 'files'] as const).some((of) => freeThen[of] - free[of] > most[of] - taken[of]);
  }

  /** Whether the last count is so old that more than the free space may have changed. */
  get isDue(): boolean {
    if (this.#last === undefined) return true;
    const { at, tookMs } = this.#last;
    return performance.now() - at > Math.max(due.ms, due.times * tookMs);
  }

  /** Counts how much it takes. Above `enough` it need not count to the end. */
  async count(enough?: Space): Promise<Space> {
    const counting = this.#count(enough);
    this.#counting = counting;
    try {
      return await counting;
    } finally {
      if (this.#counting === counting) this.#counting = undefined;
    }
  }

  #isFull({ bytes, files }: Space): boolean {
    return bytes >= this.#limit.bytes || files >= this.#limit.files;
  }

  get #limit(): Space {
    const { bytes, files } = this.#base ?? { bytes: 0, files: 0 };
    return { bytes: bytes + this.#limits.workspaceBytes, files: files + this.#limits.workspaceFiles };
  }

  async #count(enough: Space | undefined): Promise<Space> {
    const freeThen = await this.#free();
    const startedAt = performance.now();
    const counter = new Counter(enough);
    for (const folder of this.#folders) await counter.add(folder);
    const { sum, isPartial, isEnough } = counter;
    if (isEnough) {
      // There is more, and the next command needs the exact number.
      this.#last = undefined;
      return sum;
    }
    const taken = (isPartial ? await this.#countAll?.().catch(() => sum) : undefined) ?? sum;
    const at = performance.now();
    this.#last = { taken, freeThen, at, tookMs: at - startedAt };
    this.#base ??= taken;
    return taken;
  }

  async #hasChanged(freeThen: Space): Promise<boolean> {
    const free = await this.#free();
    if (!Number.isFinite(free.files)) return this.isDue;
    return (['bytes', 'files'] as const).some((of) => Math.abs(freeThen[of] - free[of]) > unnoticed[of]);
  }

  async #free(): Promise<Space> {
    const { bavail, bsize, files, ffree } = await statfs(this.#folders[0] ?? '/');
    return { bytes: bavail * bsize, files: files === 0 ? Infinity : ffree };
  }
}

/** Adds up folders without following links. A file that disappears meanwhile counts as nothing. */
class Counter {
  readonly sum: Space = { bytes: 0, files: 0 };
  readonly #enough: Space | undefined;
  /** Whether a folder could not be read. */
  isPartial = false;

  constructor(enough: Space | undefined) {
    this.#enough = enough;
  }

  get isEnough(): boolean {
    if (this.#enough === undefined) return false;
    return this.sum.bytes > this.#enough.bytes || this.sum.files > this.#enough.files;
  }

  async add(folder: string): Promise<void> {
    const folders: string[] = [];
    try {
      let paths: string[] = [];
      for await (const entry of await opendir(folder, { bufferSize: 256 })) {
        if (entry.isDirectory()) folders.push(join(folder, entry.name));
        if (paths.push(join(folder, entry.name)) < batch) continue;
        await this.#addEach(paths);
        paths = [];
        if (this.isEnough) return;
      }
      await this.#addEach(paths);
    } catch (error) {
      // It disappeared meanwhile, or its owner made it unreadable.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.isPartial = true;
    }
    for (const path of folders) if (!this.isEnough) await this.add(path);
  }

  async #addEach(paths: readonly string[]): Promise<void> {
    const all = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
    for (const stats of all) this.sum.bytes += Math.max(entryBytes, (stats?.blocks ?? 0) * 512);
    this.sum.files += paths.length;
  }
}
