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

/** The wire that a task was sent on. */
export interface TaskOwner {
  graceMs: number;
  heard: () => Heard;
  /** Processor time of its process so far; `undefined` where the system does not tell. */
  computedMs: () => number | undefined;
  /** The sidecar did what no sidecar may do. */
  onViolation: (error: SandboxError) => void;
  /** The sidecar should have answered long ago. */
  onOverdue: (task: Task) => void;
  /** The sidecar was told that nobody waits any more, and has not answered within the grace period. */
  onUnheeded: () => void;
  /** The sidecar goes on after a pause. */
  onResume: () => void;
  /** Called at the first outcome. */
  onSettled: (task: Task) => void;
}

/** What a run has used of its time, by the clock on the wall and of processors. */
export type Times = Pick<RunSpent, 'executionMs' | 'cpuMs'>;

/**
 * One request to a sidecar. The first outcome counts, and later ones are dropped. It may be sent before its turn; its time
 * counts from `begin`.
 */
export class Task<T = unknown> {
  /** Settles with the first outcome. */
  readonly answer: Promise<T>;
  readonly ask: Ask<T>;
  /** What the messages of the sidecar may hold during this task. */
  readonly bounds: MessageBounds;
  /** What the sidecar says during this task; `undefined` when it is no run, or has not begun. */
  incoming: Incoming | undefined;
  /** Cancels the request at the sidecar. */
  readonly cancellation = new Cancellation();
  isSettled = false;
  readonly #owner: TaskOwner;
  #backstop: Backstop | undefined;
  #busyWait: BusyWait | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #beganAt: number | undefined;
  /** What it has used of its time, as the sidecar said last. */
  #executionMs = 0;
  /** What it waits for with its clock stopped. */
  #pauses = 0;
  /** Since then; `undefined` while the clock stands still. */
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

  /** It is under way: the sidecar has answered what it was asked before. */
  begin(): void {
    const { timeoutMs, request } = this.ask;
    const { graceMs, heard, computedMs, onOverdue, onViolation } = this.#owner;
    this.#beganAt = this.#runningSince = performance.now();
    if (request !== undefined) this.incoming = new Incoming(request);
    // The sidecar counts what it computes, and ends itself. This bounds a run that it does not, by the clock on the wall.
    const wallMs = request === undefined ? timeoutMs : wallFactor * timeoutMs;
    // Its watchdog ends it a grace period after that, and can say what was computed: it should come first.
    const patienceMs = request === undefined ? graceMs : 3 * graceMs;
    this.#backstop = new Backstop(wallMs, patienceMs, heard, () => onOverdue(this as Task));
    this.#busyWait = new BusyWait(timeoutMs, { computedMs, calls: () => heard().messages }, onViolation);
    request?.signal?.addEventListener('abort', this.cancel, { once: true });
    if (this.cancellation.aborted || request?.signal?.aborted === true) this.cancel();
  }

  /** Nobody waits for it any more. The sidecar is told, and once it is the turn of this task it has the grace period to answer. */
  readonly cancel = (): void => {
    this.cancellation.cancel();
    const { graceMs, onUnheeded } = this.#owner;
    if (this.#beganAt !== undefined && !this.isSettled) this.#graceTimer ??= setTimeout(onUnheeded, graceMs);
  };

  /** For how long it has been under way, in ms. */
  get ageMs(): number {
    return this.#beganAt === undefined ? 0 : performance.now() - this.#beganAt;
  }

  /** Whether the host stood still while it waited: then silence proves nothing about the sidecar. */
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
   * Fails because the sidecar is lost: with what the run had used until now, as far as that is known.
   *
   * @param times as the sidecar told them at its end
   */
  lose(error: SandboxError, times?: Times): void {
    const runningMs = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince;
    const spent = this.incoming?.spentUntilLost({ executionMs: this.#executionMs + runningMs, ...times });
    if (spent !== undefined) error.details.spent ??= spent;
    this.fail(error);
  }

  /**
   * Stops the clock for as long as `wait` takes, and anything else that it waits for; its signal is aborted when the task is over before. It gives a promise
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
    // A script that awaits several calls waits on when the first of them is answered.
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
