import { performance } from 'node:perf_hooks';
import { wallFactor } from '@mustard-sandbox/protocol';
import { cpuMs } from '../cpu-time.ts';

/** Nearly all calls are shorter than this, in ms. Processor time is read only for longer ones. */
const shortMs = 50;

/**
 * The time of one call. As for a run, the smaller of wall time and processor time counts. A file system that does not
 * answer uses no processor time, so wall time has a bound of its own.
 */
export class CallClock {
  readonly #ms: number;
  readonly #startedAt = performance.now();
  #cpuLimitMs: number | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  isOver(): boolean {
    const passedMs = performance.now() - this.#startedAt;
    if (passedMs < shortMs) return false;
    this.#cpuLimitMs ??= cpuMs() + this.#ms - shortMs;
    if (passedMs <= this.#ms) return false;
    return passedMs > wallFactor * this.#ms || cpuMs() > this.#cpuLimitMs;
  }
}
