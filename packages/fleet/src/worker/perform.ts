import { SandboxError, toSandboxError, type ErrorCode } from '@mustard-sandbox/protocol';
import type { FileCache } from '../files/cache.ts';
import type { Hub, QueueClock } from '../hub/hub.ts';
import { Tracing } from '../tracing.ts';
import type { JobBody, Outcome } from '../wire/messages.ts';
import type { Names } from '../wire/names.ts';
import { execute, failureOf, type Executed } from './execute.ts';
import type { Lanes, Taken } from './lanes.ts';
import { Post } from './opened.ts';
import type { ResolvedWorkerOptions } from './options.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { Waits } from './waits.ts';

/** After this many workers have died while they had a job, it is not tried again. */
const mostDeaths = 3;
const quarantineMs = 10 * 60_000;
/** These errors come from this machine and not from the script, so another worker may do better. */
const passing: readonly ErrorCode[] = ['sidecar_unavailable', 'queue_full', 'closed', 'engine_unavailable'];
const mostAttempts = 3;
/** How much longer than its client waits an answer is kept, in ms. */
const keptMs = 60_000;

/** Why a worker stops a job. `lost` means that another worker has it. */
export type Stop = 'cancelled' | 'handed_back' | 'lost';
/** How a job ended for a worker. */
export type Ending = 'answered' | 'failed' | 'refused' | 'quarantined' | 'expired' | Stop;

interface Parts {
  options: ResolvedWorkerOptions;
  hub: Hub;
  names: Names;
  clock: QueueClock;
  lanes: Lanes;
  sandboxes: Sandboxes;
  cache: FileCache;
  waits: Waits;
}

/** A worker's handling of a job: it opens, checks, runs and answers it. */
export class Performer {
  readonly #parts: Parts;
  readonly #posts: ReadonlyMap<string, Post>;
  readonly #tracing: Tracing;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#tracing = new Tracing(parts.options.tracer);
    this.#posts = new Map(
      parts.options.tenants.map(({ name, keys }) => [name, new Post(name, keys, parts.options.files)]),
    );
  }

  /** @param signal aborted for a `Stop`, which is its reason */
  async perform(taken: Taken, signal: AbortSignal): Promise<Ending> {
    const { lanes } = this.#parts;
    const post = this.#posts.get(taken.lane.tenant) as Post;
    const opened = await post.open(taken);
    if (opened === undefined) {
      await lanes.fail(taken, 'It is not a job.');
      return 'refused';
    }
    const { body } = opened;
    const reply = new Reply(this.#parts, post, taken, opened.client);
    if (body instanceof SandboxError) {
      await reply.fail(body);
      return 'refused';
    }
    const refused = await this.#refused(taken, post, body, reply);
    if (refused !== undefined) return refused;
    reply.spill = body.spill;
    reply.queueMs = Math.max(0, this.#parts.clock.now() - body.submittedAt);
    this.#parts.waits.add(reply.queueMs);
    const executed = await this.#execute(taken, body, reply, signal);
    if (executed instanceof SandboxError) {
      const isOurs = passing.includes(executed.code) && taken.job.attemptsStarted < mostAttempts;
      if (signal.aborted || isOurs)
        return await this.#giveUp(taken, signal.aborted ? (signal.reason as Stop) : 'handed_back');
      await reply.send({ outcome: failureOf(executed), console: [] }, body.expiresAt);
      return 'failed';
    }
    await reply.send(executed, body.expiresAt);
    return 'answered';
  }

  async #refused(taken: Taken, post: Post, body: JobBody, reply: Reply): Promise<Ending | undefined> {
    const { hub, names, clock, lanes } = this.#parts;
    const { tenant } = taken.lane;
    const script = post.nameOf(body.script);
    const quarantined = names.quarantined(tenant, script);
    if (taken.job.stalledCounter >= mostDeaths) {
      await hub.put(quarantined, '1', quarantineMs);
      await reply.post({ outcome: failureOf(deadly(script)), console: [] }, body.expiresAt);
      await lanes.fail(taken, `${mostDeaths} workers died while they ran it.`);
      return 'quarantined';
    }
    const [isCancelled, isQuarantined] = await hub.areThere([
      names.cancelled(tenant, taken.job.id as string),
      quarantined,
    ]);
    if (isCancelled === true || clock.now() > body.expiresAt) {
      await lanes.complete(taken);
      return isCancelled === true ? 'cancelled' : 'expired';
    }
    if (isQuarantined !== true) return undefined;
    await reply.send({ outcome: failureOf(deadly(script)), console: [] }, body.expiresAt);
    return 'quarantined';
  }

  async #execute(
    { lane: { tenant } }: Taken,
    body: JobBody,
    reply: Reply,
    signal: AbortSignal,
  ): Promise<Executed | SandboxError> {
    const { sandboxes, cache, options } = this.#parts;
    const { kind, traceparent } = body;
    const attributes = { 'sandbox.fleet.job': kind, 'sandbox.fleet.worker': options.name };
    const now = Date.now();
    await this.#tracing.record('sandbox.fleet.queue', { attributes, traceparent }, now - reply.queueMs, now);
    try {
      return await this.#tracing.inSpan('sandbox.fleet.work', { attributes, traceparent }, async (span) => {
        let startedAt = Date.now();
        const onStart = ({ sidecar }: { sidecar: number }): void => {
          startedAt = Date.now();
          reply.tellStart(sidecar);
        };
        const executed = await sandboxes.use(tenant, (sandbox) =>
          execute(sandbox, cache, body, { tenant, signal, onStart }),
        );
        const place = { attributes: factsOf(executed.outcome), traceparent: span.traceparent };
        await this.#tracing.record('sandbox.fleet.sidecar', place, startedAt, Date.now());
        return executed;
      });
    } catch (error) {
      return toSandboxError(error);
    }
  }

  async #giveUp(taken: Taken, why: Stop): Promise<Ending> {
    const { lanes } = this.#parts;
    if (why === 'cancelled') await lanes.complete(taken);
    if (why === 'handed_back') await lanes.handBack(taken);
    return why;
  }
}

