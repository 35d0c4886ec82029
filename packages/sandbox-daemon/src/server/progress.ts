import { maxProgressPerSecond } from '../protocol/limits.ts';

/** A run that is over before tells nothing: one message costs the host 50 µs, which a short run would notice. */
const firstMs = 2;
const everyMs = 1_000 / maxProgressPerSecond;

/** Tells now and then how far a run is, while there is somebody to tell it. */
export class Progress {
  readonly #tell: () => void;
  readonly #startedAt = performance.now();
  #due = this.#startedAt + firstMs;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /** Called wherever the run passes by. */
  look(): void {
    const now = performance.now();
    if (now < this.#due) return;
    // At first after twice the time of the last one: of many runs these are the first moments that count.
    this.#due = now + Math.min(everyMs, now - this.#startedAt);
    this.#tell();
  }
}
