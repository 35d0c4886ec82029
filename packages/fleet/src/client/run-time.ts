interface Start {
  sidecar: number;
  queueMs: number;
}

/** The time of one run, counted from its submission. */
export class RunTime {
  /** Where and when it began, by `performance.now()`. Absent until a worker takes it. */
  started: { sidecar: number; at: number } | undefined;
  readonly #onStart: (facts: Start) => void;
  #until: number;

  /** @param onStart called once */
  constructor(ms: number, onStart: (facts: Start) => void = () => {}) {
    this.#until = performance.now() + ms;
    this.#onStart = onStart;
  }

  start(facts: Start): void {
    if (this.started !== undefined) return;
    this.started = { sidecar: facts.sidecar, at: performance.now() };
    this.#onStart(facts);
  }

  leftMs(): number {
    return Math.max(1, Math.ceil(this.#until - performance.now()));
  }

  /** Does work whose time does not count. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.#until += performance.now() - began;
    }
  }
}
