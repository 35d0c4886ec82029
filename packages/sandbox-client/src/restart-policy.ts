export interface RestartLimits {
  maxCrashes: number;
  crashWindowMs: number;
  cooldownMs: number;
}

export type RestartState =
  | { state: 'running'; /** The last start failed: try one before trying more. */ suspect: boolean }
  /** No start before `until`, in ms of the clock. */
  | { state: 'backing_off'; until: number; failures: number }
  | { state: 'unavailable'; until: number };

const firstDelayMs = 100;
const maxDelayMs = 5_000;

/**
 * When to start a process again after one died at start-up or while idle, which is the installation's
 * fault and not a script's. Delays double, with jitter; more than `maxCrashes` within the window
 * open the circuit until the cool-down is over, and then one start decides.
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

  /** A process died outside of a run. `hopeless`: starting it again the same way cannot help. */
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

  /** A process became ready. Says whether that ended a time without any. */
  succeeded(): boolean {
    const recovered = this.#open;
    this.#open = false;
    this.#suspect = false;
    this.#until = 0;
    return recovered;
  }
}
