/**
 * Whose turn it is: the tenant that has had least for its weight. A tenant that had nothing to do begins where the others
 * are, so it has no claim on what it did not use.
 */
export class Turns {
  readonly #weights: ReadonlyMap<string, number>;
  /** Runs for the weight of each. */
  readonly #had = new Map<string, number>();
  /** What the tenant had that was served last. */
  #level = 0;

  constructor(tenants: readonly { name: string; weight: number }[]) {
    this.#weights = new Map(tenants.map(({ name, weight }) => [name, weight]));
  }

  /** Those that wait, whose turn it is first. */
  order(waiting: Iterable<string>): string[] {
    const level = (tenant: string): number => Math.max(this.#level, this.#had.get(tenant) ?? 0);
    return [...waiting].toSorted((one, other) => level(one) - level(other));
  }

  /** A run of the tenant was taken. */
  took(tenant: string): void {
    this.#level = Math.max(this.#level, this.#had.get(tenant) ?? 0);
    this.#had.set(tenant, this.#level + 1 / (this.#weights.get(tenant) ?? 1));
  }
}
