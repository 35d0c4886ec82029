import { PausableTimer } from '@mustard-sandbox/client/peer';
import { SandboxError, type CancelSignal } from '@mustard-sandbox/protocol';

interface Times {
  timeoutMs: number;
  /** In addition to the deadline. */
  graceMs: number;
  /** Before the run begins. */
  maxWaitMs: number;
  signal: CancelSignal | undefined;
}

/** How long a server may take to end a cancelled run, in ms. */
const cancelMs = 2_000;

/**
 * Gives up on a server that does not answer. An honest server ends each run at its deadline and reports the end of a
 * cancelled run. This is for a server that hangs or lies.
 */
export class RunWatch {
  /** Whether the server has answered. A broken connection counts too. */
  isAnswered = false;
  readonly #times: Times;
  readonly #onAbort = (): void => this.#cancelled();
  readonly #timer: PausableTimer;
  #hasBegun = false;
  #cancelTimer: NodeJS.Timeout | undefined;
  #reject: (error: SandboxError) => void = () => {};

  constructor(times: Times) {
    this.#times = times;
    this.#timer = new PausableTimer(times.maxWaitMs, () => this.#reject(this.#tooLate()));
    times.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The answer, unless there is nothing more to wait for. */
  first<T>(asked: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const answered = (settle: () => void): void => {
        this.isAnswered = true;
        settle();
      };
      asked.then(
        (answer) => answered(() => resolve(answer)),
        (error: unknown) => answered(() => reject(error)),
      );
    });
  }

  /** Call this when a process has taken the run. */
  started(): void {
    this.#hasBegun = true;
    this.#timer.resume(this.#times.timeoutMs + this.#times.graceMs);
  }

  /** Call this when the server waits for a function of this host. */
  pause(): void {
    this.#timer.pause();
  }

  resume(): void {
    this.#timer.resume();
  }

  stop(): void {
    this.#timer.stop();
    clearTimeout(this.#cancelTimer);
    this.#times.signal?.removeEventListener('abort', this.#onAbort);
  }

  #tooLate(): SandboxError {
    const { timeoutMs, maxWaitMs } = this.#times;
    return this.#hasBegun ? silent(timeoutMs) : waitedTooLong(maxWaitMs);
  }

  #cancelled(): void {
    const error = new SandboxError('cancelled', 'The run was cancelled. The server has not confirmed its end.');
    this.#cancelTimer = setTimeout(() => this.#reject(error), cancelMs);
  }
}

function waitedTooLong(maxWaitMs: number): SandboxError {
  return new SandboxError('sidecar_unavailable', `No process of the server took the run within ${maxWaitMs} ms.`);
}

function silent(timeoutMs: number): SandboxError {
  return new SandboxError(
    'timeout',
    `The server did not answer, long after the run's ${timeoutMs} ms. Whether the script ended is not known.`,
    { details: { limit: 'timeout_ms', value: timeoutMs, unit: 'ms' } },
  );
}
