import type { Queue, Wanted } from './queue.ts';
import type { Sidecar } from './sidecar.ts';

/** A run that has waited for so long behind another one is for any sidecar that becomes free. */
const takeBackMs = 20;

interface Owner {
  maxProcesses: number;
  /** Whether a sidecar will do for one more run. */
  fits: (sidecar: Sidecar, wanted: Wanted) => boolean;
  /** Runs were taken back. */
  onTakenBack: () => void;
}

/**
 * Sends runs ahead where all sidecars are busy. A sidecar begins them without waiting for its client, which for a small run
 * takes longer than the run. It sends them where the last run was short, and takes them back if the present one is long.
 */
export class SendingAhead {
  readonly #queue: Queue;
  readonly #owner: Owner;
  #timer: NodeJS.Timeout | undefined;

  constructor(queue: Queue, owner: Owner) {
    this.#queue = queue;
    this.#owner = owner;
  }

  send(): void {
    if (this.#queue.length > 0 && this.#queue.sendAhead(this.#owner.fits)) this.#watch();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #watch(): void {
    // With one sidecar no other can become free.
    if (this.#owner.maxProcesses === 1) return;
    // What has come by then is read first: it may be the answer that the run waits for.
    this.#timer ??= setTimeout(() => setImmediate(() => this.#takeBack()), takeBackMs).unref();
  }

  #takeBack(): void {
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    if (this.#queue.takeBack(takeBackMs)) this.#watch();
    this.#owner.onTakenBack();
  }
}
