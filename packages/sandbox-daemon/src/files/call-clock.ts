import { performance } from 'node:perf_hooks';
import { wallFactor } from '@mustard-sandbox/protocol';
import { cpuMs } from '../cpu-time.ts';

/** Nearly all calls are over before; only of the others the processor's clock is read. */
const shortMs = 50;

/**
 * The time of one call. As for a run, the smaller of two readings counts: what has passed, and what the process has
 * computed. A file system that does not answer takes no processor, so what passes has a bound of its own.
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
