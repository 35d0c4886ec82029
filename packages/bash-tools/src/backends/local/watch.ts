import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { BashLimits } from '../../limits.ts';
import type { Allowance, Disk } from './disk.ts';
import type { Jail } from './jail.ts';
import { machineMemory, pipeAndSocketBytes, sharedBytes } from './kernel-memory.ts';
import { continueAll, stopAll, unnamedBytes, usageOf, type Usage } from './usage.ts';

/**
 * How long it waits before the first check of the processes and between two checks, in ms. Most commands end before the
 * first.
 */
const everyMs = 100;
/** The time between two checks of the disk, in ms. A check is one call, and a program writes a gigabyte in a second. */
const diskEveryMs = 20;

interface WatchOptions {
  /** Absent when commands start no processes. */
  jail: Jail | undefined;
  disk: Disk;
  limits: BashLimits;
  /** How much the workspace may take. */
  allowance: Allowance;
  /** Called once, with the limit in words. */
  onExceeded: (why: string) => void;
}

/** Enforces the limits that the kernel does not enforce, while a command runs. */
export class Watch implements Disposable {
  readonly #options: WatchOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #before = machineMemory();
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#again(everyMs, async () => await this.#overInProcesses());
    this.#again(diskEveryMs, async () => await this.#overOnDisk());
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #again(ms: number, look: () => Promise<string | undefined>): void {
    if (this.#isOver) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#look(look).finally(() => this.#again(ms, look));
    }, ms);
    this.#timers.add(timer);
  }

  async #look(look: () => Promise<string | undefined>): Promise<void> {
    try {
      const why = await look();
      if (why === undefined || this.#isOver) return;
      this[Symbol.dispose]();
      this.#options.onExceeded(why);
    } catch {
      // If a check fails now, the next one tries again.
    }
  }

  async #overInProcesses(): Promise<string | undefined> {
    const { jail, limits } = this.#options;
    if (jail?.isOutOfMemory === true) return tooMuchMemory(limits);
    await jail?.locate();
    const usage = jail?.init === undefined ? undefined : usageOf(jail.init, limits.processes);
    if (usage === undefined) return undefined;
    if (usage.processes > limits.processes) return `it had more than ${limits.processes} processes (processes)`;
    return usage.bytes + this.#hiddenBytes(jail?.init, usage) <= limits.memoryBytes ? undefined : tooMuchMemory(limits);
  }

  /**
   * Memory that no process is charged with. It is measured only when the machine lost as much, because there are no
   * exact figures, and many programs use sockets. A control group of version 1 gives each TCP socket some room beyond
   * its limit.
   */
  #hiddenBytes(init: number | undefined, usage: Usage): number {
    const now = machineMemory();
    if (init === undefined || this.#before.available - now.available <= this.#options.limits.memoryBytes) return 0;
    const shared = Math.min(sharedBytes(init), now.shared - this.#before.shared);
    return pipeAndSocketBytes(init) + Math.max(0, shared - usage.sharedBytes);
  }

  async #overOnDisk(): Promise<string | undefined> {
    const { jail, disk, limits, allowance } = this.#options;
    const isLikely = await disk.mayExceed(allowance);
    if (!isLikely && !disk.isDue) return undefined;
    await jail?.locate();
    const init = jail?.init;
    // Counting takes time, in which the processes would go on.
    if (isLikely && init !== undefined) stopAll(init);
    const { most, isFull } = allowance;
    const { bytes, files } = await disk.count(most);
    const used = bytes + (init === undefined ? 0 : unnamedBytes(init));
    if (files <= most.files && used <= most.bytes) {
      if (isLikely && init !== undefined) continueAll(init);
      return undefined;
    }
    if (isFull) return 'it added to a workspace that has all that it may have';
    if (files > most.files) return `the workspace had more than ${limits.workspaceFiles} files (workspaceFiles)`;
    return `the workspace took more than ${formatBytes(limits.workspaceBytes)} of the disk (workspaceBytes)`;
  }
}

export function tooMuchMemory({ memoryBytes }: BashLimits): string {
  return `it took more than ${formatBytes(memoryBytes)} of memory (memoryBytes)`;
}
