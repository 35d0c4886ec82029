import { randomUUID } from 'node:crypto';
import { Answers } from './answers.ts';
import { boundOfSpec, type Spec } from './bound.ts';
import { Driver, type Around } from './drive.ts';
import { RunError } from './errors.ts';
import { Events } from './events.ts';
import { callsBefore, copyFiles } from './fork.ts';
import { recordOf, shown, verdictOf } from './ledger.ts';
import type { Remembered } from './policy.ts';
import type { Sealer } from '@mustard-sandbox/client/seal';
import { verdictsOnProposal } from './proposal.ts';
import { checkKeys, snapshotSealer, type Bound } from './seal.ts';
import type { RunState } from './states.ts';
import type { Loaded, StoredCall, StoredRun, Verdict } from './store/store.ts';
import { Tools } from './tools.ts';
import type { AuditRecord, Decision, ForkOptions, Run, RunEvent, Runs, RunsOptions, StartOptions } from './types.ts';

const idPattern = /^[\w-]{1,128}$/;
const mostListed = 100;
/** The fence of the claim that a new run has. */
const firstFence = 1;
/** How many runs `recover` continues at the same time. */
const recoveredAtOnce = 16;
const longestTimerMs = 2 ** 31 - 1;
const allStates: RunState[] = ['running', 'waiting', 'completed', 'failed', 'cancelled', 'expired'];

/**
 * Runs of scripts that call tools and wait. They wait in a store, for any time and without a process.
 *
 * @throws {RunError} `invalid_request`
 */
export function createRuns(options: RunsOptions): Runs {
  return new StoredRuns(options);
}

