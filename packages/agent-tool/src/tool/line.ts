import { within } from '@mustard-sandbox/client';

/** Runs one piece of work at a time, in the order of the calls. */
export class Line {
  #last: Promise<void> = Promise.resolve();

  /** @throws {SandboxError} `cancelled` when the signal is aborted before the turn came; and what `work` throws */
  async inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let leave = (): void => {};
    const done = new Promise<void>((resolve) => (leave = resolve));
    this.#last = before.then(() => done);
    try {
      await within(before, { signal });
      return await work();
    } finally {
      leave();
    }
  }
}
