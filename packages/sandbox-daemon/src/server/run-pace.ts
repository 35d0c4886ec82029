import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pace } from '../files/pace.ts';

/** How long a run may block the event loop before it lets a cancel request be read. */
const turnMs = 5;

/** How often is looked whether the run is over, while it waits for something else. */
const lookMs = 10;

/** The pace of one run: of its steps, and of its built-ins. */
export class RunPace implements Pace {
  #turnStarted = performance.now();
  #stopIfOver = (): void => {};

  /** @param stopIfOver throws when the run is over */
  begin(stopIfOver: () => void): void {
    this.#stopIfOver = stopIfOver;
  }

  check(): void {
    this.#stopIfOver();
  }

  turn(): Promise<void> | undefined {
    if (performance.now() - this.#turnStarted > turnMs) return this.#turn();
    this.#stopIfOver();
    return undefined;
  }

  /** The event loop has just turned. */
  turned(): void {
    this.#turnStarted = performance.now();
    this.#stopIfOver();
  }

  async within<T>(work: Promise<T>, stop?: () => void): Promise<T> {
    let look: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      look = setInterval(() => {
        try {
          this.#stopIfOver();
        } catch (error) {
          // Not again: what is stopped may take a while to end.
          clearInterval(look);
          stop?.();
          reject(error);
        }
      }, lookMs);
    });
    try {
      const result = await Promise.race([work, over]);
      this.turned();
      return result;
    } finally {
      clearInterval(look);
      // When the run is over first, nobody waits for the other any more.
      work.catch(() => {});
    }
  }

  async #turn(): Promise<void> {
    await nextTurn();
    this.turned();
  }
}
