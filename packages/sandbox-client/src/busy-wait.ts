import { SandboxError, wallFactor } from '@mustard-sandbox/protocol';

/** How often to check what the sidecar has computed, in ms. */
const lookMs = 1_000;
/** The most that a sidecar computes apart from its script, such as to collect garbage, in ms. */
const besidesMs = 1_000;
/** The most that a sidecar computes while it waits for one call, in ms: it polls for 0.2 ms and reads the answer. */
const callMs = 1;

/** What can be seen of the sidecar from outside. */
interface Seen {
  /** Processor time of its process so far, in ms; `undefined` when the system does not report it. */
  computedMs: () => number | undefined;
  calls: () => number;
}

/**
 * Finds a sidecar that computes while host functions are pending. The clock of the deadline stands still then, so a
 * script that took over its sidecar would have no deadline while it calls: by default 100,000 times 30 s. An honest
 * sidecar uses at most a few times the time of its script, because built-ins have two more threads.
 */
export class BusyWait {
  readonly #mostMs: number;
  readonly #seen: Seen;
  readonly #onViolation: (error: SandboxError) => void;
  #timer: NodeJS.Timeout | undefined;
  /**
   * Measured at the first check and not at the start, because it reads a file, and a run with one short call need not
   * pay for that.
   */
  #computedBefore: number | undefined;

  constructor(timeoutMs: number, seen: Seen, onViolation: (error: SandboxError) => void) {
    this.#mostMs = wallFactor * timeoutMs + besidesMs;
    this.#seen = seen;
    this.#onViolation = onViolation;
  }

  /** Call this at the first call that the sidecar waits for. */
  start(): void {
    this.#timer ??= setInterval(() => this.#look(), lookMs);
  }

  /** Stops it for good. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const computed = this.#seen.computedMs();
    if (computed === undefined) return this.stop();
    const sinceMs = computed - (this.#computedBefore ??= computed);
    if (sinceMs <= this.#mostMs + callMs * this.#seen.calls()) return;
    this.stop();
    this.#onViolation(
      new SandboxError(
        'protocol_error',
        `The sidecar computed for ${sinceMs} ms in a run with host functions, over the limit of ${this.#mostMs} ms and ${callMs} ms for each call.`,
      ),
    );
  }
}
