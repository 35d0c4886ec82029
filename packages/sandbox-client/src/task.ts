import { Cancellation, type CancelSignal, type SandboxError } from '@mustard-sandbox/daemon/protocol';
import { PausableTimer } from './deadline.ts';
import { Incoming } from './incoming.ts';
import type { RunRequest } from './run-request.ts';

// The longest that a Node timer can wait.
const maxTimerMs = 2 ** 31 - 1;

/** Something that a sidecar was asked to do. The first outcome counts; what comes later is dropped. */
export class Task<T = unknown> {
  /** Settles with that outcome. */
  readonly answer: Promise<T>;
  readonly timeoutMs: number;
  /** Absent when what is under way is no run: then nothing may come but the answer. */
  readonly incoming: Incoming | undefined;
  readonly #timer: PausableTimer;
  #settled = false;
  readonly #over = new Cancellation();
  #resolve: (answer: T) => void = () => {};
  #reject: (error: SandboxError) => void = () => {};

  /** @param onOverdue called once `timeoutMs` and `graceMs` have passed, not counting pauses */
  constructor(timeoutMs: number, graceMs: number, request: RunRequest | undefined, onOverdue: () => void) {
    this.timeoutMs = timeoutMs;
    this.incoming = request === undefined ? undefined : new Incoming(request);
    this.#timer = new PausableTimer(Math.min(timeoutMs + graceMs, maxTimerMs), onOverdue);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  succeed(answer: T): void {
    this.#settle();
    this.#resolve(answer);
  }

  fail(error: SandboxError): void {
    this.#settle();
    this.#reject(error);
  }

  /** Stops the clock for as long as `wait` takes; its signal is aborted when the task is over before. */
  async whilePaused<U>(wait: (over: CancelSignal) => Promise<U>): Promise<U> {
    this.#timer.pause();
    try {
      return await wait(this.#over);
    } finally {
      if (!this.#settled) this.#timer.resume();
    }
  }

  #settle(): void {
    this.#settled = true;
    this.#timer.stop();
    this.#over.cancel();
  }
}
