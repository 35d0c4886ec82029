import { availableParallelism } from 'node:os';

const pollMs = 0.2;
const mostMisses = 8;
/** With one processor, the peer would wait for the one who waits for it. */
const canHelp = availableParallelism() > 1;

/**
 * Keeps the event loop going round for a moment in which the peer is likely to say something, instead of sleeping.
 * Waking an idle processor takes 30 µs and more on many machines, several times what a host function takes, or a piece
 * of a script between two calls.
 *
 * Adaptive: where nothing comes in time, because the peer has more to do or the processors have, it is left out the next
 * few times, twice as many after each such miss.
 */
export class BusyPolling {
  #until = 0;
  #turn: NodeJS.Immediate | undefined;
  #misses = 0;
  #toSkip = 0;

  start(): void {
    if (!canHelp || this.#turn !== undefined) return;
    if (this.#toSkip > 0) {
      this.#toSkip--;
      return;
    }
    this.#until = performance.now() + pollMs;
    this.#turn = setImmediate(this.#goRound);
  }

  /** Something came, or is not to be waited for any more. */
  stop(): void {
    if (this.#turn === undefined) return;
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#misses = 0;
  }

  readonly #goRound = (): void => {
    if (performance.now() < this.#until) {
      this.#turn = setImmediate(this.#goRound);
      return;
    }
    this.#turn = undefined;
    this.#misses = Math.min(this.#misses + 1, mostMisses);
    this.#toSkip = 2 ** this.#misses;
  };
}
