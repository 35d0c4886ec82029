import { SandboxError } from '@mustard-sandbox/protocol';
import type { AsidePace } from '../pace.ts';

/** How often it checks whether the run is over while a library works, in ms. */
const lookMs = 10;

/** The pace of one call in the thread. */
export class ThreadPace implements AsidePace {
  readonly #isOver: () => boolean;

  constructor(isOver: () => boolean) {
    this.#isOver = isOver;
  }

  /** Nobody sees its error, because the main thread knows why the run is over. */
  check(): void {
    if (this.#isOver()) throw new SandboxError('cancelled', 'The run is over.');
  }

  async within<T>(work: Promise<T>, stop?: () => void): Promise<T> {
    let look: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      look = setInterval(() => {
        try {
          this.check();
        } catch (error) {
          // It stops only once, because the library may take a while to end.
          clearInterval(look);
          stop?.();
          reject(error);
        }
      }, lookMs);
    });
    try {
      const result = await Promise.race([work, over]);
      this.check();
      return result;
    } finally {
      clearInterval(look);
      // When the run is over first, nobody waits for `work` any more.
      work.catch(() => {});
    }
  }
}
