import type { Runs } from '@mustard-sandbox/runs';

const everyMs = 500;
/** A check that continues runs takes as long as their calls. */
const mostLooks = 8;

/** Continues runs that another process has decided on or has left, until it is disposed of. */
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
      // A problem is reported once and not twice a second, and not at all when the runs were closed meanwhile.
      if (error.message !== this.#last && !this.#isEnding) this.#onProblem(error.message);
      this.#last = error.message;
    });
    this.#looks.add(look);
    void look.finally(() => this.#looks.delete(look));
  }

  /** The runs themselves end their work when they are closed. */
  [Symbol.dispose](): void {
    this.#isEnding = true;
    clearInterval(this.#timer);
  }
}
