import { wallFactor } from '../protocol/limits.ts';

/** Ends a run from another thread when its time is up. */
export interface Watchdog {
  /**
   * From now on, until `disarm`, cancel `token` once `ms` of time are used up, and end the process when that does not help.
   *
   * @param token `undefined` where the engine looks at the clock by itself
   */
  arm(token: string | undefined, ms: number): void;
  disarm(): void;
  /** In ms, of a clock that stands still while the process does. */
  now(): number;
}

/** A shorter pause does not count as time in which something was to be told of the run. */
const shortPauseMs = 2;

/** Two readings of the clocks of this process. */
interface Reading {
  wallMs: number;
  cpuMs: number;
}

/**
 * The time a script has used: what the process computed, and on a quiet machine that is what passed. The clocks stand
 * still while a host function is pending, because a person may be answering, and while the process is stopped.
 */
export class RunClock implements Disposable {
  readonly #timeoutMs: number;
  readonly #token: string | undefined;
  readonly #watchdog: Watchdog;
  #used: Reading = { wallMs: 0, cpuMs: 0 };
  #since: Reading | undefined;
  #pausedAt: number | undefined;
  #longPausesMs = 0;

  constructor(timeoutMs: number, token: string | undefined, watchdog: Watchdog) {
    this.#timeoutMs = timeoutMs;
    this.#token = token;
    this.#watchdog = watchdog;
    this.resume();
  }

  /** By the clock on the wall. */
  elapsedMs(): number {
    return this.#used.wallMs + (this.#since === undefined ? 0 : this.#watchdog.now() - this.#since.wallMs);
  }

  /** The same with the pauses in which the host did more than answer at once. */
  observedMs(elapsedMs = this.elapsedMs()): number {
    return elapsedMs + this.#longPausesMs;
  }

  /** Whether the script has had its time. */
  isOver(): boolean {
    const wallMs = this.elapsedMs();
    if (wallMs < this.#timeoutMs) return false;
    return wallMs >= wallFactor * this.#timeoutMs || this.#cpuMs() >= this.#timeoutMs;
  }

  pause(): void {
    const now = this.#read();
    if (this.#since !== undefined) this.#used = this.#usedUntil(now, this.#since);
    this.#since = undefined;
    this.#pausedAt = now.wallMs;
    this.#watchdog.disarm();
  }

  resume(): void {
    this.#watchdog.arm(this.#token, this.#timeoutMs - Math.min(this.#used.wallMs, this.#used.cpuMs));
    const now = this.#read();
    const pausedMs = now.wallMs - (this.#pausedAt ?? now.wallMs);
    if (pausedMs >= shortPauseMs) this.#longPausesMs += pausedMs;
    this.#since = now;
  }

  [Symbol.dispose](): void {
    this.pause();
  }

  #cpuMs(): number {
    return this.#used.cpuMs + (this.#since === undefined ? 0 : cpuMs() - this.#since.cpuMs);
  }

  #usedUntil(now: Reading, since: Reading): Reading {
    return {
      wallMs: this.#used.wallMs + now.wallMs - since.wallMs,
      cpuMs: this.#used.cpuMs + now.cpuMs - since.cpuMs,
    };
  }

  #read(): Reading {
    return { wallMs: this.#watchdog.now(), cpuMs: cpuMs() };
  }
}

/** Processor time of all threads of this process, in ms. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
