import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { failureOf, type Reply, type Request } from './wire.ts';

/** One thread. It keeps the program alive only while it runs a task. */
export class WorkerThread {
  readonly #worker: Worker;
  #state: 'idle' | 'busy' | 'ended' = 'idle';

  constructor(memoryMb: number) {
    // The name in the package leads to the built thread. This file may run from its source, but a thread cannot.
    const file = createRequire(import.meta.url).resolve('#worker');
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
    this.#worker = new Worker(file, { env: {}, execArgv: [], resourceLimits });
    const mark = (): void => {
      this.#state = 'ended';
    };
    this.#worker.on('error', mark).on('exit', mark);
  }

  get state(): 'idle' | 'busy' | 'ended' {
    return this.#state;
  }

  /** @returns `late` when no answer came in time, `memory` when the heap was too small. In both cases the thread has ended */
  async ask(request: Request, timeoutMs: number): Promise<Reply | 'late' | 'memory'> {
    const over = new AbortController();
    const { signal } = over;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      over.abort();
    }, timeoutMs);
    this.#state = 'busy';
    this.#worker.ref();
    try {
      const message = once(this.#worker, 'message', { signal }).then(([reply]) => reply as Reply);
      const exit = once(this.#worker, 'exit', { signal }).then((): Reply => {
        return { failure: failureOf(new Error('The worker thread ended in the middle of it.')) };
      });
      exit.catch(() => {});
      this.#worker.postMessage(request);
      return await Promise.race([message, exit]);
    } catch (error) {
      if (!isLate) return isOutOfMemory(error) ? 'memory' : { failure: failureOf(error) };
      await this.end();
      return 'late';
    } finally {
      clearTimeout(timer);
      // This removes the listeners.
      over.abort();
      this.#worker.unref();
      if (this.state === 'busy') this.#state = 'idle';
    }
  }

  async end(): Promise<void> {
    this.#state = 'ended';
    await this.#worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
