import { randomUUID } from 'node:crypto';
import type { Job, Worker } from 'bullmq';
import { groupBy } from '../group-by.ts';
import type { Hub } from '../hub/hub.ts';
import { laneName, type Lane } from '../wire/names.ts';

/** A job that this worker holds. */
export interface Taken {
  lane: Lane;
  job: Job;
  token: string;
}

interface Settings {
  name: string;
  lostAfterMs: number;
}

/** We decide how often a job may be lost, because BullMQ would fail it without an answer. */
const neverFail = 1_000_000;

/** The queues that a worker takes jobs from, by BullMQ. */
export class Lanes {
  readonly #hub: Hub;
  readonly #settings: Settings;
  readonly #workers = new Map<string, Worker>();

  constructor(hub: Hub, settings: Settings) {
    this.#hub = hub;
    this.#settings = settings;
  }

  /** The next job of a lane; `undefined` when it has none. */
  async take(lane: Lane): Promise<Taken | undefined> {
    const token = randomUUID();
    const job = await this.#worker(lane).getNextJob(token, { block: false });
    return job && { lane, job, token };
  }

  /** Shows that this worker is alive. @returns the jobs that it has lost */
  async renew(taken: readonly Taken[]): Promise<Set<string>> {
    const byLane = groupBy(taken, ({ lane }) => laneName(lane));
    const lost = await Promise.all(
      [...byLane.values()].map((jobs) =>
        this.#worker((jobs[0] as Taken).lane).extendJobLocks(
          jobs.map(({ job }) => job.id as string),
          jobs.map(({ token }) => token),
          this.#settings.lostAfterMs,
        ),
      ),
    );
    return new Set(lost.flat());
  }

  async complete({ job, token }: Taken): Promise<void> {
    await this.#hub.patiently(() => job.moveToCompleted(null, token, false));
  }

  /** Gives a job up. It is kept, and the status of the fleet shows it. */
  async fail({ job, token }: Taken, why: string): Promise<void> {
    await this.#hub.patiently(() => job.moveToFailed(new Error(why), token));
  }

  /** Gives a job to any other worker. */
  async handBack({ lane, job, token }: Taken): Promise<void> {
    await this.#hub.patiently(() => job.moveToWait(token));
    await this.#hub.announce([lane]);
  }

  /** Puts the jobs of dead workers back. Of many workers, one does it at a time. */
  async recover(lane: Lane): Promise<void> {
    await this.#worker(lane).backend.moveStalledJobsToWait();
  }

  #worker(lane: Lane): Worker {
    const name = laneName(lane);
    const known = this.#workers.get(name);
    if (known !== undefined) return known;
    const { name: called, lostAfterMs } = this.#settings;
    const worker = this.#hub.openWorker(lane, {
      ...{ name: called, autorun: false, lockDuration: lostAfterMs, maxStalledCount: neverFail },
      // This is the interval of the janitor. Between two checks of a lane, a lock is enough to show that its holder is
      // alive.
      stalledInterval: Math.ceil(lostAfterMs / 3),
    });
    worker.on('error', () => {});
    this.#workers.set(name, worker);
    return worker;
  }
}
