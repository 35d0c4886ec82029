import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredCall } from './store/store.ts';

/**
 * Writes down what happens to calls. Everything that comes in one turn of the event loop, or while the store is busy,
 * is written together, so that calls which are made together share one wait for the disk: 32 calls of 50 ms took 475 ms
 * when each of them waited twice. It waits for the next turn because SQLite works within one turn: without that, 32
 * timers that ended together caused 32 writes.
 */
export class CallLog {
  readonly #store: (calls: StoredCall[]) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #next: { calls: StoredCall[]; written: Promise<void> } | undefined;

  /** @param store resolves after the calls are written */
  constructor(store: (calls: StoredCall[]) => Promise<void>) {
    this.#store = store;
  }

  /** Resolves after the call is written. If a write fails, it rejects for all calls of that write. */
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
    // A failure of the previous write is reported to the callers of that write.
    this.#last = written.catch(() => {});
    return { calls, written };
  }
}
