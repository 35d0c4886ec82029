import type { SegmentResult, WaitingCall } from '@mustard-sandbox/client';
import { Answers } from './answers.ts';
import { Binder, boundOfSpec, type Spec } from './bound.ts';
import { CallLog } from './call-log.ts';
import { RunError } from './errors.ts';
import { answerOf, doneBefore, inOrder, waitsForOf } from './ledger.ts';
import type { Sealer } from '@mustard-sandbox/client/seal';
import { isScriptOver, nextOf } from './proposal.ts';
import type { Bound } from './seal.ts';
import { fitting, isEnd, runSegment, type RunFile } from './segment.ts';
import type { WaitsFor } from './states.ts';
import type { Change, Loaded, StoredCall } from './store/store.ts';
import type { Tools } from './tools.ts';
import { Later, type RunEvent, type RunProblem, type RunsOptions } from './types.ts';

/** What a driver needs from its surroundings. */
export interface Around {
  options: Required<Pick<RunsOptions, 'sandbox' | 'store' | 'tenant' | 'parallelCalls' | 'leaseMs'>>;
  sealer: Sealer<Bound>;
  tools: Tools;
  answers: Answers;
  tell: (event: Tell) => void;
}

type Without<E> = E extends unknown ? Omit<E, 'run' | 'at'> : never;
export type Tell = Without<RunEvent>;

/** Another host has the claim on the run, or the run was ended. */
class ClaimLost extends Error {}

/** Works on one run that this host has claimed, until it can do nothing but wait. */
export class Driver {
  readonly #around: Around;
  readonly #id: string;
  readonly #fence: number;
  readonly #signal: AbortSignal;
  readonly #calls = new CallLog((calls) => this.#change({ calls }));
  #binder: Binder | undefined;
  #spec: Spec | undefined;

  constructor(around: Around, id: string, fence: number, signal: AbortSignal) {
    this.#around = around;
    this.#id = id;
    this.#fence = fence;
    this.#signal = signal;
  }

