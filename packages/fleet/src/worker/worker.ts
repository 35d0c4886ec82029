import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '@mustard-sandbox/protocol';
import { FileCache } from '../files/cache.ts';
import { openHub, QueueClock, type Hub } from '../hub/hub.ts';
import { Names } from '../wire/names.ts';
import { release } from '../wire/release.ts';
import { Backlog } from './backlog.ts';
import { claimFolder } from './claim-folder.ts';
import { Janitor } from './janitor.ts';
import { Lanes, type Taken } from './lanes.ts';
import { parseWorkerOptions, type ResolvedWorkerOptions, type WorkerOptions } from './options.ts';
import { Performer, type Ending, type Stop } from './perform.ts';
import { Sandboxes } from './sandboxes.ts';
import { Turns } from './turns.ts';
import { Waits } from './waits.ts';

/** How long an idle worker waits for an announcement before it looks by itself, in seconds. */
const wakeSeconds = 2;
const presentEveryMs = 2_000;
const presentForMs = 7_000;
/** The pause after a failure of the queue or of this machine, in ms. */
const pauseMs = 250;

/** What a worker does now, and has done. */
export interface WorkerStats {
  name: string;
  release: string;
  pid: number;
  slots: number;
  running: number;
  /** Whether it takes no more jobs. */
  draining: boolean;
  /** Counts of jobs by how they ended for this worker. */
  ended: Partial<Record<Ending, number>>;
  /** How many bytes the fetched files take. */
  cacheBytes: number;
  /** How long the jobs of the last minute waited in the queue, in ms. */
  queueMs: { p50: number; p99: number };
}

/** A worker of a fleet in this process. `await using` closes it. */
export interface FleetWorker extends AsyncDisposable {
  stats(): WorkerStats;
  /** Whether the queue can be reached. */
  readonly isConnected: boolean;
  /** Takes no more jobs, lets its jobs end within `drainMs`, and hands back the others. It may be called again. */
  close(): Promise<void>;
}

/**
 * Takes jobs from a queue and runs them in sidecars of this machine, until it is closed.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option; `sidecar_unavailable` when no sidecar can start,
 * such as
 *   without the required jail
 */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  const resolved = parseWorkerOptions(options);
  const folder = await claimFolder(resolved.cacheFolder);
  const names = new Names(resolved.prefix);
  const hub = await openHub({ ...resolved, names });
  const worker = new Worker(resolved, { hub, names }, folder.release);
  try {
    await worker.start(folder.path);
    return worker;
  } catch (error) {
    await worker.close();
    throw error;
  }
}

interface Running {
  taken: Taken;
  control: AbortController;
  done: Promise<void>;
}

class Worker implements FleetWorker {
  readonly #options: ResolvedWorkerOptions;
  readonly #hub: Hub;
  readonly #names: Names;
  readonly #releaseFolder: () => Promise<void>;
  readonly #running = new Map<string, Running>();
  readonly #ended: WorkerStats['ended'] = {};
  readonly #waits = new Waits();
  readonly #timers: NodeJS.Timeout[] = [];
  #cache: FileCache | undefined;
  #sandboxes: Sandboxes | undefined;
  #janitor: Janitor | undefined;
  #loop: Promise<void> | undefined;
  #slotFreed: () => void = () => {};
  #draining = false;
  #closing: Promise<void> | undefined;

  constructor(
    options: ResolvedWorkerOptions,
    { hub, names }: { hub: Hub; names: Names },
    releaseFolder: () => Promise<void>,
  ) {
    this.#options = options;
    this.#hub = hub;
    this.#names = names;
    this.#releaseFolder = releaseFolder;
  }

