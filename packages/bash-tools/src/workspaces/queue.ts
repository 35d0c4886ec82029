import { within } from '@mustard-sandbox/protocol';
import { BashError } from '../errors.ts';
import type { BashLimits } from '../limits.ts';

/** Lets a fixed number of commands run at once, and the others wait in the order of asking. */
export class CommandQueue {
  readonly #limits: Pick<BashLimits, 'maxConcurrent' | 'maxQueue' | 'queueTimeoutMs'>;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: Pick<BashLimits, 'maxConcurrent' | 'maxQueue' | 'queueTimeoutMs'>) {
    this.#limits = limits;
  }

  /**
   * @throws {BashError} `queue_full`, `queue_timeout`
   * @throws {SandboxError} `cancelled` when the signal is aborted before its turn; and the error of `work`
   */
  async inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    const { maxConcurrent, maxQueue, queueTimeoutMs } = this.#limits;
    if (this.#running < maxConcurrent && this.#waiting.length === 0) return void this.#running++;
    if (this.#waiting.length >= maxQueue) {
      const message = `${this.#running} commands run and ${maxQueue} wait, which is all that maxConcurrent and maxQueue allow. Try again later.`;
      throw new BashError('queue_full', message, { details: { maxConcurrent, maxQueue } });
    }
    let enter!: () => void;
    const turn = new Promise<void>((resolve) => (enter = resolve));
    this.#waiting.push(enter);
    const error = (): BashError => {
      const message = `The command waited for ${queueTimeoutMs} ms (queueTimeoutMs) while ${maxConcurrent} others ran. Try again later.`;
      return new BashError('queue_timeout', message, { details: { maxConcurrent, queueTimeoutMs } });
    };
    try {
      await within(turn, { signal, timeout: { ms: queueTimeoutMs, error }, cancelled: 'The command was cancelled.' });
    } catch (problem) {
      const at = this.#waiting.indexOf(enter);
      if (at >= 0) this.#waiting.splice(at, 1);
      // Its turn came at the same moment, so it passes the turn to the next one.
      else this.#leave();
      throw problem;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
