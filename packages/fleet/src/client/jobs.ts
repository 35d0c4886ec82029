import { randomUUID } from 'node:crypto';
import { SandboxError, throwIfAborted, within, type CancelSignal } from '@mustard-sandbox/protocol';
import { Parcels } from '../files/parcels.ts';
import { readAnswer, type AnswerBody, type JobMessage, type JobQuestion } from '../wire/messages.ts';
import type { Lane } from '../wire/names.ts';
import { Link } from './link.ts';
import type { ResolvedFleetOptions } from './options.ts';

/** How often waiting jobs are looked up, in ms, because a notice may be lost with its connection. */
const lookEveryMs = 2_000;
const mostLooks = 500;
/** How long the end of a sandbox waits for its jobs to be cancelled, in ms. */
const farewellMs = 1_000;

/** What a job needs in addition to its body. */
export interface Asking {
  /** The release that made the snapshot. Only workers of that release can continue it. */
  release: string | undefined;
  signal: CancelSignal | undefined;
  /** How long somebody waits for the answer, in ms. */
  waitMs: number;
  onStarted: (facts: { sidecar: number; queueMs: number }) => void;
}

interface Pending {
  id: string;
  lane: Lane;
  data: object;
  onStarted: Asking['onStarted'];
  resolve: (answer: AnswerBody) => void;
  reject: (error: SandboxError) => void;
}

interface Weather {
  /** Called when the connection broke, with the number of failures in a row. */
  backingOff: (failures: number) => void;
  recovered: () => void;
}

/** The jobs of one client. Each is added once and answered once. */
export class Jobs {
  readonly #client = randomUUID();
  readonly #options: ResolvedFleetOptions;
  readonly #parcels: Parcels;
  readonly #weather: Weather;
  readonly #pending = new Map<string, Pending>();
  #link: Promise<Link> | undefined;
  #looking: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  #failures = 0;
  #closed = false;

  constructor(options: ResolvedFleetOptions, weather: Weather) {
    this.#options = options;
    this.#parcels = new Parcels(options.tenant, options.keys, options.files);
    this.#weather = weather;
  }

  /** How many jobs have no answer yet. */
  get size(): number {
    return this.#pending.size;
  }

