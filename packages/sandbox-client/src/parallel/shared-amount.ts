/** An amount that runs share which are under way at the same time, such as the bytes that all of them may read. */
export class SharedAmount {
  readonly most: number;
  /** What the runs that have ended have used. */
  #ended = 0;
  /** What each of the others has used so far. */
  readonly #underWay = new Map<object, number>();

  constructor(most: number) {
    this.most = most;
  }

  get used(): number {
    let sum = this.#ended;
    for (const amount of this.#underWay.values()) sum += amount;
    return sum;
  }

  /** Below 0 when they have used too much. */
  get left(): number {
    return this.most - this.used;
  }

  /** @param amount all that the run has used so far */
  report(run: object, amount: number): void {
    this.#underWay.set(run, amount);
  }

  end(run: object): void {
    this.#ended += this.#underWay.get(run) ?? 0;
    this.#underWay.delete(run);
  }
}
