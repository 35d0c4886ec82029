import { cpuMs } from '../cpu-time.ts';

/**
 * The memory that the two threads share. They send no messages: the watchdog thread never needs its event loop, and a
 * run costs the main thread only a few stores.
 *
 *     0  generation: odd while a deadline is armed; changes with every arm and disarm
 *     1  length of the token
 *     2  generation of the two times below that belong together: odd while they change
 *     16 when it was armed, in ms of the clock that stands still with the process, as a double
 *     24 time at which the thread wakes by itself next, in ms of the machine's clock, likewise
 *     32 how long the process has stood still in all, in ms, likewise
 *     40 how much time the run has from then on, in ms, likewise
 *     48 what the process has computed when the run has had its time, in ms, likewise
 *     56 the token, ASCII
 */
export const sharedBytes = 256;
const timesOffset = 16;
const tokenOffset = 56;

/** How long the thread may take to start. */
const startMs = 100;
/** The thread sleeps for 100 ms at most. One that wakes this late did not wait for a processor: the process stood still. */
const stallMs = 350;

export interface WatchdogData {
  shared: SharedArrayBuffer;
  bindingPath?: string | undefined;
  hostPid?: number | undefined;
  maxResidentBytes?: number | undefined;
  /** How long a run may take to end by itself once its time is up, in ms. */
  graceMs: number;
}

/** A deadline that is armed. */
export interface Armed {
  /** What has passed since it was armed, by the clock on the wall. */
  wallMs: number;
  /** What the process has computed beyond what the run may; negative before. */
  cpuOverMs: number;
  /** What the run may use. */
  allowedMs: number;
  /** How to stop the engine; empty where it looks at the clock by itself. */
  token: string;
}

/**
 * The machine's clock. Not `performance.now()`, which has another start in each thread: a thread that loses its processor
 * while it measures the difference would be wrong by that for as long as it lives.
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
   * The time in ms, of a clock that stands still while the process is stopped, by a signal or with its container. A
   * script must not lose time to that.
   */
  now(): number {
    for (;;) {
      const generation = Atomics.load(this.#words, 2);
      const wakesAt = this.#times[1] as number;
      const stoodStillMs = this.#times[2] as number;
      if ((generation & 1) === 1 || Atomics.load(this.#words, 2) !== generation) continue;
      const now = machineMs();
      // The thread is still asleep. The thread that runs first after a stall must not count it as time of the script.
      return now - stoodStillMs - (wakesAt === 0 ? 0 : overslept(now, wakesAt));
    }
  }

  /**
   * @param allowedMs the time that the run has from now on
   * @param cpuLimitMs what the process has computed since its start when the run has had its time
   */
  arm(token: string, allowedMs: number, cpuLimitMs: number): void {
    this.disarm();
    for (let index = 0; index < token.length; index++) this.#bytes[tokenOffset + index] = token.charCodeAt(index);
    this.#words[1] = token.length;
    this.#times[0] = this.now();
    this.#times[3] = allowedMs;
    this.#times[4] = cpuLimitMs;
    Atomics.add(this.#words, 0, 1);
    // Waking the thread costs more than a trivial run, and for most deadlines it wakes by itself in time.
    if (allowedMs < (this.#times[1] as number) - machineMs()) Atomics.notify(this.#words, 0);
  }

  /** Called before the thread is started: a stall counts from here on. */
  expectThread(): void {
    this.#times[1] = machineMs() + startMs;
  }

  disarm(): void {
    if ((Atomics.load(this.#words, 0) & 1) === 1) Atomics.add(this.#words, 0, 1);
  }

  /** What is armed, or `undefined`. Called by the thread. */
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
   * Called by the thread: sleeps for `ms`, or until a deadline is armed that is earlier. Not at all when
   * `generation` is not the current one: then something was armed since the thread looked.
   */
  sleep(ms: number, generation: number): void {
    // The process may have stood still since the thread woke, too.
    this.#times[1] = this.countStall() + ms;
    Atomics.wait(this.#words, 0, generation, ms);
    this.countStall();
  }

  /** Called by the thread, once it is there, whenever it wakes and before it sleeps. Returns the machine's time. */
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
