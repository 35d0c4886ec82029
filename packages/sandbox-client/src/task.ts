import {
  Cancellation,
  SandboxError,
  wallFactor,
  type CancelSignal,
  type MessageBounds,
  type RunSpent,
} from '@mustard-sandbox/protocol';
import type { Ask } from './asks.ts';
import { Backstop, type Heard } from './backstop.ts';
import { BusyWait } from './busy-wait.ts';
import { boundsOf, boundsOutOfRun, Incoming } from './incoming.ts';

/** The sidecar to which a task was sent. */
export interface TaskOwner {
  graceMs: number;
  heard: () => Heard;
  /** Processor time of its process so far, in ms; `undefined` when the system does not report it. */
  computedMs: () => number | undefined;
  /** Called when the sidecar did what no sidecar may do. */
  onViolation: (error: SandboxError) => void;
  /** Called when the sidecar should have answered long ago. */
  onOverdue: (task: Task) => void;
  /** Called when the sidecar was told to stop, and has not answered within the grace period. */
  onUnheeded: () => void;
  /** Called when the sidecar continues after a pause. */
  onResume: () => void;
  /** Called at the first outcome. */
  onSettled: (task: Task) => void;
}

/** How much time a run has used: wall time and processor time, in ms. */
export type Times = Pick<RunSpent, 'executionMs' | 'cpuMs'>;

/**
 * One request to a sidecar. The first outcome counts, and later ones are dropped. It may be sent before its turn; its
 * time counts from `begin`.
 */
export class Task<T = unknown> {
  /** Settles with the first outcome. */
  readonly answer: Promise<T>;
  readonly ask: Ask<T>;
  /** The bounds for messages of the sidecar during this task. */
  readonly bounds: MessageBounds;
  /** Checks what the sidecar sends during this task; `undefined` when the task is not a run, or has not begun. */
  incoming: Incoming | undefined;
  /** Cancels the request at the sidecar. */
  readonly cancellation = new Cancellation();
  isSettled = false;
  readonly #owner: TaskOwner;
  #backstop: Backstop | undefined;
  #busyWait: BusyWait | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #beganAt: number | undefined;
  /** The time that it has used, as the sidecar reported last. */
  #executionMs = 0;
  /** How many waits have stopped its clock. */
  #pauses = 0;
  /** When its clock started to run; `undefined` while the clock stands still. */
  #runningSince: number | undefined;
  readonly #over = new Cancellation();
  #resolve: (answer: T) => void = () => {};
  #reject: (error: SandboxError) => void = () => {};

  constructor(ask: Ask<T>, owner: TaskOwner) {
    this.ask = ask;
    this.#owner = owner;
    this.bounds = ask.request === undefined ? boundsOutOfRun : boundsOf(ask.request);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Call this when the sidecar has answered everything before this task. */
  begin(): void {
    const { timeoutMs, request } = this.ask;
    const { graceMs, heard, computedMs, onOverdue, onViolation } = this.#owner;
    this.#beganAt = this.#runningSince = performance.now();
    if (request !== undefined) this.incoming = new Incoming(request);
    // The sidecar measures what it computes, and ends itself. This wall time bounds a run when the sidecar does not.
    const wallMs = request === undefined ? timeoutMs : wallFactor * timeoutMs;
    // The sidecar's watchdog ends it a grace period after that and can report what was computed, so the watchdog should
    // come first.
    const patienceMs = request === undefined ? graceMs : 3 * graceMs;
    this.#backstop = new Backstop(wallMs, patienceMs, heard, () => onOverdue(this as Task));
    this.#busyWait = new BusyWait(timeoutMs, { computedMs, calls: () => heard().messages }, onViolation);
    request?.signal?.addEventListener('abort', this.cancel, { once: true });
    if (this.cancellation.aborted || request?.signal?.aborted === true) this.cancel();
  }

  /**
   * Call this when nobody waits for the task any more. The sidecar is told to stop, and has the grace period to answer
   * once it is the turn of this task.
   */
  readonly cancel = (): void => {
    this.cancellation.cancel();
    const { graceMs, onUnheeded } = this.#owner;
    if (this.#beganAt !== undefined && !this.isSettled) this.#graceTimer ??= setTimeout(onUnheeded, graceMs);
  };

  /** How long it has been under way, in ms. */
  get ageMs(): number {
    return this.#beganAt === undefined ? 0 : performance.now() - this.#beganAt;
  }

  /** Whether the host stood still during the wait. If so, the sidecar's silence proves nothing. */
  get isInDoubt(): boolean {
    return this.#backstop?.isInDoubt ?? false;
  }

  succeed(answer: T): void {
    this.#settle();
    this.#resolve(answer);
  }

  fail(error: SandboxError): void {
    this.#settle();
    this.#reject(error);
  }

  /**
   * Fails the task because the sidecar is lost. The error says what the run had used until now, if that is known.
   *
   * @param times as the sidecar reported them at its end
   */
  lose(error: SandboxError, times?: Times): void {
    const runningMs = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince;
    const spent = this.incoming?.spentUntilLost({ executionMs: this.#executionMs + runningMs, ...times });
    if (spent !== undefined) error.details.spent ??= spent;
    this.fail(error);
  }

  /**
   * Stops the clock until `wait` and all other waits have ended. The signal for `wait` is aborted when the task ends
   * first. Returns a promise only if `wait` does: where a host uses `AsyncLocalStorage`, Node 20 takes 0.3 µs for each
   * promise.
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
    this.#pauses++;
    this.#backstop?.pause();
    let waited: Promise<U> | U;
    try {
      waited = wait(this.#over);
    } catch (error) {
      this.#resumeClock();
      throw error;
    }
    if (waited instanceof Promise) {
      this.#busyWait?.start();
      return this.#resumeAfter(waited);
    }
    this.#resumeClock();
    return waited;
  }

  /** Makes one promise. An async function would make two. */
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
    // A script that awaits several calls still waits after the first of them is answered.
    if (--this.#pauses > 0) return;
    this.#runningSince = performance.now();
    if (this.isSettled) return;
    this.#backstop?.resume();
    this.#owner.onResume();
  }

  #settle(): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.#backstop?.stop();
    this.#busyWait?.stop();
    clearTimeout(this.#graceTimer);
    this.ask.request?.signal?.removeEventListener('abort', this.cancel);
    this.#over.cancel();
    this.#owner.onSettled(this as Task);
  }
}
