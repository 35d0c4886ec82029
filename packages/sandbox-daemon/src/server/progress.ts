import { maxProgressPerSecond } from '@mustard-sandbox/protocol';

/**
 * A run that is over before tells nothing: one message costs the host 50 µs, which a short run would notice, or one that
 * calls a short host function a hundred times.
 */
const firstMs = 2;
const everyMs = 1_000 / maxProgressPerSecond;

/** Tells now and then how far a run is, while there is somebody to tell it. */
export class Progress {
  readonly #tell: () => void;
  #dueMs = firstMs;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /**
   * Called wherever the run passes by.
   *
   * @param ms how long the run takes already, without short calls of host functions
   */
  look(ms: number): void {
    if (ms < this.#dueMs) return;
    // At first after twice the time of the last one: of many runs these are the first moments that count.
    this.#dueMs = ms + Math.min(everyMs, ms);
    this.#tell();
  }
}
