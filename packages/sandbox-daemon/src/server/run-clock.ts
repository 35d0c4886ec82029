/** Cancels a run from another thread when its time is up. */
export interface Watchdog {
  /** From now on, until `disarm`, cancel `token` after `ms`. Returns `now()`. */
  arm(token: string, ms: number): number;
  disarm(): void;
  /** In ms, of a clock that stands still while the process does. */
  now(): number;
}

/** A shorter pause does not count as time in which something was to be told of the run. */
const shortPauseMs = 2;

/**
 * The time a script has used. It stands still while a host function is pending, because a person may be answering, and
 * while the process is stopped.
 */
export class RunClock implements Disposable {
  readonly #timeoutMs: number;
  readonly #token: string;
  readonly #watchdog: Watchdog;
  #usedMs = 0;
  #runningSince: number | undefined;
  #pausedAt: number | undefined;
  #longPausesMs = 0;

  constructor(timeoutMs: number, token: string, watchdog: Watchdog) {
    this.#timeoutMs = timeoutMs;
    this.#token = token;
    this.#watchdog = watchdog;
    this.resume();
  }

  elapsedMs(): number {
    return this.#usedMs + (this.#runningSince === undefined ? 0 : this.#watchdog.now() - this.#runningSince);
  }

  /** The same with the pauses in which the host did more than answer at once. */
  observedMs(elapsedMs = this.elapsedMs()): number {
    return elapsedMs + this.#longPausesMs;
  }

  isOver(elapsedMs: number): boolean {
    return elapsedMs >= this.#timeoutMs;
  }

  pause(): void {
    const now = this.#watchdog.now();
    if (this.#runningSince !== undefined) this.#usedMs += now - this.#runningSince;
    this.#runningSince = undefined;
    this.#pausedAt = now;
    this.#watchdog.disarm();
  }

  resume(): void {
    const now = this.#watchdog.arm(this.#token, this.#timeoutMs - this.#usedMs);
    const pausedMs = now - (this.#pausedAt ?? now);
    if (pausedMs >= shortPauseMs) this.#longPausesMs += pausedMs;
    this.#runningSince = now;
  }

  [Symbol.dispose](): void {
    this.pause();
  }
}
