import type { ServerContext } from '@modelcontextprotocol/server';

/**
 * The time before the first message and between two, in ms. A client that waits 60 s for an answer starts that time
 * again with each message.
 */
const everyMs = 500;

/**
 * Reports to the client how long its call takes and what it waits for, if the client wants to know, until it is
 * disposed of.
 */
export class Progress implements Disposable {
  readonly #timer: NodeJS.Timeout | undefined;
  #startedAt = performance.now();
  #what = 'Running';

  /** @param isTold whether messages may be sent: not for a task, because its request is over first */
  constructor({ mcpReq }: ServerContext, isTold = true) {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined || !isTold) return;
    const begunAt = performance.now();
    this.#timer = setInterval(() => {
      // The number must grow, whatever the call waits for.
      const progress = secondsSince(begunAt);
      const message = `${this.#what} for ${secondsSince(this.#startedAt)} s`;
      // A client that is gone ends the call by its signal.
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
    }, everyMs);
  }

  /** Reports that the call waits for a person, as long as `answer` takes. */
  async asking<T>(answer: Promise<T>): Promise<T> {
    this.#now('Waiting for permission');
    try {
      return await answer;
    } finally {
      this.#now('Running');
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #now(what: string): void {
    this.#what = what;
    this.#startedAt = performance.now();
  }
}

function secondsSince(time: number): number {
  return Math.round((performance.now() - time) / 100) / 10;
}
