import { createHash } from 'node:crypto';
import type { Hub } from '../hub/hub.ts';
import { laneName, type Lane } from '../wire/names.ts';
import type { Lanes } from './lanes.ts';

/**
 * Puts the jobs of dead workers back, and adds lanes with jobs to the backlog that are missing there, such as after a
 * crash of the server. Of all workers that serve the same lanes, one does it at a time.
 */
export class Janitor {
  readonly #hub: Hub;
  readonly #lanes: Lanes;
  readonly #served: readonly Lane[];
  readonly #everyMs: number;
  readonly #key: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    hub: Hub,
    lanes: Lanes,
    { served, prefix, everyMs }: { served: readonly Lane[]; prefix: string; everyMs: number },
  ) {
    this.#hub = hub;
    this.#lanes = lanes;
    this.#served = served;
    this.#everyMs = everyMs;
    const lanesServed = createHash('sha256').update(served.map(laneName).toSorted().join()).digest('hex');
    this.#key = `${prefix}:janitor:${lanesServed.slice(0, 16)}`;
  }

  start(): void {
    const look = (): void => void this.#look().catch(() => {});
    look();
    this.#timer = setInterval(look, this.#everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const isMine = await this.#hub.putNew(this.#key, Math.ceil(this.#everyMs * 0.9));
    if (!isMine) return;
    for (const lane of this.#served) await this.#lanes.recover(lane);
    const counts = await this.#hub.waiting(this.#served);
    await this.#hub.announce(this.#served.filter((_, index) => (counts[index] as number) > 0));
  }
}
