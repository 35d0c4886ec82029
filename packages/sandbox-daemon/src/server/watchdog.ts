import { Worker } from 'node:worker_threads';
import type { Watchdog } from './run-clock.ts';
import { sharedBytes, SharedState, type WatchdogData } from './watchdog-state.ts';

export interface WatchdogOptions {
  /** Kill this process when that one is no longer its parent. */
  hostPid?: number | undefined;
  /** Kill this process when its resident memory passes this. */
  maxResidentBytes?: number | undefined;
}

/**
 * The thread that can still act while the main thread is inside the engine. It cancels a run at its
 * deadline, and kills the process when the host is gone or memory passes the cap.
 */
export class ProcessWatchdog implements Watchdog {
  readonly #state = new SharedState(new SharedArrayBuffer(sharedBytes));
  readonly #bindingPath: string | undefined;

  constructor(bindingPath: string | undefined) {
    this.#bindingPath = bindingPath;
  }

  /** Starts the thread once the event loop turns: the first answer does not wait for it. */
  start(options: WatchdogOptions): void {
    this.#state.expectThread();
    setImmediate(() => {
      const workerData: WatchdogData = { ...options, shared: this.#state.buffer, bindingPath: this.#bindingPath };
      const worker = new Worker(new URL('./watchdog-thread.js', import.meta.url), { workerData });
      worker.unref();
    });
  }

  arm(token: string, ms: number): void {
    this.#state.arm(token, ms);
  }

  disarm(): void {
    this.#state.disarm();
  }

  now(): number {
    return this.#state.now();
  }
}