/** The reply to the client of one job. */
class Reply {
  queueMs = 0;
  /** How an answer is sent that is too large for the queue. */
  spill: JobBody['spill'];
  #sidecar = 0;
  readonly #parts: Parts;
  readonly #post: Post;
  readonly #taken: Taken;
  readonly #channel: string;

  constructor(parts: Parts, post: Post, taken: Taken, client: string) {
    this.#parts = parts;
    this.#post = post;
    this.#taken = taken;
    this.#channel = parts.names.replies(taken.lane.tenant, client);
  }

  /** Sends a notice that may get lost. The answer repeats it. */
  tellStart(sidecar: number): void {
    this.#sidecar = sidecar;
    const text = `started ${this.#taken.job.id} ${Math.round(this.queueMs)} ${sidecar}`;
    void this.#parts.hub.publish({ channel: this.#channel, text }).catch(() => {});
  }

  async fail(error: SandboxError): Promise<void> {
    await this.send({ outcome: failureOf(error), console: [] }, this.#parts.clock.now());
  }

  async send(executed: Executed, expiresAt: number): Promise<void> {
    await this.post(executed, expiresAt);
    await this.#parts.lanes.complete(this.#taken);
  }

  /**
   * The answer is written before the job leaves the queue, so if a worker dies in between, another does the job again.
   */
  async post(executed: Executed, expiresAt: number): Promise<void> {
    const { hub, names, clock } = this.#parts;
    const { lane, job } = this.#taken;
    const id = job.id as string;
    const answer = { ...executed, sidecar: this.#sidecar, queueMs: this.queueMs };
    const sealed = await this.#post.seal(id, answer, this.spill);
    const forMs = Math.ceil(Math.max(0, expiresAt - clock.now()) + keptMs);
    await hub.put(names.answer(lane.tenant, id), sealed, forMs, { channel: this.#channel, text: `answered ${id}` });
  }
}

/** Facts for a trace: only names and numbers. */
function factsOf(outcome: Outcome): Record<string, string | number> {
  if (outcome.state !== 'completed' && outcome.state !== 'waiting') return {};
  const { engine, executionMs, hostCalls, bytesRead } = outcome;
  return {
    'sandbox.engine': engine,
    'sandbox.execution_ms': executionMs,
    'sandbox.host_calls': hostCalls,
    'sandbox.bytes_read': bytesRead,
  };
}

function deadly(scriptHash: string): SandboxError {
  return new SandboxError(
    'quarantined',
    `${mostDeaths} workers died while they ran this script, so it is not run again for ${quarantineMs / 60_000} minutes.`,
    { details: { scriptHash, crashes: mostDeaths } },
  );
}
