import { Cancellation, SandboxError, wallFactor, type CancelSignal } from '@mustard-sandbox/daemon/protocol';
import { Backstop, type Heard } from './backstop.ts';
import { Incoming } from './incoming.ts';
import type { RunRequest } from './run-request.ts';

export interface TaskOptions {
  timeoutMs: number;
  graceMs: number;
  /** Absent when the task is not a run. Then only the answer may come. */
  request?: RunRequest | undefined;
  heard: () => Heard;
  /** Called when the sidecar should have answered long ago. */
  onOverdue: () => void;
  /** Called when the sidecar goes on after a pause. */
  onResume?: () => void;
  /** Called at the first outcome. */
  onSettled?: () => void;
}

/** One request to a sidecar. The first outcome counts, and later ones are dropped. */
export class Task<T = unknown> {
  /** Settles with the first outcome. */
  readonly answer: Promise<T>;
  readonly timeoutMs: number;
  readonly incoming: Incoming | undefined;
  readonly #backstop: Backstop;
  readonly #onResume: (() => void) | undefined;
  readonly #onSettled: (() => void) | undefined;
  /** What it has used of its time, as the sidecar said last. */
  #executionMs = 0;
  /** Since then; `undefined` while the clock stands still. */
  #runningSince: number | undefined = performance.now();
  #settled = false;
  readonly #over = new Cancellation();
  #resolve: (answer: T) => void = () => {};
  #reject: (error: SandboxError) => void = () => {};

  constructor({ timeoutMs, graceMs, request, heard, onOverdue, onResume, onSettled }: TaskOptions) {
    this.timeoutMs = timeoutMs;
    this.#onResume = onResume;
    this.#onSettled = onSettled;
    this.incoming = request === undefined ? undefined : new Incoming(request);
    // The sidecar counts what it computes, and ends itself. This bounds a run that it does not, by the clock on the wall.
    const wallMs = request === undefined ? timeoutMs : wallFactor * timeoutMs;
    this.#backstop = new Backstop(wallMs, graceMs, heard, onOverdue);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether the host stood still while it waited: then silence proves nothing about the sidecar. */
  get isInDoubt(): boolean {
    return this.#backstop.isInDoubt;
  }

  succeed(answer: T): void {
    this.#settle();
    this.#resolve(answer);
  }

  fail(error: SandboxError): void {
    this.#settle();
    this.#reject(error);
  }

  /** Fails because the sidecar is lost: with what the run had used until now, as far as that is known. */
  lose(error: SandboxError): void {
    const runningMs = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince;
    const spent = this.incoming?.spentUntilLost(this.#executionMs + runningMs);
    if (spent !== undefined) error.details.spent ??= spent;
    this.fail(error);
  }

  /**
   * Stops the clock for as long as `wait` takes; its signal is aborted when the task is over before. It gives a promise
   * only if `wait` does: where a host uses `AsyncLocalStorage`, Node 20 takes 0.3 µs for each promise.
   *
   * @param executionMs what the sidecar's clock says
   * @throws {SandboxError} `protocol_error` for a clock that goes back
   */
  whilePaused<U>(executionMs: number, wait: (over: CancelSignal) => Promise<U> | U): Promise<U> | U {
    if (executionMs < this.#executionMs) {
      throw new SandboxError('protocol_error', 'The clock of the sidecar went back.');
    }
    this.#executionMs = executionMs;
    this.#runningSince = undefined;
    this.#backstop.pause();
    let waited: Promise<U> | U;
    try {
      waited = wait(this.#over);
    } catch (error) {
      this.#resumeClock();
      throw error;
    }
    if (waited instanceof Promise) return this.#resumeAfter(waited);
    this.#resumeClock();
    return waited;
  }

  /** One promise. An async function would make two. */
  #resumeAfter<U>(waited: Promise<U>): Promise<U> {
    return waited.then(
      (answer) => {
        this.#resumeClock();
        return answer;
      },
      (error: unknown) => {
        this.#resumeClock();
        throw error;
      },
    );
  }

  #resumeClock(): void {
    this.#runningSince = performance.now();
    if (this.#settled) return;
    this.#backstop.resume();
    this.#onResume?.();
  }

  #settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#backstop.stop();
    this.#over.cancel();
    this.#onSettled?.();
  }
}
