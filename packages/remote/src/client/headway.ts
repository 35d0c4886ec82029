import { Cancellation, type CancelSignal } from '@mustard-sandbox/protocol';

/** A server that sends less than this is too slow: 1 MB would take more than a minute. */
export const leastBytesPerSecond = 16 * 1024;

/**
 * Watches that a server sends at least `leastBytesPerSecond`, measured over any `patienceMs`. A link may stand still
 * for that long, but faster data before that gives it no more time.
 */
export class Headway {
  /** Aborted when too little came, and when the signal is aborted. */
  readonly over = new Cancellation();
  /** Whether too little came. */
  isTooSlow = false;
  readonly #patienceMs: number;
  readonly #signal: CancelSignal | undefined;
  readonly #abort = (): void => this.over.cancel();
  #until: number;
  #timer: NodeJS.Timeout;

  constructor(patienceMs: number, signal: CancelSignal | undefined) {
    this.#patienceMs = patienceMs;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted === true) this.over.cancel();
    this.#until = performance.now() + patienceMs;
    this.#timer = setTimeout(this.#look, patienceMs);
  }

  came(bytes: number): void {
    const longest = performance.now() + this.#patienceMs;
    this.#until = Math.min(longest, this.#until + (bytes * 1000) / leastBytesPerSecond);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  readonly #look = (): void => {
    const leftMs = this.#until - performance.now();
    if (leftMs > 0) {
      this.#timer = setTimeout(this.#look, leftMs);
      return;
    }
    this.isTooSlow = true;
    this.over.cancel();
  };
}
