import {
  BusyPolling,
  createConnection,
  isBrokenPipe,
  SandboxError,
  toSandboxError,
  type CancelSignal,
  type Connection,
  type MessageBounds,
  type Params,
} from '@mustard-sandbox/protocol';
import type { Ask } from './asks.ts';
import type { HostAnswer } from './host-calls.ts';
import { assertGiven, boundsOutOfRun, type Incoming } from './incoming.ts';
import type { Subprocess } from './launch.ts';
import type { RunRequest } from './run-request.ts';
import { Task, type TaskOwner, type Times } from './task.ts';

/**
 * How many runs may wait in a sidecar. With several, host and sidecar seldom sleep, and waking costs more than a small
 * run.
 */
const mostAhead = 31;

/** What the wire needs to know about its sidecar, and what it reports. */
interface Owner extends Pick<TaskOwner, 'graceMs' | 'computedMs' | 'onViolation' | 'onOverdue' | 'onUnheeded'> {
  /** Bytes that the process has written so far. */
  bytesRead: () => number;
  /** Called when the pipe is broken, so the process is gone or about to be. */
  onBroken: () => void;
  /** Called when the sidecar has answered everything. */
  onQuiet: () => void;
  /** Called when it reported its memory, in bytes. */
  onMemory: (residentBytes: number) => void;
}

/** The wire to one sidecar: the present task, and the runs that wait in the sidecar behind it. */
export class Wire {
  /** When the last task ended, by `performance.now()`. */
  answeredAt = 0;
  /** How long that task took, in ms. */
  lastMs = Infinity;
  readonly #owner: Owner;
  readonly #ownerOfTasks: TaskOwner;
  readonly #polling = new BusyPolling();
  #connection: Connection | undefined;
  #task: Task | undefined;
  /** Runs that were sent ahead and have not begun. */
  readonly #next: Task[] = [];
  /** Runs that were sent ahead and whose answers nobody has asked for yet. */
  readonly #ahead = new Map<Ask<unknown>, Task>();
  /** How many messages the sidecar has sent that were not answers. */
  #messages = 0;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#ownerOfTasks = {
      ...owner,
      heard: () => ({ bytes: owner.bytesRead(), messages: this.#messages }),
      // A script that has called once often calls again soon.
      onResume: () => this.#polling.start(),
      onSettled: (task) => this.#ended(task),
    };
  }

  get task(): Task | undefined {
    return this.#task;
  }

  /** How many runs were sent ahead and have not begun. */
  get waiting(): number {
    return this.#next.length;
  }

  /**
   * How many more runs may be sent ahead. It is 0 behind a run that calls its host, because that may wait for a person.
   */
  get room(): number {
    const { ask, cancellation } = this.#task ?? {};
    const mayWait = ask?.request?.callsHost === false && cancellation?.aborted === false;
    return mayWait ? mostAhead - this.#next.length : 0;
  }