class StoredRuns implements Runs {
  readonly #options: Around['options'];
  readonly #sealer: Sealer<Bound>;
  readonly #tools: Tools;
  readonly #answers: Answers;
  readonly #onAlways: RunsOptions['onAlways'];
  readonly #events = new Events();
  readonly #driving = new Map<string, { done: Promise<void>; stop: AbortController }>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: RunsOptions) {
    const { sandbox, store, keys, tools, tenant = '', parallelCalls = 8, leaseMs = 30_000 } = options;
    checkKeys(keys);
    if (!(parallelCalls >= 1)) throw new RunError('invalid_request', 'parallelCalls must be at least 1.');
    if (!(leaseMs >= 100)) throw new RunError('invalid_request', 'leaseMs must be at least 100.');
    this.#options = { sandbox, store, tenant, parallelCalls, leaseMs };
    this.#sealer = snapshotSealer(keys);
    this.#tools = new Tools(tools, options.policy);
    this.#answers = new Answers(options.largeAnswers);
    this.#onAlways = options.onAlways;
  }

  async startRun({ id = randomUUID(), expiresAt, tools = this.#tools.names, ...rest }: StartOptions): Promise<Run> {
    this.#assertOpen();
    return await this.#create(id, { ...rest, tools }, { expiresAt: expiresAt?.getTime() });
  }

  async #create(
    id: string,
    spec: Spec,
    more: Partial<Pick<StoredRun, 'step' | 'expiresAt' | 'forkOf'>>,
    calls: readonly StoredCall[] = [],
  ): Promise<Run> {
    assertId(id);
    this.#tools.fingerprint(spec.tools);
    const now = Date.now();
    const { tenant, store } = this.#options;
    const run: StoredRun = {
      id,
      tenant,
      state: 'running',
      step: 0,
      waitsFor: [],
      wakeAt: undefined,
      expiresAt: undefined,
      createdAt: now,
      updatedAt: now,
      spec: this.#sealer.seal(Buffer.from(JSON.stringify(spec)), boundOfSpec(tenant, id)),
      snapshot: undefined,
      outcome: undefined,
      forkOf: undefined,
      ...more,
    };
    // The run is claimed with the same write, because each wait for the disk is noticeable in a short run.
    const isNew = await store.create(run, calls, now + this.#options.leaseMs);
    return isNew ? await this.#drive(id, firstFence) : await this.#goOn(id);
  }

  async resume(id: string, decisions: readonly Decision[]): Promise<Run> {
    const decided = await this.#decide(id, decisions);
    const kept = Promise.all(decided.map((keep) => keep()));
    // The run does not depend on whether the host could keep a rule.
    const [run] = await Promise.allSettled([this.#drive(id), kept]);
    await kept;
    if (run.status === 'rejected') throw run.reason;
    return run.value;
  }

  async decide(id: string, decisions: readonly Decision[]): Promise<Run> {
    const decided = await this.#decide(id, decisions);
    await Promise.all(decided.map((keep) => keep()));
    return await this.get(id);
  }

  /** @returns functions that keep the rules of the decisions */
  async #decide(id: string, decisions: readonly Decision[]): Promise<(() => Promise<void>)[]> {
    const before = await this.#active(id);
    const { calls } = before;
    const verdicts = this.#verdicts(decisions, before);
    if (new Set(verdicts.map(({ call }) => call)).size < verdicts.length) {
      throw new RunError('wrong_decision', 'One of the calls is decided twice.');
    }
    if (verdicts.length > 0 && !(await this.#options.store.decide(id, Date.now(), verdicts))) {
      // Another decision was faster. Its effect shows what is wrong.
      const after = await this.#active(id);
      this.#verdicts(decisions, after);
      throw new RunError('not_pending', 'Another decision on one of the calls came first.');
    }
    for (const { call } of verdicts) this.#events.tell(id, { type: 'decision', call });
    return verdicts.map((verdict) => () => this.#keepRule(id, verdict, calls));
  }

  #verdicts(decisions: readonly Decision[], loaded: Loaded): Verdict[] {
    return decisions.flatMap((decision) =>
      'proposal' in decision
        ? verdictsOnProposal(decision, loaded, this.#tools)
        : verdictOf(decision, loaded.calls, this.#tools),
    );
  }

  async #keepRule(run: string, { call: id, to: { facts } }: Verdict, calls: readonly StoredCall[]): Promise<void> {
    if (facts.remembered !== 'always') return;
    const tool = calls.find((call) => call.id === id)?.tool ?? '';
    const by: Pick<Remembered, 'by'> = facts.by === undefined ? {} : { by: facts.by };
    await this.#onAlways?.({ run, call: id, tool, rule: facts.rule, ...by });
  }

  async restart(id: string): Promise<Run> {
    const { calls } = await this.#active(id);
    if (calls.some(({ state }) => state === 'unknown')) {
      throw new RunError('wrong_decision', 'The outcome of a call is unknown. Decide on it first.');
    }
    await this.#driving.get(id)?.done;
    const fence = await this.#claim(id);
    if (fence === undefined) return await this.get(id);
    const kept = (await this.#load(id)).calls
      .filter(({ state }) => state === 'answered')
      .map((call): StoredCall => ({ ...call, use: 'kept' }));
    const run = { state: 'running', waitsFor: [], wakeAt: undefined, snapshot: undefined, outcome: undefined } as const;
    const change = { run: { ...run, waitsFor: [] }, calls: kept, dropsUnanswered: true, claimedUntil: 0 };
    await this.#options.store.commit(id, fence, Date.now(), change);
    return await this.#drive(id);
  }

  async fork(id: string, options: ForkOptions): Promise<Run> {
    this.#assertOpen();
    const { id: copy = randomUUID(), answer, by, call } = options;
    // The id is checked before it becomes the name of a folder.
    assertId(copy);
    if ((await this.#options.store.load(copy)) !== undefined) return await this.#goOn(copy);
    const loaded = await this.#load(id);
    const { before, changed } = callsBefore(loaded, options);
    const { begunAt, begunIn = 0, givenIn } = changed.facts;
    const facts = {
      begunAt,
      begunIn,
      ...(givenIn !== undefined && { givenIn }),
      decidedAt: Date.now(),
      ...(by && { by }),
    };
    const given = 'error' in answer ? { error: answer.error } : { value: answer.value };
    const answered = await this.#answers.to(copy, { ...changed, facts }, given);
    await copyFiles(this.#answers, before, id, copy);
    const { step, expiresAt = Infinity } = loaded.run;
    const more = {
      step,
      forkOf: { run: id, call },
      ...(expiresAt > Date.now() && expiresAt < Infinity && { expiresAt }),
    };
    return await this.#create(copy, this.#spec(loaded), more, [...before, answered]);
  }

  async get(id: string): Promise<Run> {
    return shown(await this.#load(id));
  }

  async script(id: string): Promise<string> {
    return this.#spec(await this.#load(id)).script;
  }

  async audit(id: string): Promise<AuditRecord[]> {
    return (await this.#load(id)).calls.map(recordOf);
  }

  async list({
    states = allStates,
    limit = mostListed,
  }: { states?: readonly RunState[]; limit?: number } = {}): Promise<Run[]> {
    const { store, tenant } = this.#options;
    return (await store.list({ tenant, states, limit })).map(shown);
  }

  async cancel(id: string): Promise<Run> {
    await this.#active(id);
    if (!(await this.#options.store.end(id, Date.now(), 'cancelled'))) throw ended(await this.get(id));
    this.#events.tell(id, { type: 'state', state: 'cancelled', waitsFor: [] });
    const driving = this.#driving.get(id);
    driving?.stop.abort(new RunError('ended', 'The run was cancelled.'));
    await driving?.done.catch(() => {});
    await this.#answers.forget(id);
    return await this.get(id);
  }

  async remove(id: string): Promise<void> {
    const { state } = await this.get(id);
    if (state === 'running' || state === 'waiting') {
      await this.cancel(id).catch((error: unknown) => {
        if ((error as RunError).code !== 'ended') throw error;
      });
    }
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    await this.#answers.forget(id);
    await this.#options.store.remove(id);
  }

  events(id: string): AsyncIterable<RunEvent> {
    return this.#events.of(id);
  }

  async recover(): Promise<Run[]> {
    this.#assertOpen();
    const { store, tenant } = this.#options;
    const recovered: Run[] = [];
    for (const id of await store.expire(tenant, Date.now())) {
      this.#events.tell(id, { type: 'state', state: 'expired', waitsFor: [] });
      const driving = this.#driving.get(id);
      driving?.stop.abort(new RunError('ended', 'The run has expired.'));
      await driving?.done.catch(() => {});
      await this.#answers.forget(id);
      recovered.push(await this.get(id));
    }
    const tried = new Set<string>();
    for (;;) {
      const due = await store.due(tenant, Date.now(), recoveredAtOnce + tried.size);
      const ids = due.filter((id) => !tried.has(id) && !this.#driving.has(id));
      if (ids.length === 0) return recovered;
      for (const id of ids) tried.add(id);
      const settled = await Promise.allSettled(ids.map((id) => this.#drive(id)));
      // A run that cannot continue stays unchanged. Its record or the next attempt says why.
      recovered.push(...settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    const all = [...this.#driving.values()];
    for (const { stop } of all) stop.abort(new RunError('ended', 'The host is closing.'));
    await Promise.allSettled(all.map(({ done }) => done));
    this.#events.close();
    await this.#options.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Returns a run that was started before. If nobody works on it, it continues. */
  async #goOn(id: string): Promise<Run> {
    const run = await this.get(id);
    return run.state === 'running' ? await this.#drive(id) : run;
  }

  /**
   * Works on a run until it waits or has ended, if nobody else does. @param fence of a claim that this host has already
   */
  async #drive(id: string, fence?: number): Promise<Run> {
    const running = this.#driving.get(id);
    if (running === undefined) await this.#begin(id, fence);
    else {
      await running.done;
      // A decision may have come after the last check.
      if ((await this.get(id)).state === 'running') await this.#begin(id);
    }
    const run = await this.#load(id);
    this.#wakeAt(run);
    return shown(run);
  }

  async #begin(id: string, fence?: number): Promise<void> {
    const stop = new AbortController();
    const done = this.#claimed(id, stop.signal, fence);
    this.#driving.set(id, { done, stop });
    try {
      await done;
    } finally {
      this.#driving.delete(id);
    }
  }

  async #claimed(id: string, signal: AbortSignal, known?: number): Promise<void> {
    const fence = known ?? (await this.#claim(id));
    if (fence === undefined) return;
    const around: Around = {
      options: this.#options,
      sealer: this.#sealer,
      tools: this.#tools,
      answers: this.#answers,
      tell: (event) => this.#events.tell(id, event),
    };
    await new Driver(around, id, fence, signal).drive();
  }

  #spec({ run: { id, spec } }: Loaded): Spec {
    return JSON.parse(this.#sealer.open(spec, boundOfSpec(this.#options.tenant, id)).toString()) as Spec;
  }

  #claim(id: string): Promise<number | undefined> {
    const now = Date.now();
    return this.#options.store.claim(id, now, now + this.#options.leaseMs);
  }

  /** Sets a timer for a run that waits for a time. If this host is gone, `recover` continues the run. */
  #wakeAt({ run: { id, state, wakeAt } }: Loaded): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    if (state !== 'waiting' || wakeAt === undefined || this.#isClosed) return;
    const ms = Math.min(longestTimerMs, Math.max(0, wakeAt - Date.now()));
    const timer = setTimeout(() => void this.#drive(id).catch(() => {}), ms);
    this.#timers.set(id, timer.unref());
  }

  async #load(id: string): Promise<Loaded> {
    const loaded = await this.#options.store.load(id);
    if (loaded?.run.tenant === this.#options.tenant) return loaded;
    throw new RunError('not_found', `There is no run ${id}.`);
  }

  async #active(id: string): Promise<Loaded> {
    this.#assertOpen();
    const loaded = await this.#load(id);
    if (loaded.run.state === 'running' || loaded.run.state === 'waiting') return loaded;
    throw ended(shown(loaded));
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new RunError('ended', 'These runs were closed.');
  }
}

/** @throws {RunError} `invalid_request` */
function assertId(id: string): void {
  if (!idPattern.test(id)) throw new RunError('invalid_request', 'id: must be 1 to 128 letters, digits, _ or -.');
}

function ended({ id, state }: Run): RunError {
  return new RunError('ended', `The run ${id} is ${state}.`);
}
