import { Worker } from 'node:worker_threads';
import type { Watchdog } from './run-clock.ts';
import { sharedBytes, SharedState, type WatchdogData } from './watchdog-state.ts';

export interface WatchdogOptions {
  /** Kill this process when that process is no longer its parent. */
  hostPid?: number | undefined;
  /** Kill this process when its resident memory exceeds this many bytes. */
  maxResidentBytes?: number | undefined;
  /** How long a run may take to end by itself after its time is up, in ms. */
  graceMs: number;
}

/**
 * The thread that can still act while the main thread is inside the engine. It cancels a run at its deadline, and kills
 * the process when the host is gone or memory exceeds the cap.
 */
export class ProcessWatchdog implements Watchdog {
  readonly #state = new SharedState(new SharedArrayBuffer(sharedBytes));
  readonly #bindingPath: string | undefined;

  constructor(bindingPath: string | undefined) {
    this.#bindingPath = bindingPath;
  }

  /**
   * Starts the thread. `initialize` waits some 2 ms until the thread exists, but not until it works. So a machine
   * without a free thread fails the start, and not the first script.
   *
   * @param onFailure called when the thread cannot be started, or has ended
   */
  start(options: WatchdogOptions, onFailure: (error: unknown) => void): void {
    this.#state.expectThread();
    const workerData: WatchdogData = { ...options, shared: this.#state.buffer, bindingPath: this.#bindingPath };
    try {
      const worker = new Worker(new URL('./watchdog-thread.cjs', import.meta.url), { workerData });
      worker.on('error', onFailure).unref();
    } catch (error) {
      onFailure(error);
    }
  }

  arm(token: string | undefined, ms: number, cpuMs: number): void {
    this.#state.arm(token ?? '', ms, cpuMs);
  }

  disarm(): void {
    this.#state.disarm();
  }

  now(): number {
    return this.#state.now();
  }
}
