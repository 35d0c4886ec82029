/** Cancels a run from another thread when its time is up. */
export interface Watchdog {
  /** From now on, until `disarm`, cancel `token` after `ms`. */
  arm(token: string, ms: number): void;
  disarm(): void;
  /** In ms, of a clock that stands still while the process does. */
  now(): number;
}

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

  constructor(timeoutMs: number, token: string, watchdog: Watchdog) {
    this.#timeoutMs = timeoutMs;
    this.#token = token;
    this.#watchdog = watchdog;
    this.resume();
  }

  elapsedMs(): number {
    return this.#usedMs + (this.#runningSince === undefined ? 0 : this.#watchdog.now() - this.#runningSince);
  }

  isOver(): boolean {
    return this.elapsedMs() >= this.#timeoutMs;
  }

  pause(): void {
    this.#usedMs = this.elapsedMs();
    this.#runningSince = undefined;
    this.#watchdog.disarm();
  }

  resume(): void {
    this.#runningSince = this.#watchdog.now();
    this.#watchdog.arm(this.#token, this.#timeoutMs - this.#usedMs);
  }

  [Symbol.dispose](): void {
    this.pause();
  }
}