  /** A closing worker does not wait for a free slot. */
  get #isFull(): boolean {
    return !this.#draining && this.#running.size >= this.#options.slots;
  }

  get isConnected(): boolean {
    return this.#hub.isConnected;
  }

  async start(folder: string): Promise<void> {
    const { prefix, slots, isolation, maxTimeoutMs, cacheBytes, files, tenants, lostAfterMs } = this.#options;
    const cache = await FileCache.open(folder, cacheBytes, files);
    const sandboxes = new Sandboxes(cache, { isolation, maxTimeoutMs, maxProcesses: slots });
    this.#cache = cache;
    this.#sandboxes = sandboxes;
    // If no sidecar can start, no job should be taken.
    await sandboxes.use((tenants[0] as { name: string }).name, (sandbox) => sandbox.warm());
    const clock = new QueueClock();
    const behindMs = await clock.set(this.#hub);
    // With PostgreSQL, BullMQ compares the clocks of workers to find out which of them has died.
    if (Math.abs(behindMs) > lostAfterMs / 3) throw wrongClock(behindMs, lostAfterMs);
    const lanes = new Lanes(this.#hub, this.#options);
    const { served, next } = this.#backlogOf(lanes);
    const parts = {
      options: this.#options,
      hub: this.#hub,
      names: this.#names,
      clock,
      lanes,
      sandboxes,
      cache,
      waits: this.#waits,
    };
    await this.#hearCancels();
    this.#janitor = new Janitor(this.#hub, lanes, { served, prefix, everyMs: Math.ceil(lostAfterMs / 3) });
    this.#janitor.start();
    this.#every(Math.ceil(lostAfterMs / 3), () => this.#renew(lanes));
    this.#every(presentEveryMs, () => this.#present());
    await this.#present();
    this.#loop = this.#work(next, new Performer(parts));
  }

  stats(): WorkerStats {
    return {
      name: this.#options.name,
      release,
      pid: process.pid,
      slots: this.#options.slots,
      running: this.#running.size,
      draining: this.#draining,
      ended: { ...this.#ended },
      cacheBytes: this.#cache?.bytes ?? 0,
      queueMs: this.#waits.percentiles(),
    };
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #backlogOf(lanes: Lanes): Pick<Backlog, 'served'> & { next: () => Promise<Taken | undefined> } {
    const { tenants } = this.#options;
    const names = tenants.map(({ name }) => name);
    const backlog = new Backlog(this.#hub, lanes, new Turns(tenants), names);
    return { served: backlog.served, next: () => backlog.next() };
  }

  async #work(next: () => Promise<Taken | undefined>, performer: Performer): Promise<void> {
    while (!this.#draining) {
      try {
        while (this.#isFull) await new Promise<void>((free) => (this.#slotFreed = free));
        if (this.#draining) return;
        const taken = await next();
        if (taken !== undefined) this.#begin(taken, performer);
        else await this.#hub.waitForJob(wakeSeconds);
      } catch {
        // The queue cannot be reached, or this worker is closing.
        if (!this.#draining) await delay(pauseMs);
      }
    }
  }

  #begin(taken: Taken, performer: Performer): void {
    const control = new AbortController();
    // The key is the token, because a job that this worker has lost may come to it again.
    this.#running.set(taken.token, { taken, control, done: this.#perform(taken, performer, control.signal) });
  }

  async #perform(taken: Taken, performer: Performer, signal: AbortSignal): Promise<void> {
    let ending: Ending;
    try {
      ending = await performer.perform(taken, signal);
    } catch {
      // The queue cannot be reached, or another worker has the job. If the job was not answered, it will be done again.
      ending = 'lost';
    }
    this.#ended[ending] = (this.#ended[ending] ?? 0) + 1;
    // Something is wrong with this machine, so others should get a chance to take the job first.
    if (ending === 'handed_back' && !this.#draining) await delay(pauseMs);
    this.#running.delete(taken.token);
    this.#slotFreed();
  }

  async #renew(lanes: Lanes): Promise<void> {
    const running = [...this.#running.values()].map(({ taken }) => taken);
    for (const id of await lanes.renew(running)) this.#stop(id, 'lost');
  }

  #stop(id: string, why: Stop): void {
    for (const { taken, control } of this.#running.values()) if (taken.job.id === id) control.abort(why);
  }

  async #hearCancels(): Promise<void> {
    const channels = this.#options.tenants.map(({ name }) => this.#names.cancels(name));
    await this.#hub.subscribe(channels, (id) => this.#stop(id, 'cancelled'));
    // This covers notices that were sent while the connection was broken.
    this.#hub.onReady(() => void this.#findCancelled().catch(() => {}));
  }

  async #findCancelled(): Promise<void> {
    const running = [...this.#running.values()].map(({ taken }) => taken);
    if (running.length === 0) return;
    const found = await this.#hub.areThere(
      running.map(({ lane, job }) => this.#names.cancelled(lane.tenant, job.id as string)),
    );
    for (const [index, { job }] of running.entries())
      if (found[index] === true) this.#stop(job.id as string, 'cancelled');
  }

  async #present(): Promise<void> {
    const text = JSON.stringify(this.stats());
    await this.#hub.put(this.#names.worker(this.#options.name), text, presentForMs);
  }

  #every(ms: number, work: () => Promise<void>): void {
    this.#timers.push(setInterval(() => void work().catch(() => {}), ms));
  }

  async #close(): Promise<void> {
    this.#draining = true;
    this.#slotFreed();
    this.#hub.stopWaiting();
    await this.#loop;
    this.#janitor?.stop();
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    await Promise.race([all, delay(this.#options.drainMs, undefined, { ref: false })]);
    for (const { control } of this.#running.values()) control.abort('handed_back');
    if (this.isConnected) {
      await all;
      await this.#hub.remove(this.#names.worker(this.#options.name)).catch(() => {});
    }
    for (const timer of this.#timers) clearInterval(timer);
    this.#hub.close();
    await all;
    await this.#sandboxes?.close();
    await this.#releaseFolder();
  }
}

function wrongClock(behindMs: number, lostAfterMs: number): SandboxError {
  const message = `The clock of this machine differs from that of the queue by ${Math.round(Math.abs(behindMs))} ms, and may differ by at most a third of lostAfterMs (${lostAfterMs} ms). Set the clock, such as by NTP.`;
  return new SandboxError('sidecar_unavailable', message);
}
