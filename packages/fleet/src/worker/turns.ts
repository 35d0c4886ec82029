/**
 * The order of tenants: the one with the fewest runs for its weight is next. A tenant that had nothing to do starts at
 * the level of the others, so it gets nothing for the time that it did not use.
 */
export class Turns {
  readonly #weights: ReadonlyMap<string, number>;
  /** For each tenant, its number of runs divided by its weight. */
  readonly #had = new Map<string, number>();
  /** The number for the tenant that was served last. */
  #level = 0;

  constructor(tenants: readonly { name: string; weight: number }[]) {
    this.#weights = new Map(tenants.map(({ name, weight }) => [name, weight]));
  }

  /** The waiting tenants, in the order of their turns. */
  order(waiting: Iterable<string>): string[] {
    const level = (tenant: string): number => Math.max(this.#level, this.#had.get(tenant) ?? 0);
    return [...waiting].toSorted((one, other) => level(one) - level(other));
  }

  /** Call this when a run of the tenant was taken. */
  took(tenant: string): void {
    this.#level = Math.max(this.#level, this.#had.get(tenant) ?? 0);
    this.#had.set(tenant, this.#level + 1 / (this.#weights.get(tenant) ?? 1));
  }
}
