import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolErrorCode, type CallToolResult, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { noTask, pollIntervalMs, requireTasks, taskAfterMs, taskSchema, type Task } from './tasks.ts';

/** How long a client can fetch the result of a task, in ms. */
const keptMs = 10 * 60_000;
/** How many ended tasks of a user are kept. The oldest is dropped first. */
const mostEnded = 100;

type DetailedTask = Task & { result?: object; error?: { code: number; message: string } };

interface Kept {
  cancel: AbortController;
  createdAt: number;
  updatedAt: number;
  end?: { status: 'completed'; result: object } | { status: 'failed'; error: { code: number; message: string } };
}

/** What a call does: it stops at the signal, and calls `begin` when nobody has to be asked any more. */
export type Work<T> = (signal: AbortSignal, begin: () => void) => Promise<T>;

/** The tasks of one user, in memory: scripts that take long. They outlive the connection, but not the server. */
export class ScriptTasks {
  readonly #tasks = new Map<string, Kept>();

  /** Answers `tasks/get`, `tasks/update` and `tasks/cancel` of one client. */
  serve(server: Server): void {
    const find = (taskId: string, context: ServerContext): Kept => {
      requireTasks(server, context);
      const task = this.#tasks.get(taskId);
      if (task === undefined) throw noTask(taskId);
      return task;
    };
    server.setRequestHandler('tasks/get', { params: taskSchema }, ({ taskId }, context) =>
      detailsOf(taskId, find(taskId, context)),
    );
    // A person is asked before there is a task, so there is nothing to update.
    server.setRequestHandler('tasks/update', { params: taskSchema }, ({ taskId }, context) => {
      find(taskId, context);
      return {};
    });
    server.setRequestHandler('tasks/cancel', { params: taskSchema }, ({ taskId }, context) => {
      const task = find(taskId, context);
      if (task.end === undefined) task.cancel.abort();
      return {};
    });
  }

  /** The result of work that ends soon, or a task for longer work. */
  async answer<T extends object>(work: Work<T>, signal: AbortSignal): Promise<T | CallToolResult> {
    const cancel = new AbortController();
    const onAbort = (): void => cancel.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      let begin = (): void => {};
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const whole = work(cancel.signal, begin);
      const late = begun.then(() => sleep(taskAfterMs, undefined, { ref: false }));
      return (await Promise.race([whole, late])) ?? this.#keep(whole, cancel);
    } finally {
      // The task outlives the request.
      signal.removeEventListener('abort', onAbort);
    }
  }

  #keep(whole: Promise<object>, cancel: AbortController): CallToolResult {
    // The id is random and known to its client only, because anyone who has it gets the result.
    const taskId = randomBytes(16).toString('hex');
    const now = Date.now();
    const task: Kept = { cancel, createdAt: now, updatedAt: now };
    this.#tasks.set(taskId, task);
    const end = (how: NonNullable<Kept['end']>): void => {
      task.end = how;
      task.updatedAt = Date.now();
      this.#dropEnded();
      setTimeout(() => this.#tasks.delete(taskId), keptMs).unref();
    };
    whole.then(
      (result) => end({ status: 'completed', result: { resultType: 'complete', ...result } }),
      (error: Error) =>
        end({ status: 'failed', error: { code: ProtocolErrorCode.InternalError, message: error.message } }),
    );
    return { resultType: 'task', ...detailsOf(taskId, task) } as unknown as CallToolResult;
  }

  #dropEnded(): void {
    const ended = [...this.#tasks].filter(([, { end }]) => end !== undefined);
    for (const [taskId] of ended.slice(0, -mostEnded)) this.#tasks.delete(taskId);
  }
}

function detailsOf(taskId: string, { cancel, createdAt, updatedAt, end }: Kept): DetailedTask {
  const task = {
    taskId,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: end === undefined ? null : updatedAt - createdAt + keptMs,
    pollIntervalMs,
  };
  if (cancel.signal.aborted) return { ...task, status: 'cancelled' };
  if (end !== undefined) return { ...task, ...end };
  const seconds = Math.round((Date.now() - createdAt) / 1_000);
  return { ...task, status: 'working', statusMessage: `The script has been running for ${seconds} s.` };
}
