import {
  BusyPolling,
  createConnection,
  isBrokenPipe,
  SandboxError,
  toSandboxError,
  type Connection,
  type Params,
} from '@mustard-sandbox/daemon/protocol';
import type { Heard } from './backstop.ts';
import type { HostAnswer } from './host-calls.ts';
import { boundsOutOfRun } from './incoming.ts';
import type { Subprocess } from './launch.ts';
import type { RunRequest } from './run-request.ts';
import { Task } from './task.ts';

/** What the sidecar at the other end needs to know, and has to decide. */
interface Owner {
  graceMs: number;
  /** Bytes that the process has written so far. */
  bytesRead: () => number;
  /** The sidecar did what no sidecar may do. */
  onViolation: (error: SandboxError) => void;
  /** The pipe is broken: the process is gone or about to be. */
  onBroken: () => void;
}

/** The part of a task that does not depend on its answer. */
type AnyTask = Pick<Task, 'incoming' | 'timeoutMs' | 'isInDoubt' | 'lose' | 'whilePaused'>;

interface TaskOptions {
  timeoutMs: number;
  request?: RunRequest | undefined;
  /** There is no answer, although deadline and grace period are over. */
  onOverdue: () => void;
}

/** The wire to one sidecar, with one task at a time, and what the sidecar says during that task. */
export class Wire {
  /** When the last task ended, by `performance.now()`. */
  answeredAt = 0;
  readonly #owner: Owner;
  readonly #polling = new BusyPolling();
  #connection: Connection | undefined;
  #task: AnyTask | undefined;
  /** How many messages the sidecar has sent that were not answers. */
  #messages = 0;
  readonly #heard = (): Heard => ({ bytes: this.#owner.bytesRead(), messages: this.#messages });
  /** A script that called once often calls again soon. */
  readonly #pollForNextCall = (): void => this.#polling.start();
  readonly #endTask = (): void => {
    this.answeredAt = performance.now();
    this.#polling.stop();
    this.#task = undefined;
  };

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  get task(): AnyTask | undefined {
    return this.#task;
  }

  open(subprocess: Subprocess): void {
    const { onViolation, onBroken } = this.#owner;
    const connection = createConnection(subprocess.stdout, subprocess.stdin);
    this.#connection = connection;
    connection.boundMessages(() => this.#task?.incoming?.bounds ?? boundsOutOfRun);
    connection.onViolation(onViolation);
    connection.onRefusal(({ message }) => onViolation(new SandboxError('protocol_error', message)));
    connection.onClose(onBroken);
    connection.onRequest('sandbox/callHostFunction', (call) => this.#callHost(call));
    connection.onNotification('sandbox/console', (line) => {
      const { incoming } = this.#task ?? {};
      if (incoming === undefined) throw outOfRun('wrote to the console');
      this.#messages++;
      incoming.console(line);
    });
    connection.onNotification('sandbox/progress', (notice) => {
      const { incoming } = this.#task ?? {};
      if (incoming === undefined) throw outOfRun('told of progress');
      this.#messages++;
      incoming.progress(notice);
    });
    connection.listen();
  }

  /** Settles with the answer, or with the first reason why there is none. */
  perform<T>({ timeoutMs, request, onOverdue }: TaskOptions, send: (connection: Connection) => Promise<T>): Promise<T> {
    const { graceMs } = this.#owner;
    const task = new Task<T>({
      timeoutMs,
      graceMs,
      request,
      heard: this.#heard,
      onOverdue,
      onResume: this.#pollForNextCall,
      onSettled: this.#endTask,
    });
    this.#task = task;
    send(this.#connection as Connection).then(
      (answer) => task.succeed(answer),
      (error: unknown) => {
        if (!isBrokenPipe(error)) return task.fail(toSandboxError(error));
        // The exit of the process will be noticed soon, and it tells the reason.
        this.#owner.onBroken();
      },
    );
    return task.answer;
  }

  /** Asks the process to end. */
  sendExit(): void {
    this.#connection?.notify('exit', {});
  }

  /** Nothing comes any more. */
  close(reason: SandboxError): void {
    this.#task?.lose(reason);
    this.#connection?.dispose();
  }

  #callHost(call: Params<'sandbox/callHostFunction'>): Promise<HostAnswer> | HostAnswer {
    this.#polling.stop();
    try {
      const { incoming } = this.#task ?? {};
      if (this.#task === undefined || incoming === undefined) throw outOfRun(`called '${call.name}'`);
      this.#messages++;
      return this.#task.whilePaused(call.executionMs, (over) => incoming.call(call, over));
    } catch (error) {
      this.#owner.onViolation(toSandboxError(error));
      throw error;
    }
  }
}

function outOfRun(did: string): SandboxError {
  return new SandboxError('protocol_error', `The sidecar ${did} for a run that is not under way.`);
}
