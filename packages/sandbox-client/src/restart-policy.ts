export interface RestartLimits {
  maxCrashes: number;
  crashWindowMs: number;
  cooldownMs: number;
}

export type RestartState =
  | { state: 'running'; /** the last start failed, so try one before trying more */ suspect: boolean }
  /** No start before `until`, in ms of the clock. */
  | { state: 'backing_off'; until: number; failures: number }
  | { state: 'unavailable'; until: number };

const firstDelayMs = 100;
const maxDelayMs = 5_000;

/**
 * Decides when to start a process again after one died at start-up or while idle, which is the fault of the
 * installation and not of a script. Delays double, with jitter. More than `maxCrashes` within the window open the
 * circuit until the cool-down is over, and then one start decides.
 */
export class RestartPolicy {
  readonly #limits: RestartLimits;
  readonly #now: () => number;
  readonly #random: () => number;
  #failures: number[] = [];
  #until = 0;
  #open = false;
  #suspect = false;

  constructor(limits: RestartLimits, now: () => number, random: () => number = Math.random) {
    this.#limits = limits;
    this.#now = now;
    this.#random = random;
  }

  current(): RestartState {
    if (this.#until === 0 || this.#now() >= this.#until) return { state: 'running', suspect: this.#suspect };
    if (this.#open) return { state: 'unavailable', until: this.#until };
    return { state: 'backing_off', until: this.#until, failures: this.#failures.length };
  }

  /**
   * Call this when a process died outside of a run. `hopeless` means that another start in the same way cannot help.
   */
  failed(hopeless: boolean): RestartState {
    const now = this.#now();
    this.#suspect = true;
    const { maxCrashes, crashWindowMs, cooldownMs } = this.#limits;
    this.#failures = [...this.#failures.filter((at) => at > now - crashWindowMs), now];
    // The circuit is still open after a cool-down, so the one deciding start has failed.
    this.#open = this.#open || hopeless || this.#failures.length >= maxCrashes;
    const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (this.#failures.length - 1));
    this.#until = now + (this.#open ? cooldownMs : delay * (0.5 + this.#random() / 2));
    return this.current();
  }

  /** Call this when a process became ready. Returns whether that ended a time without any process. */
  succeeded(): boolean {
    const recovered = this.#open;
    this.#open = false;
    this.#suspect = false;
    this.#until = 0;
    return recovered;
  }
}