  get isBroken(): boolean {
    return this.#failures > 0;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @throws {SandboxError} `queue_full`, `timeout`, `cancelled`, `closed`, `sidecar_unavailable`, `protocol_error` */
  async ask(body: JobQuestion, { release, signal, waitMs, onStarted }: Asking): Promise<AnswerBody> {
    throwIfAborted(signal, 'The run was cancelled before it began.');
    const link = await this.#reach(() => this.#connected(), signal);
    const { tenant, maxQueued } = this.#options;
    const lane = { tenant, release };
    // A run that has begun continues when the queue is full, because it would be lost otherwise.
    if (release === undefined && (await this.#reach(() => link.queued(), signal)) >= maxQueued) throw full(maxQueued);
    const id = randomUUID();
    const submittedAt = link.clock.now();
    const spill = await this.#parcels.spillFor(id, waitMs);
    const job: JobMessage = { version: 1, submittedAt, expiresAt: submittedAt + waitMs, ...body };
    if (spill !== undefined) job.spill = spill;
    const { sealed, name } = await within(this.#parcels.wrapJob(job, id, waitMs), { signal });
    const data = { client: this.#client, sealed: sealed.toString('base64') };
    let isAnswered = false;
    try {
      const answer = new Promise<AnswerBody>((resolve, reject) => {
        this.#pending.set(id, { id, lane, data, onStarted, resolve, reject });
      });
      // Closing the sandbox meanwhile rejects this before anybody waits for it.
      answer.catch(() => {});
      this.#looking ??= setInterval(() => void this.#lookAll(), lookEveryMs);
      await this.#reach(() => link.add(id, lane, data), signal);
      const overdue = new Overdue('nobody sees this');
      const given = await within(answer, { signal, timeout: { ms: waitMs, error: () => overdue } }).catch(
        async (error: unknown) => {
          throw error === overdue ? await this.#overdue(link, id, lane) : error;
        },
      );
      isAnswered = true;
      return given;
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#rest();
      this.#parcels.discard(name);
      if (!isAnswered && !this.#closed) void link.cancel(id, lane, waitMs).catch(() => {});
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const open = [...this.#pending.values()];
    for (const { reject } of open) reject(closed());
    this.#rest();
    if (open.length > 0) {
      const cancelled = this.#connected().then((link) =>
        Promise.allSettled(open.map(({ id, lane }) => link.cancel(id, lane, this.#options.maxWaitMs))),
      );
      await within(cancelled, { timeout: { ms: farewellMs, error: closed } }).catch(() => {});
    }
    this.#closing.abort();
  }

  /** Asks the queue, within the time that a call may take to reach it. */
  async #reach<T>(work: () => Promise<T>, signal: CancelSignal | undefined): Promise<T> {
    if (this.#closed) throw closed();
    const { connectTimeoutMs } = this.#options;
    const timeout = { ms: connectTimeoutMs, error: () => unreachable(connectTimeoutMs) };
    try {
      return await within(work(), { signal, timeout, cancelled: 'The run was cancelled before it began.' });
    } catch (error) {
      if (this.#closed) throw closed();
      throw error instanceof SandboxError ? error : unreachable(connectTimeoutMs, error);
    }
  }

  #connected(): Promise<Link> {
    this.#link ??= Link.open(this.#options, {
      client: this.#client,
      hear: (text) => this.#hear(text),
      closing: this.#closing.signal,
    }).then(
      (link) => {
        link.onBroken(() => {
          if (!this.#closed) this.#weather.backingOff(++this.#failures);
        });
        link.onReady(() => {
          if (this.#failures > 0) this.#weather.recovered();
          this.#failures = 0;
          void this.#lookAll();
        });
        return link;
      },
      (error: unknown) => {
        this.#link = undefined;
        throw error;
      },
    );
    return this.#link;
  }

  #rest(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  /** Handles a notice of a worker. It holds nothing secret, and only says that it is time to look. */
  #hear(text: string): void {
    const [what, id = '', queueMs, sidecar] = text.split(' ');
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (what === 'answered') void this.#look([pending]).catch(() => {});
    if (what === 'started') pending.onStarted({ queueMs: Number(queueMs) || 0, sidecar: Number(sidecar) || 0 });
  }

  async #lookAll(): Promise<void> {
    const all = [...this.#pending.values()];
    try {
      for (let from = 0; from < all.length; from += mostLooks) await this.#look(all.slice(from, from + mostLooks));
    } catch {
      // The queue cannot be reached. It is asked again soon.
    }
  }

  async #look(jobs: readonly Pending[]): Promise<void> {
    const link = await this.#connected();
    const found = await link.look(jobs);
    for (const [index, { answer, isThere }] of found.entries()) {
      const job = jobs[index] as Pending;
      if (answer !== null) await this.#settle(job, answer);
      // The queue has lost the job, such as by a crash of Redis. A segment has no effect, so it may run again.
      else if (!isThere && this.#pending.has(job.id)) await link.add(job.id, job.lane, job.data);
    }
  }

  async #settle({ id, resolve, reject }: Pending, sealed: Buffer): Promise<void> {
    try {
      resolve(await this.#parcels.unwrap(sealed, id, 'answer', readAnswer));
    } catch (error) {
      reject(error as SandboxError);
    }
  }

  async #overdue(link: Link, id: string, lane: Lane): Promise<SandboxError> {
    const { maxWaitMs } = this.#options;
    const isWaiting = await within(link.isWaiting(id, lane), {
      timeout: { ms: farewellMs, error: closed },
    }).catch(() => false);
    const details = { limit: 'queue', value: maxWaitMs, unit: 'ms' } as const;
    if (isWaiting) {
      const why = `No worker took the run within ${maxWaitMs} ms (maxWaitMs). Try again later, or start more workers.`;
      return new SandboxError('queue_full', why, { details });
    }
    return new SandboxError('timeout', `The run had no result ${maxWaitMs} ms after its submission (maxWaitMs).`);
  }
}

class Overdue extends Error {}

function full(maxQueued: number): SandboxError {
  return new SandboxError(
    'queue_full',
    `${maxQueued} runs of the tenant already wait (maxQueued). Wait for some of them to finish, start more workers, or raise maxQueued.`,
    { details: { limit: 'queue', value: maxQueued, unit: 'runs' } },
  );
}

function closed(): SandboxError {
  return new SandboxError('closed', 'The fleet was closed.');
}

function unreachable(ms: number, cause?: unknown): SandboxError {
  const message = `The queue of the fleet cannot be reached within ${ms} ms (connectTimeoutMs). Is its server running, and is the connection right?`;
  return new SandboxError('sidecar_unavailable', message, { cause });
}
