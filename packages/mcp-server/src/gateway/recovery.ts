import type { Runs } from '@mustard-sandbox/runs';

const everyMs = 500;
/** A look that goes on with runs takes as long as their calls. */
const mostLooks = 8;

/** Goes on with runs that another process has decided on or has left, until it is disposed of. */
export class Recovery implements Disposable {
  readonly #runs: Runs;
  readonly #onProblem: (message: string) => void;
  readonly #looks = new Set<Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;
  #last = '';
  #isEnding = false;

  constructor(runs: Runs, onProblem: (message: string) => void) {
    this.#runs = runs;
    this.#onProblem = onProblem;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#look();
  }

  #look(): void {
    if (this.#looks.size >= mostLooks) return;
    const look = this.#runs.recover().catch((error: Error) => {
      // Once, and not twice a second; nor that the runs were closed meanwhile.
      if (error.message !== this.#last && !this.#isEnding) this.#onProblem(error.message);
      this.#last = error.message;
    });
    this.#looks.add(look);
    void look.finally(() => this.#looks.delete(look));
  }

  /** Leaves what is under way to the runs themselves, which end it when they are closed. */
  [Symbol.dispose](): void {
    this.#isEnding = true;
    clearInterval(this.#timer);
  }
}
