import type { Queue, Wanted } from './queue.ts';
import type { Sidecar } from './sidecar.ts';

/** A run that has waited this long behind another one may go to any sidecar that becomes free. */
const takeBackMs = 20;

interface Owner {
  maxProcesses: number;
  /** Whether a sidecar can take one more run. */
  fits: (sidecar: Sidecar, wanted: Wanted) => boolean;
  /** Called after runs were taken back. */
  onTakenBack: () => void;
}

/**
 * Sends runs ahead when all sidecars are busy. A sidecar then begins its next run without waiting for its client, which
 * takes longer than a small run. It sends runs ahead only to sidecars whose last run was short, and takes them back if
 * the present one is long.
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
    // With one sidecar, no other one can become free.
    if (this.#owner.maxProcesses === 1) return;
    // Messages that have arrived are read first, because one may be the answer that the run waits for.
    this.#timer ??= setTimeout(() => setImmediate(() => this.#takeBack()), takeBackMs).unref();
  }

  #takeBack(): void {
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    if (this.#queue.takeBack(takeBackMs)) this.#watch();
    this.#owner.onTakenBack();
  }
}
