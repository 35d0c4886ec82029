/** Calls back once, when `ms` have passed that were not paused. Timers do not keep the host alive. */
export class PausableTimer {
  readonly #callback: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, callback: () => void) {
    this.#leftMs = ms;
    this.#callback = callback;
    this.resume();
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  resume(): void {
    if (this.#timer !== undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#callback, Math.max(0, this.#leftMs));
  }
}
