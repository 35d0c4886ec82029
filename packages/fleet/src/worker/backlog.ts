import { groupBy } from '../group-by.ts';
import type { Hub } from '../hub/hub.ts';
import { laneOf, type Lane } from '../wire/names.ts';
import { release } from '../wire/release.ts';
import type { Lanes, Taken } from './lanes.ts';
import type { Turns } from './turns.ts';

/** Finds the next job for this worker, in the order of turns. */
export class Backlog {
  readonly #hub: Hub;
  readonly #lanes: Lanes;
  readonly #turns: Turns;
  readonly #tenants: ReadonlySet<string>;

  constructor(hub: Hub, lanes: Lanes, turns: Turns, tenants: Iterable<string>) {
    this.#hub = hub;
    this.#lanes = lanes;
    this.#turns = turns;
    this.#tenants = new Set(tenants);
  }

  /** The lanes that this worker serves, whether or not they have jobs. */
  get served(): Lane[] {
    return [...this.#tenants].flatMap((tenant) => [{ tenant, release }, { tenant }]);
  }

  async next(): Promise<Taken | undefined> {
    const lanes = (await this.#hub.backlog()).map(laneOf).filter((lane) => this.#serves(lane));
    const byTenant = groupBy(lanes, ({ tenant }) => tenant);
    for (const tenant of this.#turns.order(byTenant.keys())) {
      // Runs that have begun are finished first.
      const begunFirst = (byTenant.get(tenant) as Lane[]).toSorted((lane) => (lane.release === undefined ? 1 : -1));
      for (const lane of begunFirst) {
        const taken = (await this.#lanes.take(lane)) ?? (await this.#forget(lane));
        if (taken === undefined) continue;
        this.#turns.took(tenant);
        return taken;
      }
    }
    return undefined;
  }

  /** Removes a lane without jobs from the backlog. A job may arrive at that moment, so it looks once more. */
  async #forget(lane: Lane): Promise<Taken | undefined> {
    await this.#hub.forget(lane);
    const taken = await this.#lanes.take(lane);
    if (taken !== undefined) await this.#hub.announce([lane]);
    return taken;
  }

  #serves({ tenant, release: of }: Lane): boolean {
    return this.#tenants.has(tenant) && (of === undefined || of === release);
  }
}
