import { cpuMs } from '../cpu-time.ts';

/**
 * The memory that the two threads share. They send no messages: the watchdog thread never needs its event loop, and a
 * run costs the main thread only a few stores. The times are doubles in ms.
 *
 *     0 generation: odd while a deadline is armed; changes with every arm and disarm
 *     1 length of the token
 *     2 generation of the two times below that belong together: odd while they change
 *     16 when it was armed, by the clock that stands still with the process
 *     24 when the thread wakes by itself next, by the machine's clock
 *     32 how long the process has stood still in all
 *     40 how much time the run has from then on
 *     48 the processor time of the process at which the run has used up its time
 *     56 the token, ASCII
 */
export const sharedBytes = 256;
const timesOffset = 16;
const tokenOffset = 56;

/** How long the thread may take to start, in ms. */
const startMs = 100;
/**
 * The thread sleeps for at most 100 ms. If it wakes this late, it did not wait for a processor: the process stood
 * still.
 */
const stallMs = 350;

export interface WatchdogData {
  shared: SharedArrayBuffer;
  bindingPath?: string | undefined;
  hostPid?: number | undefined;
  maxResidentBytes?: number | undefined;
  /** How long a run may take to end by itself after its time is up, in ms. */
  graceMs: number;
}

/** A deadline that is armed. */
export interface Armed {
  /** The wall time since it was armed. */
  wallMs: number;
  /** The processor time beyond what the run may use. Negative before that. */
  cpuOverMs: number;
  /** How much time the run may use. */
  allowedMs: number;
  /** The token that stops the engine. Empty for an engine that checks the clock by itself. */
  token: string;
}

/**
 * The machine's clock. `performance.now()` has another origin in each thread, and a thread that loses its processor
 * while it measures the difference would keep that error for its whole life.
 */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #times: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, 3);
    this.#times = new Float64Array(buffer, timesOffset, 5);
    this.#bytes = new Uint8Array(buffer);
  }

  /**
   * The time in ms, by a clock that stands still while the process is stopped, by a signal or with its container. A
   * script must not lose time to that.
   */
  now(): number {
    for (;;) {
      const generation = Atomics.load(this.#words, 2);
      const wakesAt = this.#times[1] as number;
      const stoodStillMs = this.#times[2] as number;
      if ((generation & 1) === 1 || Atomics.load(this.#words, 2) !== generation) continue;
      const now = machineMs();
      // The thread still sleeps. Whichever thread runs first after a stall must not count the stall as time of the
      // script.
      return now - stoodStillMs - (wakesAt === 0 ? 0 : overslept(now, wakesAt));
    }
  }

  /**
   * @param allowedMs how much time the run has from now on
   * @param cpuLimitMs the processor time since the start of the process at which the run has used up its time
   */
  arm(token: string, allowedMs: number, cpuLimitMs: number): void {
    this.disarm();
    for (let index = 0; index < token.length; index++) this.#bytes[tokenOffset + index] = token.charCodeAt(index);
    this.#words[1] = token.length;
    this.#times[0] = this.now();
    this.#times[3] = allowedMs;
    this.#times[4] = cpuLimitMs;
    Atomics.add(this.#words, 0, 1);
    // Waking the thread costs more than a small run, and for most deadlines it wakes by itself in time.
    if (allowedMs < (this.#times[1] as number) - machineMs()) Atomics.notify(this.#words, 0);
  }

  /** Called before the thread is started. Stalls count from here on. */
  expectThread(): void {
    this.#times[1] = machineMs() + startMs;
  }

  disarm(): void {
    if ((Atomics.load(this.#words, 0) & 1) === 1) Atomics.add(this.#words, 0, 1);
  }

  /** The armed deadline, or `undefined`. The thread calls this. */
  armed(generation: number): Armed | undefined {
    if ((generation & 1) === 0) return undefined;
    const wallMs = this.now() - (this.#times[0] as number);
    const cpuOverMs = cpuMs() - (this.#times[4] as number);
    const allowedMs = this.#times[3] as number;
    const token = String.fromCharCode(...this.#bytes.subarray(tokenOffset, tokenOffset + (this.#words[1] as number)));
    // If the main thread has begun another run meanwhile, these values are a mix of two runs.
    return Atomics.load(this.#words, 0) === generation ? { wallMs, cpuOverMs, allowedMs, token } : undefined;
  }

  /** Changes whenever the main thread arms or disarms. */
  generation(): number {
    return Atomics.load(this.#words, 0);
  }

  /**
   * Sleeps for `ms`, or until an earlier deadline is armed. It does not sleep if `generation` is out of date, because
   * something was armed since the thread looked. The thread calls this.
   */
  sleep(ms: number, generation: number): void {
    // The process may also have stood still since the thread woke.
    this.#times[1] = this.countStall() + ms;
    Atomics.wait(this.#words, 0, generation, ms);
    this.countStall();
  }

  /**
   * Returns the machine's time, and counts a stall. The thread calls this when it starts, whenever it wakes, and before
   * it sleeps.
   */
  countStall(): number {
    const now = machineMs();
    const stoodStillMs = overslept(now, this.#times[1] as number);
    if (stoodStillMs === 0) return now;
    Atomics.add(this.#words, 2, 1);
    this.#times[1] = now;
    this.#times[2] = (this.#times[2] as number) + stoodStillMs;
    Atomics.add(this.#words, 2, 1);
    return now;
  }
}

/** The stall without the part that a busy machine may explain, so that the clock never goes back. */
function overslept(now: number, wakesAt: number): number {
  return Math.max(0, now - wakesAt - stallMs);
}