  /** @throws {SandboxError} the error that keeps the run from continuing; the run stays unchanged */
  async drive(): Promise<void> {
    const { leaseMs } = this.#around.options;
    const renewal = setInterval(() => void this.#renew(), leaseMs / 3);
    try {
      await this.#settleLost();
      while (await this.#goOn());
    } catch (error) {
      if (error instanceof ClaimLost) return;
      await this.#commit({ claimedUntil: 0 }).catch(() => {});
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Decides about calls that were being made when another host lost the run. */
  async #settleLost(): Promise<void> {
    const { calls } = await this.#load();
    const lost = calls.filter(({ state }) => state === 'under_way');
    if (lost.length === 0) return;
    const { tools } = this.#around;
    await this.#change({
      calls: lost.map((call) => ({ ...call, state: tools.get(call.tool).idempotent === true ? 'ready' : 'unknown' })),
    });
  }

  /** @returns whether there is more to do */
  async #goOn(): Promise<boolean> {
    const loaded = await this.#load();
    const { run, calls } = loaded;
    if (isScriptOver(run)) return await this.#carryOut(loaded);
    const open = calls.filter(({ use }) => use === 'open');
    const now = Date.now();
    const ready = open.filter(({ state, notBefore }) => state === 'ready' && notBefore <= now);
    if (ready.length > 0) {
      await this.#make(ready);
      return true;
    }
    const answers = fitting(inOrder(open.filter(({ state }) => state === 'answered' || state === 'proposed')));
    if (run.snapshot === undefined || answers.length > 0) return await this.#segment(loaded, answers);
    if (await this.#reconsider(loaded, open)) return true;
    return await this.#wait(loaded, open, waitsForOf(open));
  }

  /** The script has ended. The calls of its proposal are made after a person has approved it. */
  async #carryOut(loaded: Loaded): Promise<boolean> {
    const proposed = loaded.calls.filter(({ use }) => use === 'proposed');
    let next = nextOf(proposed, Date.now());
    // This loop does not read all calls again after each.
    for (; 'make' in next; next = nextOf(proposed, Date.now())) {
      const { make } = next;
      proposed.splice(proposed.indexOf(make), 1, await this.#makeOne(make));
    }
    if ('waitsFor' in next) return await this.#wait(loaded, proposed, next.waitsFor);
    const { problem } = next;
    const state = problem === undefined ? 'completed' : 'failed';
    const outcome = problem && { outcome: JSON.stringify({ problem }) };
    return await this.#end({ run: { state, ...outcome } }, state);
  }

  /** @returns whether there is more to do after all */
  async #wait({ revision }: Loaded, calls: readonly StoredCall[], waitsFor: WaitsFor[]): Promise<boolean> {
    const wakeAt = waitsFor.includes('time')
      ? Math.min(...calls.filter(({ state }) => state === 'ready').map(({ notBefore }) => notBefore))
      : undefined;
    const change: Change = { run: { state: 'waiting', waitsFor, wakeAt }, claimedUntil: 0, ifRevision: revision };
    // A decision came meanwhile, so there is more to do.
    if (!(await this.#commit(change))) return true;
    this.#around.tell({ type: 'state', state: 'waiting', waitsFor });
    return false;
  }

  /**
   * Allows waiting calls that are covered by a rule which was kept while they waited. @returns whether there are any
   */
  async #reconsider({ calls, revision }: Loaded, open: readonly StoredCall[]): Promise<boolean> {
    const { tools } = this.#around;
    const waiting = open.filter(({ state }) => state === 'approval');
    const all = await Promise.all(waiting.map((call) => tools.reconsidered(this.#id, call, doneBefore(calls, call))));
    const allowed = all.filter((call) => call !== undefined);
    // A decision may have come meanwhile, and counts more.
    if (allowed.length > 0) await this.#commit({ calls: allowed, ifRevision: revision });
    return allowed.length > 0;
  }

  /**
   * Makes calls, a limited number at a time. Each is written down before it is made, and its answer before anything
   * else happens.
   */
  async #make(ready: StoredCall[]): Promise<void> {
    const queue = [...ready];
    const worker = async (): Promise<void> => {
      for (let call = queue.shift(); call !== undefined; call = queue.shift()) await this.#makeOne(call);
    };
    const workers = Array.from({ length: this.#around.options.parallelCalls }, worker);
    const failed = (await Promise.allSettled(workers)).find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #makeOne(call: StoredCall): Promise<StoredCall> {
    const { tools, answers, tell } = this.#around;
    const isWritten = call.state === 'under_way';
    const underWay = isWritten ? call : underWayFrom(call, Date.now());
    if (!isWritten) await this.#calls.write(underWay);
    tell({ type: 'call', call: call.id, tool: call.tool });
    const ended = await tools.make(call, this.#signal);
    // A host that is closing does not know how the call ended. The host that recovers the run decides.
    if (this.#signal.aborted) throw new ClaimLost();
    if (ended instanceof Later) {
      const waiting: StoredCall = { ...underWay, state: 'ready', notBefore: ended.at };
      await this.#calls.write(waiting);
      return waiting;
    }
    const answered = await answers.to(this.#id, underWay, ended);
    await this.#calls.write(answered);
    tell({ type: 'answer', call: call.id, tool: call.tool, failed: 'error' in ended });
    return answered;
  }

  async #segment(loaded: Loaded, answers: StoredCall[]): Promise<boolean> {
    const { run } = loaded;
    const { spec, binder } = this.#opened(loaded);
    const { options, sealer, tell } = this.#around;
    let result: SegmentResult;
    let begun: StoredCall[] = [];
    let files: RunFile[] = [];
    try {
      const known = this.#files(loaded.calls.filter(({ use }) => use === 'given'));
      const bound = await binder.at(run.step, known);
      const snapshot = run.snapshot && sealer.open(run.snapshot, bound);
      const fresh = this.#files(answers);
      for (const file of fresh) await binder.assertSame(file, file.sha256);
      files = [...known, ...fresh];
      result = await runSegment(options.sandbox, spec, {
        files,
        from: snapshot && { snapshot, answers: answers.map(answerOf) },
        signal: this.#signal,
        onConsole: ({ level, text }) => tell({ type: 'console', level, text }),
      });
      if (result.state === 'waiting') begun = await this.#begun(result.calls, loaded);
    } catch (error) {
      return await this.#failed(error);
    }
    const step = run.step + 1;
    const given = answers.map((call) => givenTo(call, run.step));
    if (result.state === 'completed') {
      const outcome = JSON.stringify({ value: result.value });
      const ended: Change['run'] = { step, outcome, snapshot: undefined };
      const proposes = [...loaded.calls, ...given].some(({ use }) => use === 'proposed');
      if (!proposes) return await this.#end({ run: { ...ended, state: 'completed' }, calls: given }, 'completed');
      await this.#change({ run: ended, calls: given });
      return true;
    }
    const snapshot = sealer.seal(result.snapshot, await binder.at(step, files));
    // Calls that are made at once are written down with the segment, because another write would be another wait for
    // the disk.
    const { next, made } = this.#madeNext(begun);
    await this.#change({ run: { step, snapshot, outcome: undefined }, calls: [...given, ...next] });
    tell({ type: 'segment', step, calls: result.calls.length });
    if (made.length > 0) await this.#make(made);
    return true;
  }

  /** Calls that have begun. As many as are made at a time are marked as being made now. */
  #madeNext(begun: readonly StoredCall[]): { next: StoredCall[]; made: StoredCall[] } {
    const now = Date.now();
    const isNext = ({ state, notBefore }: StoredCall): boolean => state === 'ready' && notBefore <= now;
    const first = new Set(begun.filter(isNext).slice(0, this.#around.options.parallelCalls));
    const next = begun.map((call) => (first.has(call) ? underWayFrom(call, now) : call));
    return { next, made: next.filter((call) => call.state === 'under_way' || isNext(call)) };
  }

  /** Calls that the script has made in a segment. Calls that it made before a restart have their answers already. */
  async #begun(calls: readonly WaitingCall[], { run, calls: known }: Loaded): Promise<StoredCall[]> {
    const begun: StoredCall[] = [];
    const done = doneBefore(known);
    const { tools } = this.#around;
    const proposes = this.#spec?.writes === 'propose';
    for (const call of calls) {
      const before = known.find(({ id }) => id === call.id);
      if (before?.use === 'open') continue;
      if (before === undefined) {
        const next = await tools.begun({ run: this.#id, step: run.step, proposes }, call, done);
        begun.push(next);
        done.calls = [...done.calls, ...doneBefore([next]).calls];
      } else if (before.tool === call.name && before.args === JSON.stringify(call.args))
        begun.push({ ...before, use: 'open' });
      else throw mismatch(before, call);
    }
    return begun;
  }

  /** @returns false, because nothing more can be done */
  async #failed(error: unknown): Promise<false> {
    if (this.#signal.aborted || !isEnd(error)) throw error;
    const problem = problemOf(error);
    const outcome = JSON.stringify({ problem });
    const isRefused = problem.code === 'snapshot_refused';
    if (!isRefused) return await this.#end({ run: { state: 'failed', outcome, snapshot: undefined } }, 'failed');
    // A refused run is kept, because it can be opened again with the right key, tools or engine.
    const waitsFor: WaitsFor[] = ['restart'];
    await this.#change({ run: { state: 'waiting', waitsFor, wakeAt: undefined, outcome }, claimedUntil: 0 });
    this.#around.tell({ type: 'state', state: 'waiting', waitsFor });
    throw error;
  }

  /** @returns false, because nothing more is to be done */
  async #end({ run, calls = [] }: Change, state: 'completed' | 'failed'): Promise<false> {
    await this.#change({ run: { ...run, waitsFor: [], wakeAt: undefined }, calls, claimedUntil: 0 });
    await this.#around.answers.forget(this.#id);
    this.#around.tell({ type: 'state', state, waitsFor: [] });
    return false;
  }

  /** The files that hold answers to these calls. */
  #files(calls: readonly StoredCall[]): RunFile[] {
    const { answers } = this.#around;
    const files = calls.flatMap(({ facts: { file } }) => file ?? []);
    return files.map((file) => ({ ...file, path: answers.pathOf(this.#id, file) }));
  }

  #opened({ run }: Loaded): { spec: Spec; binder: Binder } {
    const { sealer, tools, options } = this.#around;
    const { tenant } = options;
    this.#spec ??= JSON.parse(sealer.open(run.spec, boundOfSpec(tenant, this.#id)).toString()) as Spec;
    this.#binder ??= new Binder(tenant, this.#id, this.#spec, tools.fingerprint(this.#spec.tools));
    return { spec: this.#spec, binder: this.#binder };
  }

  async #load(): Promise<Loaded> {
    const loaded = await this.#around.options.store.load(this.#id);
    if (loaded === undefined || loaded.fence !== this.#fence || this.#signal.aborted) throw new ClaimLost();
    return loaded;
  }

  async #renew(): Promise<void> {
    await this.#commit({ claimedUntil: Date.now() + this.#around.options.leaseMs }).catch(() => {});
  }

  /** @throws {ClaimLost} */
  async #change(change: Change): Promise<void> {
    if (!(await this.#commit(change))) throw new ClaimLost();
  }

  #commit(change: Change): Promise<boolean> {
    return this.#around.options.store.commit(this.#id, this.#fence, Date.now(), change);
  }
}

function underWayFrom(call: StoredCall, madeAt: number): StoredCall {
  return { ...call, state: 'under_way', facts: { ...call.facts, madeAt } };
}

/** Remembers at which step the script got its answer, so that it gets the answer at the same step after a restart. */
function givenTo(call: StoredCall, step: number): StoredCall {
  const { givenIn = step } = call.facts;
  return { ...call, use: call.state === 'proposed' ? 'proposed' : 'given', facts: { ...call.facts, givenIn } };
}

function problemOf(error: unknown): RunProblem {
  const { code, message, details = {} } = error as { code: string; message: string; details?: Record<string, unknown> };
  return { code, message, details };
}

function mismatch(before: StoredCall, { id, name }: WaitingCall): RunError {
  return new RunError(
    'ledger_mismatch',
    `After its restart the script makes call ${id} as ${name}() with arguments that differ from its ledger: ${before.tool}() was answered. ` +
      'The script depends on time, chance or files that have changed.',
  );
}
