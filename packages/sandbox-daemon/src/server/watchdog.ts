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
  #options: WatchdogOptions = {};
  #started = false;

  constructor(bindingPath: string | undefined) {
    this.#bindingPath = bindingPath;
  }

  configure(options: WatchdogOptions): void {
    this.#options = options;
  }

  /**
   * To be called before the main thread is given away. The first time starts the thread, not earlier: it holds a fifth
   * as much memory as all else of a sidecar, and most spares are never used.
   */
  watch(): void {
    if (this.#started) return;
    this.#started = true;
    const workerData: WatchdogData = { ...this.#options, shared: this.#state.buffer, bindingPath: this.#bindingPath };
    new Worker(new URL('./watchdog-thread.js', import.meta.url), { workerData }).unref();
  }

  arm(token: string, ms: number): void {
    this.#state.arm(token, ms);
  }

  disarm(): void {
    this.#state.disarm();
  }
}
