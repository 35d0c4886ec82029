import { wallFactor } from '@mustard-sandbox/protocol';
import { cpuMs, cpuMsAtMost } from '../cpu-time.ts';

/** Ends a run from another thread when its time is up. */
export interface Watchdog {
  /**
   * From now on, until `disarm`, cancel `token` after `ms` of time are used up, and end the process if that does not
   * help.
   *
   * @param token `undefined` for an engine that checks the clock by itself
   * @param cpuMs the process time since its start at which the run has used up its time
   */
  arm(token: string | undefined, ms: number, cpuMs: number): void;
  disarm(): void;
  /** The time in ms of a clock that stands still while the process does. */
  now(): number;
}

/** After a shorter pause, in ms, no report about the run was due. */
const shortPauseMs = 2;

/**
 * The time that a script has used: what the process computed, which on a quiet machine equals the wall time. The clocks
 * stand still while a host function is pending, because a person may be answering, and while the process is stopped.
 */
export class RunClock implements Disposable {
  readonly #timeoutMs: number;
  readonly #token: string | undefined;
  readonly #watchdog: Watchdog;
  /** The processor time of the process when the run began, in ms. */
  readonly #cpuBeforeMs = cpuMsAtMost();
  /**
   * The processor time of the process at the deadline, in ms. The process computes little while it waits, so waiting
   * does not change it.
   */
  #cpuLimitMs: number;
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

  /** The wall time. */
  elapsedMs(): number {
    return this.#usedMs + (this.#runningSince === undefined ? 0 : this.#watchdog.now() - this.#runningSince);
  }

  /** The processor time since the run began. */
  cpuMs(): number {
    return Math.max(0, cpuMs() - this.#cpuBeforeMs);
  }

  /** The wall time, including the pauses in which the host did more than answer at once. */
  observedMs(elapsedMs = this.elapsedMs()): number {
    return elapsedMs + this.#longPausesMs;
  }

  /** Whether the script has used up its time. */
  isOver(): boolean {
    const wallMs = this.elapsedMs();
    if (wallMs < this.#timeoutMs) return false;
    return wallMs >= wallFactor * this.#timeoutMs || cpuMs() >= this.#cpuLimitMs;
  }

  /** How much time the script has left. */
  leftMs(): number {
    return Math.max(
      0,
      this.#timeoutMs - Math.min(this.elapsedMs(), Math.max(0, cpuMs() - this.#cpuLimitMs + this.#timeoutMs)),
    );
  }

  /** Counts time that other processes have computed for the script. */
  spend(ms: number): void {
    this.pause();
    this.#usedMs += ms;
    this.#cpuLimitMs -= ms;
    this.resume();
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
