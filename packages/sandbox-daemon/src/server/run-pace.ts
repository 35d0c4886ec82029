import type { Pace } from '../files/pace.ts';

/** How long a run may compute before it reads what the client has sent, such as a cancel request, in ms. */
const readMs = 5;
/** The clocks are read at most once in this many ms, because reading both takes 2 µs. */
const lookMs = 1;

/** The pace of one run, for its engine and for its built-ins. */
export class RunPace implements Pace {
  readonly #read: () => void;
  #lookedAt = 0;
  #readAt = performance.now();
  #stopIfOver = (): void => {};

  /** @param read reads what has arrived, without waiting */
  constructor(read: () => void) {
    this.#read = read;
  }

  /** @param stopIfOver throws when the run is over */
  begin(stopIfOver: () => void): void {
    this.#stopIfOver = stopIfOver;
  }

  check(): void {
    const now = performance.now();
    if (now - this.#lookedAt < lookMs) return;
    this.#lookedAt = now;
    if (now - this.#readAt >= readMs) {
      this.#readAt = now;
      this.#read();
    }
    this.#stopIfOver();
  }

  /** Call this when the messages of the client were just read. */
  hasRead(): void {
    this.#lookedAt = this.#readAt = performance.now();
    this.#stopIfOver();
  }
}
