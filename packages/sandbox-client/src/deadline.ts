/** How often the timer checks the time, in ms. A check that comes late shows that the host stood still. */
const tickMs = 100;
/**
 * A check that is later than this, in ms, means that the host was stopped, or was busy in one turn of its event loop.
 */
const stallMs = 250;
/** Only this many stalls extend the time. Otherwise a sidecar that hangs could live for ever. */
const mostStalls = 20;

/**
 * Calls back once, after `ms`. Time in which it is paused does not count, and neither does time in which the host stood
 * still. Pausing and resuming are cheap: the timer keeps running, and computes the time that is left when it fires.
 */
export class PausableTimer {
  /** How often the host stood still. */
  stalls = 0;
  readonly #callback: () => void;
  #leftMs: number;
  /** `undefined` while it is paused. */
  #runningSince: number | undefined;
  #scheduledAt = 0;
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param ms `Infinity` means never */
  constructor(ms: number, callback: () => void) {
    this.#callback = callback;
    this.#leftMs = ms;
    this.resume();
  }

  pause(): void {
    this.#leftMs = this.#left();
    this.#runningSince = undefined;
  }

  /** @param leftMs the time that is left, counted from now */
  resume(leftMs = this.#left()): void {
    const now = performance.now();
    this.#leftMs = leftMs;
    this.#runningSince = now;
    if (this.#timer === undefined) this.#schedule(now);
  }

  /** Stops it for good. */
  stop(): void {
    this.#runningSince = undefined;
    clearTimeout(this.#timer);
  }

  #left(now = performance.now()): number {
    return this.#runningSince === undefined ? this.#leftMs : this.#leftMs - (now - this.#runningSince);
  }

  #schedule(now: number): void {
    const leftMs = this.#left(now);
    if (leftMs === Infinity) return;
    const waitMs = Math.max(0, Math.min(leftMs, tickMs));
    this.#scheduledAt = now;
    this.#dueAt = now + waitMs;
    this.#timer = setTimeout(() => this.#fired(), waitMs);
  }

  #fired(): void {
    this.#timer = undefined;
    if (this.#runningSince === undefined) return;
    // The time is read once, because a stall between two readings would count as time of the script.
    const now = performance.now();
    if (now - this.#dueAt > stallMs) this.#forgive(now);
    if (this.#left(now) > 0) this.#schedule(now);
    else this.#callback();
  }

  /** What arrived during a stall is read after the timers of this turn, so at least one more tick must pass. */
  #forgive(now: number): void {
    this.stalls++;
    if (this.stalls > mostStalls) return;
    const stoodStillMs = now - Math.max(this.#scheduledAt, this.#runningSince as number);
    this.#leftMs = Math.max(this.#left(now) + stoodStillMs, tickMs);
    this.#runningSince = now;
  }
}
