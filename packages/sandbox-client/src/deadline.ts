/**
 * Calls back once, when `ms` have passed that were not paused. Pausing and resuming cost next to nothing: the timer
 * runs on, and looks when it fires how much is left.
 */
export class PausableTimer {
  readonly #callback: () => void;
  #leftMs: number;
  /** `undefined`: paused. */
  #runningSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, callback: () => void) {
    this.#callback = callback;
    this.#leftMs = ms;
    this.resume();
  }

  pause(): void {
    this.#leftMs = this.#left();
    this.#runningSince = undefined;
  }

  resume(): void {
    this.#runningSince ??= performance.now();
    this.#timer ??= setTimeout(() => this.#fired(), Math.max(0, this.#left()));
  }

  /** For good. */
  stop(): void {
    this.pause();
    clearTimeout(this.#timer);
  }

  #left(): number {
    return this.#runningSince === undefined ? this.#leftMs : this.#leftMs - (performance.now() - this.#runningSince);
  }

  #fired(): void {
    this.#timer = undefined;
    if (this.#runningSince === undefined) return;
    if (this.#left() > 0) this.resume();
    else this.#callback();
  }
}
