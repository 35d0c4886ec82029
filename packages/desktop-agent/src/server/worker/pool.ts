import { AgentError } from '../../shared/contract/index.ts';
import { tooMuch } from '../git/objects/budget.ts';
import type { TaskName } from './tasks.ts';
import { WorkerThread } from './worker-thread.ts';
import { errorOf } from './wire.ts';

/** A slow app takes one thread, and the other one is left for the other apps. */
const maxThreads = 2;
const defaultTimeoutMs = 60_000;

export interface WorkOptions {
  /** How long the task may run, in ms. Waiting for a thread does not count. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Whether an abort ends the thread. Otherwise the task goes on, and its result is dropped. */
  endsOnAbort?: boolean;
  /** Makes the error for a task that takes longer. */
  tooLong?: ((timeoutMs: number) => AgentError) | undefined;
}

interface Job extends WorkOptions {
  app: string;
  task: TaskName;
  args: readonly unknown[];
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Threads that run tasks, started on demand. The tasks of one app run one by one, so no app takes all threads. */
export class WorkerPool {
  readonly #waiting: Job[] = [];
  /** The apps whose tasks run. */
  readonly #running = new Set<string>();
  /** The oldest thread is first. It is preferred, because it still has in memory what it has read. */
  #threads: WorkerThread[] = [];
  readonly #memoryMb: number;

  /** @param options.memoryMb the largest heap of a thread, in MB */
  constructor({ memoryMb = 768 }: { memoryMb?: number } = {}) {
    this.#memoryMb = memoryMb;
  }

  /** @param args the folder of the app, then the other arguments of the task; all are cloned */
  async run(task: TaskName, args: readonly [app: string, ...rest: unknown[]], options: WorkOptions): Promise<unknown> {
    options.signal?.throwIfAborted();
    const work = new Promise((resolve, reject) => {
      this.#waiting.push({ ...options, app: args[0], task, args, resolve, reject });
    });
    this.#startNext();
    return await orAborted(work, options.signal);
  }

  async end(): Promise<void> {
    const closing = new AgentError('internal', 'This was not done: the program is closing.');
    for (const { reject } of this.#waiting.splice(0)) reject(closing);
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #startNext(): void {
    const index = this.#waiting.findIndex(({ app }) => !this.#running.has(app));
    const job = this.#waiting[index];
    if (job === undefined || this.#running.size === maxThreads) return;
    this.#waiting.splice(index, 1);
    this.#running.add(job.app);
    void this.#do(job)
      .then(job.resolve, job.reject)
      .finally(() => {
        this.#running.delete(job.app);
        this.#startNext();
      });
    this.#startNext();
  }

  async #do({ task, args, timeoutMs = defaultTimeoutMs, signal, endsOnAbort, tooLong }: Job): Promise<unknown> {
    signal?.throwIfAborted();
    const thread = this.#freeThread();
    const end = (): void => void thread.end();
    if (endsOnAbort === true) signal?.addEventListener('abort', end, { once: true });
    const reply = await thread.ask({ task, args, env: personsEnvironment() }, timeoutMs);
    signal?.removeEventListener('abort', end);
    if (reply === 'late') throw (tooLong ?? tooLongToRead)(timeoutMs);
    if (reply === 'memory') throw tooMuch('more to read than fits into the memory for it');
    if ('failure' in reply) throw errorOf(reply.failure);
    return reply.value;
  }

  #freeThread(): WorkerThread {
    this.#threads = this.#threads.filter(({ state }) => state !== 'ended');
    const free = this.#threads.find(({ state }) => state === 'idle');
    if (free !== undefined) return free;
    const thread = new WorkerThread(this.#memoryMb);
    this.#threads.push(thread);
    return thread;
  }
}

function tooLongToRead(timeoutMs: number): AgentError {
  return tooMuch(`more to read than is possible within ${timeoutMs / 1000} s`);
}

/** The variables that say where git's settings are; see `author.ts`. A thread gets no other variable. */
function personsEnvironment(): Record<string, string> {
  const names = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}
