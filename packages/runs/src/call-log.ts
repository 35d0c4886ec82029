import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredCall } from './store/store.ts';

/**
 * Writes down what becomes of calls. What comes in one turn of the event loop, or while the store is at work, is written in
 * one go, so that calls which are made together share one wait for the disk: 32 calls of 50 ms took 475 ms when each of them
 * waited twice. SQLite works within a turn: without waiting for the next one, 32 timers that end together wrote 32 times.
 */
export class CallLog {
  readonly #store: (calls: StoredCall[]) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #next: { calls: StoredCall[]; written: Promise<void> } | undefined;

  /** @param store resolves once they are written */
  constructor(store: (calls: StoredCall[]) => Promise<void>) {
    this.#store = store;
  }

  /** Resolves once the call is written. Rejects where it is not, with all that were written with it. */
  write(call: StoredCall): Promise<void> {
    this.#next ??= this.#after(this.#last);
    this.#next.calls.push(call);
    return this.#next.written;
  }

  #after(last: Promise<unknown>): { calls: StoredCall[]; written: Promise<void> } {
    const calls: StoredCall[] = [];
    const written = last.then(nextTurn).then(() => {
      this.#next = undefined;
      return this.#store(calls);
    });
    // Whether the ones before were written is for those who wrote them.
    this.#last = written.catch(() => {});
    return { calls, written };
  }
}