  open(subprocess: Subprocess): void {
    const { onViolation, onBroken } = this.#owner;
    const connection = createConnection(subprocess.stdout, subprocess.stdin);
    this.#connection = connection;
    connection.boundMessages(() => this.#bounds());
    connection.onViolation(onViolation);
    connection.onRefusal(({ message }) => onViolation(new SandboxError('protocol_error', message)));
    connection.onClose(onBroken);
    connection.onRequest('sandbox/callHostFunction', (call) => this.#callHost(call));
    connection.onNotification('sandbox/console', (line) => this.#incoming('wrote to the console').console(line));
    connection.onNotification('sandbox/progress', (notice) => this.#incoming('reported progress').progress(notice));
    connection.listen();
  }

  /** Settles with the answer, or with the first reason why there is none. */
  perform<T>(ask: Ask<T>): Promise<T> {
    const task = new Task(ask, this.#ownerOfTasks);
    this.#task = task as Task;
    task.begin();
    void this.#send(task, ask.request?.signal && task.cancellation);
    return task.answer;
  }

  /**
   * Sends a run behind those that the sidecar has. It begins when they are answered, without waiting for the client,
   * and `answerTo` then gives its answer. If the sidecar is lost before that, nothing of the run has happened.
   */
  sendAhead(ask: Ask<unknown>): void {
    const task = new Task(ask, this.#ownerOfTasks);
    // Somebody asks for the answer later, or nobody does, so a failure must not count as unhandled.
    task.answer.catch(() => {});
    this.#next.push(task);
    this.#ahead.set(ask, task);
    void this.#send(task, task.cancellation);
  }

  /** Whether this run was sent ahead and has begun. */
  hasBegun(ask: Ask<unknown>): boolean {
    const task = this.#ahead.get(ask);
    return task !== undefined && !this.#next.includes(task);
  }

  /** The answer to a run that was sent ahead; `undefined` when it was not. */
  answerTo<T>(ask: Ask<T>): Promise<T> | undefined {
    const task = this.#ahead.get(ask);
    this.#ahead.delete(ask);
    return task?.answer as Promise<T> | undefined;
  }

  /** Call this when nobody will ask for the answer to this run, which was sent ahead. The sidecar still gives it. */
  withdraw(ask: Ask<unknown>): void {
    this.#ahead.get(ask)?.cancel();
    this.#ahead.delete(ask);
  }

  /** Asks the process to end. */
  sendExit(): void {
    this.#connection?.notify('exit', {});
  }

  /**
   * Fails the present task, because it has no answer to expect. Waiting runs have not begun, so they count as not sent.
   */
  lose(reason: SandboxError, spent?: Times): void {
    for (const { ask } of this.#next.splice(0)) this.#ahead.delete(ask);
    this.#task?.lose(reason, spent);
  }

  /** Call this when the sidecar will send nothing more. */
  close(reason: SandboxError, spent?: Times): void {
    this.lose(reason, spent);
    this.#connection?.dispose();
  }

  async #send<T>(task: Task<T>, signal: CancelSignal | undefined): Promise<void> {
    const { ask } = task;
    const { onBroken, onMemory, bytesRead } = this.#owner;
    const bytesBefore = bytesRead();
    try {
      const answer = await ask.send(this.#connection as Connection, signal);
      const { residentBytes } = answer as { residentBytes?: number };
      if (residentBytes !== undefined) onMemory(residentBytes);
      const read = this.#judged(() => {
        if (this.#next.includes(task as Task)) throw outOfRun('answered');
        return ask.read(answer, bytesRead() - bytesBefore);
      });
      task.succeed(read);
    } catch (error) {
      // The exit of the process will be noticed soon, and gives the reason.
      if (isBrokenPipe(error)) return onBroken();
      task.fail(this.#readFailure(toSandboxError(error), ask.request));
    }
  }

  /** The error that the sidecar answered with, or the violation in that error. */
  #readFailure(failure: SandboxError, request: RunRequest | undefined): SandboxError {
    const { attachmentsRead = [], residentBytes } = failure.details;
    if (residentBytes !== undefined) this.#owner.onMemory(residentBytes);
    try {
      this.#judged(() => request && assertGiven(attachmentsRead, request));
      return failure;
    } catch (violation) {
      return toSandboxError(violation);
    }
  }

  /** Returns the result of `check`, which checks an answer. If it throws, the sidecar has broken the protocol. */
  #judged<U>(check: () => U): U {
    try {
      return check();
    } catch (error) {
      this.#owner.onViolation(toSandboxError(error));
      throw error;
    }
  }

  #ended(task: Task): void {
    // A run that is too large to be sent ahead fails when its turn comes.
    if (this.#task !== task) return;
    this.answeredAt = performance.now();
    this.lastMs = task.ageMs;
    this.#polling.stop();
    do this.#task = this.#next.shift();
    while (this.#task?.isSettled === true);
    if (this.#task === undefined) this.#owner.onQuiet();
    else this.#task.begin();
  }

  /**
   * The bounds of the present task, but with the most bytes that any task allows, because answers to several tasks may
   * arrive together.
   */
  #bounds(): MessageBounds {
    const { bounds = boundsOutOfRun } = this.#task ?? {};
    let { bytes } = bounds;
    for (const next of this.#next) bytes = Math.max(bytes, next.bounds.bytes);
    return { ...bounds, bytes };
  }

  /**
   * Where messages of the present run go.
   *
   * @throws {SandboxError} `protocol_error` when no run is under way
   */
  #incoming(did: string): Incoming {
    const { incoming } = this.#task ?? {};
    if (incoming === undefined) throw outOfRun(did);
    this.#messages++;
    return incoming;
  }

  #callHost(call: Params<'sandbox/callHostFunction'>): Promise<HostAnswer> | HostAnswer {
    this.#polling.stop();
    return this.#judged(() => {
      const incoming = this.#incoming(`called '${call.name}'`);
      return (this.#task as Task).whilePaused(call.executionMs, (over) => incoming.call(call, over));
    });
  }
}

function outOfRun(did: string): SandboxError {
  return new SandboxError('protocol_error', `The sidecar ${did} for a run that is not under way.`);
}
