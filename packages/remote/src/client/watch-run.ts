import { PausableTimer } from '@mustard-sandbox/client/peer';
import { SandboxError, type CancelSignal } from '@mustard-sandbox/protocol';

interface Times {
  timeoutMs: number;
  /** Beyond the deadline. */
  graceMs: number;
  /** Before the run begins. */
  maxWaitMs: number;
  signal: CancelSignal | undefined;
}

/** How long a server may take to end a run that was cancelled. */
const cancelMs = 2_000;

/**
 * Gives up on a server that does not answer. An honest one ends each run at its deadline and tells a cancelled one's end;
 * this is for a server that hangs, or that lies.
 */
export class RunWatch {
  /** The server has answered, if only that its connection broke. */
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

  /** A process took the run up. */
  started(): void {
    this.#hasBegun = true;
    this.#timer.resume(this.#times.timeoutMs + this.#times.graceMs);
  }

  /** The server waits for a function of this host. */
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
    const error = new SandboxError('cancelled', 'The run was cancelled. The server has not told its end.');
    this.#cancelTimer = setTimeout(() => this.#reject(error), cancelMs);
  }
}

function waitedTooLong(maxWaitMs: number): SandboxError {
  return new SandboxError('sidecar_unavailable', `No process of the server took up the run within ${maxWaitMs} ms.`);
}

function silent(timeoutMs: number): SandboxError {
  return new SandboxError(
    'timeout',
    `The server did not answer, long after the run's ${timeoutMs} ms. Whether the script ended is not known.`,
    { details: { limit: 'timeout_ms', value: timeoutMs, unit: 'ms' } },
  );
}
