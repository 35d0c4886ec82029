import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { BashLimits } from '../limits.ts';
import type { Disk } from './disk.ts';
import type { Jail } from './jail.ts';
import { unnamedBytes, usageOf } from './usage.ts';

/** Before the first look, and between two. Most commands end before the first. */
const everyMs = 100;
/** How much a workspace that is over its limit may still grow: a command that makes room needs some. */
const slackBytes = 16 * 1024 * 1024;

interface WatchOptions {
  /** Absent where commands start no processes. */
  jail: Jail | undefined;
  disk: Disk;
  limits: BashLimits;
  /** Called once, with the limit in words. */
  onExceeded: (why: string) => void;
}

/** Looks after what no limit of the kernel bounds, while a command runs. */
export class Watch implements Disposable {
  readonly #options: WatchOptions;
  #timer: NodeJS.Timeout | undefined;
  /** What the workspace took when the command began. */
  #usedBefore: Promise<number>;
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#usedBefore = options.disk.used();
    this.#usedBefore.catch(() => {});
    this.#again();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #again(): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#again()), everyMs);
  }

  async #look(): Promise<void> {
    const { jail, onExceeded } = this.#options;
    try {
      await jail?.locate();
      const why = this.#overInProcesses() ?? (await this.#overOnDisk());
      if (why === undefined || this.#isOver) return;
      this[Symbol.dispose]();
      onExceeded(why);
    } catch {
      // What cannot be looked at right now is looked at again.
    }
  }

  #overInProcesses(): string | undefined {
    const { jail, limits } = this.#options;
    const usage = jail?.init === undefined ? undefined : usageOf(jail.init, limits.processes);
    if (usage === undefined) return undefined;
    if (usage.processes > limits.processes) return `it had more than ${limits.processes} processes (processes)`;
    if (usage.bytes <= limits.memoryBytes) return undefined;
    return `it took more than ${formatBytes(limits.memoryBytes)} of memory (memoryBytes)`;
  }

  async #overOnDisk(): Promise<string | undefined> {
    const { jail, disk, limits } = this.#options;
    const before = await this.#usedBefore;
    const allowed = Math.max(limits.workspaceBytes, before + slackBytes);
    if (!(await disk.mayHaveGrownBy(allowed - before))) return undefined;
    const used = (await disk.count()) + (jail?.init === undefined ? 0 : unnamedBytes(jail.init));
    if (used <= allowed) return undefined;
    return `the workspace took more than ${formatBytes(limits.workspaceBytes)} of the disk (workspaceBytes)`;
  }
}
