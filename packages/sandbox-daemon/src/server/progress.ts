import { maxProgressPerSecond } from '@mustard-sandbox/protocol';

/**
 * A run that ends before this reports nothing: one message costs the host 50 µs, which would show in a short run, or in
 * one that calls a short host function a hundred times.
 */
const firstMs = 2;
const everyMs = 1_000 / maxProgressPerSecond;

/** Reports from time to time how far a run is, if the client wants that. */
export class Progress {
  readonly #tell: () => void;
  #dueMs = firstMs;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /**
   * Call this wherever the run passes by.
   *
   * @param ms how long the run has taken so far, without short calls of host functions
   */
  look(ms: number): void {
    if (ms < this.#dueMs) return;
    // At first the interval doubles, because for many runs only these first moments count.
    this.#dueMs = ms + Math.min(everyMs, ms);
    this.#tell();
  }
}
