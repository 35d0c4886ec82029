import { wallFactor } from '@mustard-sandbox/protocol';
import { cpuMs, cpuMsAtMost } from '../cpu-time.ts';

/** Ends a run from another thread when its time is up. */
export interface Watchdog {
  /**
   * From now on, until `disarm`, cancel `token` once `ms` of time are used up, and end the process when that does not help.
   *
   * @param token `undefined` where the engine looks at the clock by itself
   * @param cpuMs the process has used up its time when it has computed so much since its start
   */
  arm(token: string | undefined, ms: number, cpuMs: number): void;
  disarm(): void;
  /** In ms, of a clock that stands still while the process does. */
  now(): number;
}

/** A shorter pause does not count as time in which something was to be told of the run. */
const shortPauseMs = 2;

/**
 * The time a script has used: what the process computed, and on a quiet machine that is what passed. The clocks stand
 * still while a host function is pending, because a person may be answering, and while the process is stopped.
 */
export class RunClock implements Disposable {
  readonly #timeoutMs: number;
  readonly #token: string | undefined;
  readonly #watchdog: Watchdog;
  /** What the process had computed when the run began. */
  readonly #cpuBeforeMs = cpuMsAtMost();
  /** What the process has computed at the deadline. Read once: what it computes in a wait is little. */
  readonly #cpuLimitMs: number;
  #usedMs = 0;
  #runningSince: number | undefined;
  #pausedAt: number | undefined;
  #longPausesMs = 0;

  constructor(timeoutMs: number, token: string | undefined, watchdog: Watchdog) {
    this.#timeoutMs = timeoutMs;
    this.#token = token;
    this.#watchdog = watchdog;
    this.#cpuLimitMs = this.#cpuBeforeMs + timeoutMs;
    this.resume();
  }

  /** By the clock on the wall. */
  elapsedMs(): number {
    return this.#usedMs + (this.#runningSince === undefined ? 0 : this.#watchdog.now() - this.#runningSince);
  }

  /** What the process has computed since the run began. */
  cpuMs(): number {
    return Math.max(0, cpuMs() - this.#cpuBeforeMs);
  }

  /** The elapsed time with the pauses in which the host did more than answer at once. */
  observedMs(elapsedMs = this.elapsedMs()): number {
    return elapsedMs + this.#longPausesMs;
  }

  /** Whether the script has had its time. */
  isOver(): boolean {
    const wallMs = this.elapsedMs();
    if (wallMs < this.#timeoutMs) return false;
    return wallMs >= wallFactor * this.#timeoutMs || cpuMs() >= this.#cpuLimitMs;
  }

  pause(): void {
    const now = this.#watchdog.now();
    if (this.#runningSince !== undefined) this.#usedMs += now - this.#runningSince;
    this.#runningSince = undefined;
    this.#pausedAt = now;
    this.#watchdog.disarm();
  }

  resume(): void {
    this.#watchdog.arm(this.#token, this.#timeoutMs - this.#usedMs, this.#cpuLimitMs);
    const now = this.#watchdog.now();
    const pausedMs = now - (this.#pausedAt ?? now);
    if (pausedMs >= shortPauseMs) this.#longPausesMs += pausedMs;
    this.#runningSince = now;
  }

  [Symbol.dispose](): void {
    this.pause();
  }
}
