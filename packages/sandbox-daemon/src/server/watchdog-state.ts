/**
 * What the two threads share, without messages: the watchdog thread never needs its event loop, and the
 * main thread pays a few stores a run.
 *
 *     0  generation: odd while a deadline is armed; changes with every arm and disarm
 *     1  length of the token
 *     8  deadline, in ms of the process's monotonic clock, as a double
 *     16 time at which the thread wakes by itself next, likewise
 *     24 the token, ASCII
 */
export const sharedBytes = 256;
const tokenOffset = 24;

export interface WatchdogData {
  shared: SharedArrayBuffer;
  bindingPath?: string | undefined;
  hostPid?: number | undefined;
  maxResidentBytes?: number | undefined;
}

/** The clock that both threads see. `performance.now()` starts anew in each thread. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #times: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, 2);
    this.#times = new Float64Array(buffer, 8, 2);
    this.#bytes = new Uint8Array(buffer);
  }

  arm(token: string, ms: number): void {
    this.disarm();
    const deadline = nowMs() + ms;
    for (let index = 0; index < token.length; index++) this.#bytes[tokenOffset + index] = token.charCodeAt(index);
    this.#words[1] = token.length;
    this.#times[0] = deadline;
    Atomics.add(this.#words, 0, 1);
    // Waking the thread costs more than a trivial run; it comes by itself in time for most deadlines.
    if (deadline < (this.#times[1] as number)) Atomics.notify(this.#words, 0);
  }

  disarm(): void {
    if ((Atomics.load(this.#words, 0) & 1) === 1) Atomics.add(this.#words, 0, 1);
  }

  /** The armed deadline and its token, or `undefined`. Called by the thread. */
  armed(generation: number): { deadline: number; token: string } | undefined {
    if ((generation & 1) === 0) return undefined;
    const deadline = this.#times[0] as number;
    const token = String.fromCharCode(...this.#bytes.subarray(tokenOffset, tokenOffset + (this.#words[1] as number)));
    // The main thread may have gone on to the next run in the meantime: then this was a mix of two.
    return Atomics.load(this.#words, 0) === generation ? { deadline, token } : undefined;
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
    this.#times[1] = nowMs() + ms;
    Atomics.wait(this.#words, 0, generation, ms);
  }
}
