import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { AgentError } from '../../contract/index.ts';
import { threadMemoryMb } from './limits.ts';
import type { Answer, Reply, Request } from './messages.ts';

/**
 * The thread in which apps are read, since much of that stops whatever else a thread does: lists of 100,000 files, patterns
 * of a hostile repository, counting of tokens. One that hangs is ended; the next request starts another.
 */
export class ReadingThread implements AsyncDisposable {
  #worker: Worker | undefined;
  /** One request at a time: a thread that is ended takes no other with it. */
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** @throws {AgentError} `not_found`, `limit_exceeded`, `internal`; what `signal` was aborted with */
  async ask(request: Request, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
    const turn = this.#last.then(() => {
      signal?.throwIfAborted();
      return this.#answerTo(request, timeoutMs);
    });
    this.#last = turn.catch(() => {});
    return await orAborted(turn, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  async #answerTo(request: Request, timeoutMs: number): Promise<Answer> {
    if (this.#closed) throw new AgentError('internal', 'The files of the app were not read: the program is closing.');
    const worker = (this.#worker ??= this.#start());
    const reply = await replyOf(worker, request, timeoutMs);
    if (reply === 'late') {
      await worker.terminate();
      throw tooLong(request.appPath, timeoutMs);
    }
    if ('value' in reply) return reply.value;
    throw failure(reply.error, request.appPath);
  }

  #start(): Worker {
    // By its name in the package: this file may run as it is written, the thread only as it is built.
    const file = createRequire(import.meta.url).resolve('#context-worker');
    const resourceLimits = { maxOldGenerationSizeMb: threadMemoryMb };
    const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits });
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    return worker.on('error', forget).on('exit', forget);
  }
}

/** What the thread says, or that it said nothing in time. It keeps the program alive only meanwhile. */
async function replyOf(worker: Worker, request: Request, timeoutMs: number): Promise<Reply | 'late'> {
  const over = new AbortController();
  const { signal } = over;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    over.abort();
  }, timeoutMs);
  worker.ref();
  try {
    const message = once(worker, 'message', { signal }).then(([reply]) => reply as Reply);
    const exit = once(worker, 'exit', { signal }).then((): Reply => ({ error: 'its thread ended' }));
    exit.catch(() => {});
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    worker.postMessage(request);
    return await Promise.race([message, exit]);
  } catch (error) {
    return isLate ? 'late' : { error: (error as Error).message };
  } finally {
    clearTimeout(timer);
    // Takes the listeners off.
    over.abort();
    worker.unref();
  }
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

function failure(error: string, appPath: string): AgentError {
  if (error === 'ENOENT' || error === 'ENOTDIR') {
    return new AgentError('not_found', `The folder of the app is not there any more: ${appPath}`);
  }
  return new AgentError('internal', `The files of ${appPath} could not be read: ${error}`);
}

function tooLong(appPath: string, timeoutMs: number): AgentError {
  const what = `Reading the files of ${appPath} for the prompt took longer than ${timeoutMs} ms and was stopped.`;
  return new AgentError('limit_exceeded', `${what} Leave folders out in the context of the app, or in .gitignore.`);
}
