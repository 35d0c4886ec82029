import type { Queue } from 'bullmq';
import { openHub, QueueClock, type Hub } from '../hub/hub.ts';
import { laneName, Names, type Lane } from '../wire/names.ts';
import type { ResolvedFleetOptions } from './options.ts';

/** BullMQ keeps failed jobs. Our jobs answer with their errors, so a job fails only when no worker could do it. */
const keptFailures = { age: 24 * 60 * 60, count: 1_000 };
/** Nobody here reads these events. They are for tools that watch queues. */
const keptEvents = { maxLen: 100 };
const priorities = { urgent: 1, normal: 2, background: 3 } as const;
const countedForMs = 100;

interface Owner {
  /** The name of the channel for its replies. */
  client: string;
  hear: (text: string) => void;
  /** Aborted when nothing more will be sent. */
  closing: AbortSignal;
}

/** The connection of a client to the queue. */
export class Link {
  readonly names: Names;
  readonly clock = new QueueClock();
  readonly #options: ResolvedFleetOptions;
  readonly #hub: Hub;
  readonly #queues = new Map<string, Queue>();
  #queued = 0;
  #countedAt = -Infinity;

  private constructor(options: ResolvedFleetOptions, hub: Hub, names: Names) {
    this.#options = options;
    this.#hub = hub;
    this.names = names;
  }

  static async open(options: ResolvedFleetOptions, { client, hear, closing }: Owner): Promise<Link> {
    const names = new Names(options.prefix);
    const hub = await openHub({ ...options, names, closing });
    try {
      const link = new Link(options, hub, names);
      await Promise.all([hub.subscribe([names.replies(options.tenant, client)], hear), link.clock.set(hub)]);
      return link;
    } catch (error) {
      hub.close();
      throw error;
    }
  }

  onBroken(listener: () => void): void {
    this.#hub.onBroken(listener);
  }

  onReady(listener: () => void): void {
    this.#hub.onReady(listener);
  }

  /** How many runs of the tenant wait for a worker. The number may be a tenth of a second old. */
  async queued(): Promise<number> {
    if (performance.now() - this.#countedAt > countedForMs) {
      this.#countedAt = performance.now();
      const [count = 0] = await this.#hub.waiting([{ tenant: this.#options.tenant }]);
      this.#queued = count;
    }
    return this.#queued++;
  }

  /** Adds a job. A job whose id exists is not added again, so this may be repeated. */
  async add(id: string, lane: Lane, data: object): Promise<void> {
    const { priority } = this.#options;
    const how = { jobId: id, priority: priorities[priority], removeOnComplete: true, removeOnFail: keptFailures };
    await this.#hub.patiently(() => this.#queueOf(lane).add('job', data, how));
    await this.#hub.announce([lane]);
  }

  /** Takes the sealed answers out of the queue, and says whether each job is still there. */
  async look(ids: readonly { id: string; lane: Lane }[]): Promise<{ answer: Buffer | null; isThere: boolean }[]> {
    const { tenant } = this.#options;
    return await this.#hub.look(ids.map(({ id, lane }) => ({ id, lane, answer: this.names.answer(tenant, id) })));
  }

  /** Tells workers that nobody waits for a job any more, and removes it from the queue if no worker has it. */
  async cancel(id: string, lane: Lane, forMs: number): Promise<void> {
    const { tenant } = this.#options;
    // For a worker that is about to take the job.
    const notice = { channel: this.names.cancels(tenant), text: id };
    await this.#hub.put(this.names.cancelled(tenant, id), '1', Math.max(1_000, Math.ceil(forMs)), notice);
    await this.#hub.patiently(() => this.#queueOf(lane).remove(id));
  }

  /** Whether no worker has taken the job. */
  async isWaiting(id: string, lane: Lane): Promise<boolean> {
    const state = await this.#queueOf(lane).getJobState(id);
    return state === 'prioritized' || state === 'waiting';
  }

  #queueOf(lane: Lane): Queue {
    const name = laneName(lane);
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = this.#hub.openQueue(lane, { streams: { events: keptEvents } });
    queue.on('error', () => {});
    this.#queues.set(name, queue);
    return queue;
  }
}
