import { SandboxError, wallFactor } from '@mustard-sandbox/protocol';

/** How often it looks at what the sidecar has computed. */
const lookMs = 1_000;
/** What a sidecar computes at most beside its script, such as to collect garbage. */
const besidesMs = 1_000;
/** What a sidecar computes at most while it waits for one call: it polls for 0.2 ms, and reads the answer. */
const callMs = 1;

/** What is known of the sidecar from outside. */
interface Seen {
  /** Processor time of its process so far; `undefined` where the system does not tell. */
  computedMs: () => number | undefined;
  calls: () => number;
}

/**
 * Finds a sidecar that computes while host functions are pending. The clock of the deadline stands still then, so a
 * script that took its sidecar over would have no deadline for as long as it calls: 100,000 times 30 s by default. An
 * honest sidecar uses at most a few times the time of its script, because built-ins have two more threads.
 */
export class BusyWait {
  readonly #mostMs: number;
  readonly #seen: Seen;
  readonly #onViolation: (error: SandboxError) => void;
  #timer: NodeJS.Timeout | undefined;
  /** At the first look: it reads a file, which a run with one short call need not pay for. */
  #computedBefore: number | undefined;

  constructor(timeoutMs: number, seen: Seen, onViolation: (error: SandboxError) => void) {
    this.#mostMs = wallFactor * timeoutMs + besidesMs;
    this.#seen = seen;
    this.#onViolation = onViolation;
  }

  /** From the first call that the sidecar waits for. */
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
        `The sidecar computed for ${sinceMs} ms in a run with host functions, over ${this.#mostMs} ms and ${callMs} ms a call.`,
      ),
    );
  }
}
