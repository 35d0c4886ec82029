// The runs of scripts that call tools. An answer begins them, a person decides on their calls, and pages show them.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CodeModeResult } from '@mustard-sandbox/code-mode';
import type { Decision, Loaded, RunError } from '@mustard-sandbox/runs';
import {
  AgentError,
  type Broadcast,
  type CallDecision,
  type Params,
  type ToolRun,
  type WaitingRun,
} from '../../shared/contract/index.ts';
import type { AppStore } from '../apps/store.ts';
import type { ChatStore } from '../chats/store.ts';
import { KeptRuns } from './kept-runs.ts';
import { shownRun } from './shown-run.ts';
import type { Opened, Toolbox } from './toolbox.ts';
import type { ToolRunRow, ToolRunStore } from './tool-run-store.ts';

/** How often pages are told about a run at most, in ms. A person could not follow more. */
const tellMs = 200;
/** How often a waiting run is looked at, in ms. One that waits for a time continues by itself. */
const lookMs = 5_000;
/**
 * When recovery is tried again, in ms. A program that was killed holds its runs for up to half a minute. Runs whose server is
 * gone are tried less and less often.
 */
const firstRecoverMs = 5_000;
const mostRecoverMs = 300_000;

export interface ToolRunsOptions {
  dataDir: string;
  rows: ToolRunStore;
  toolbox: Toolbox;
  chats: Pick<ChatStore, 'get'>;
  apps: Pick<AppStore, 'get'>;
  broadcast: Broadcast;
  onError: (what: string, error: unknown) => void;
}

const said = 'the person said no';
const by = 'the person at this machine';
const decisionOf: Record<CallDecision, (id: number) => Decision> = {
  allow: (id) => ({ id, approve: true, by }),
  'allow-run': (id) => ({ id, approve: true, remember: 'run', by }),
  'allow-always': (id) => ({ id, approve: true, remember: 'always', by }),
  deny: (id) => ({ id, deny: said, by }),
  'not-done': (id) => ({ id, outcome: 'not_done', by }),
  'try-again': (id) => ({ id, outcome: 'try_again', by }),
};

export class ToolRuns implements AsyncDisposable {
  readonly #options: ToolRunsOptions;
  readonly #kept: KeptRuns;
  readonly #waking = new Map<string, Set<() => void>>();
  readonly #telling = new Set<string>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #waiting: readonly WaitingRun[] = [];

  constructor(options: ToolRunsOptions) {
    this.#options = options;
    this.#kept = new KeptRuns(options.dataDir);
  }

  /** The runs that wait for a person, as the pages were last told. */
  get waiting(): readonly WaitingRun[] {
    return this.#waiting;
  }

  /**
   * Runs a script for an answer, and waits until it has ended, even while a person has to decide.
   *
   * @param place.signal ends the wait but not the run; the caller may call `cancel`
   * @param waitMs after this time the result says that the run waits
   */
  async run(
    script: string,
    place: { runId: string; chatId: string; messageId: string; signal: AbortSignal },
    waitMs: number,
  ): Promise<CodeModeResult> {
    const { runId, chatId, messageId, signal } = place;
    await this.#options.rows.add({ runId, chatId, messageId });
    const until = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    for (;;) {
      const woken = this.#wakes(runId, AbortSignal.any([until, AbortSignal.timeout(lookMs)]));
      const result = await this.#abortable(this.#goOn(runId, script), signal);
      if (result.status !== 'waiting' || until.aborted) return await this.#given(runId, result);
      await woken;
      signal.throwIfAborted();
    }
  }

  async list(chatId: string): Promise<ToolRun[]> {
    const rows = await this.#options.rows.list(chatId);
    const runs = await Promise.all(rows.map((row) => this.#shown(row)));
    return runs.filter((run) => run !== undefined);
  }

  /** @throws {AgentError} `not_found` */
  async read(runId: string): Promise<ToolRun> {
    const run = await this.#shown(await this.#row(runId));
    if (run === undefined) throw new AgentError('not_found', 'This run no longer exists.');
    return run;
  }

  /** What became of runs that ended after their answer, as texts for the model, by message. */
  async endedLater(chatId: string): Promise<Map<string, string[]>> {
    const notes = new Map<string, string[]>();
    for (const { isTold, forkOf, messageId, record } of await this.list(chatId)) {
      if (isTold || forkOf !== null) continue;
      const { result, error } = (record ?? {}) as { result?: { text: string }; error?: { text: string } };
      const note =
        record === null
          ? '[A script of this answer still waits for the person. Do not run it again.]'
          : `[A script of this answer ended later. It gave: ${result?.text ?? error?.text ?? ''}]`;
      notes.set(messageId, [...(notes.get(messageId) ?? []), note]);
    }
    return notes;
  }

  /** @throws {AgentError} `changed` when the call is already decided or the run has ended; `busy` when a server is missing */
  async decide({ runId, call, decision }: Params<'decide-call'>): Promise<ToolRun> {
    await this.#row(runId);
    await this.#options.toolbox.use(async (opened) => {
      await this.#assertTools(runId, opened);
      await refused(opened.tool.runs.decide(runId, [decisionOf[decision](call)]));
    });
    this.#drive(runId);
    return await this.read(runId);
  }

  /** @throws {AgentError} `changed` when the run has ended */
  async cancel(runId: string): Promise<ToolRun> {
    await this.#row(runId);
    const { opened } = this.#options.toolbox.now;
    const runs = opened?.tool.runs ?? (await this.#kept.open()).runs;
    await refused(runs.cancel(runId));
    await this.#tellNow(runId);
    this.#wake(runId);
    return await this.read(runId);
  }

  /** Begins a run in which one answer is another. @returns the id of the new run */
  async fork({ runId, call, answer }: Params<'fork-tool-run'>): Promise<string> {
    const { chatId, messageId } = await this.#row(runId);
    const id = randomUUID();
    const given = 'error' in answer ? { error: { name: 'Error', message: answer.error } } : { value: answer.value };
    await this.#options.toolbox.use(async (opened) => {
      await this.#assertTools(runId, opened);
      // The model has continued with the first run. This one is for the person only.
      await this.#options.rows.add({ runId: id, chatId, messageId, isTold: true });
      this.#work(id, async () => void (await opened.tool.fork(runId, { call, answer: given, id, by })));
      await this.#begun(id);
    });
    return id;
  }

  /** Continues the runs that a killed program had begun. Runs that wait for a person go on waiting. */
  async recover(): Promise<void> {
    if (await this.#options.rows.isEmpty()) return;
    await this.#tellWaiting();
    const isCut = async (): Promise<boolean> => {
      const runs = await (await this.#kept.open()).runs.list({ states: ['running', 'waiting'], limit: 1_000 });
      return runs.some(({ state, waitsFor }) => state === 'running' || waitsFor.includes('time'));
    };
    for (let waitMs = firstRecoverMs; !this.#closing.signal.aborted && (await isCut()); waitMs *= 1.5) {
      const recovered = await this.#options.toolbox.use(({ tool }) => tool.runs.recover());
      for (const { id } of recovered) await this.#tellNow(id);
      await sleep(Math.min(waitMs, mostRecoverMs), undefined, { signal: this.#closing.signal, ref: false }).catch(
        () => {},
      );
    }
  }

  /** Ends the runs of a chat. */
  async stop(chatId: string): Promise<void> {
    const active = (await this.list(chatId)).filter(({ state }) => state === 'running' || state === 'waiting');
    for (const { runId } of active) await this.cancel(runId).catch(() => {});
  }

  /** Removes the runs of a chat that cannot be taken back any more. */
  async forget(chatId: string): Promise<void> {
    const rows = await this.#options.rows.list(chatId);
    if (rows.length === 0) return;
    const { runs } = await this.#kept.open();
    for (const { runId } of rows) await runs.remove(runId).catch(notFoundIsFine);
    await this.#tellWaiting();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#options.toolbox[Symbol.asyncDispose]();
    await Promise.allSettled(this.#working);
    await this.#kept.close();
  }

  /** Continues a run until it waits or ends, and tells the pages meanwhile. */
  async #goOn(runId: string, script: string): Promise<CodeModeResult> {
    return await this.#options.toolbox.use(async ({ tool }) => {
      const stop = this.#follow(runId, tool.runs.events(runId));
      try {
        return await tool.execute({ script }, { id: runId });
      } finally {
        stop();
        await this.#tellNow(runId);
      }
    });
  }

  #drive(runId: string): void {
    this.#work(runId, async () => {
      const script = await (await this.#kept.open()).runs.script(runId);
      await this.#goOn(runId, script);
    });
  }

  /** Works in the background. The run's state tells of a failure. */
  #work(runId: string, work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#options.onError('a run could not go on', error);
      })
      .then(() => this.#tellNow(runId))
      .catch(() => {})
      .then(() => this.#wake(runId))
      .finally(() => this.#working.delete(done));
    this.#working.add(done);
  }

  /** Tells pages of each event. @returns stops it with the next event */
  #follow(runId: string, events: AsyncIterable<unknown>): () => void {
    let isOver = false;
    const read = async (): Promise<void> => {
      for await (const _ of events) {
        if (isOver) return;
        this.#tell(runId);
      }
    };
    void read();
    return () => (isOver = true);
  }

  /** Tells the pages soon, once for all changes until then. */
  #tell(runId: string): void {
    if (this.#telling.has(runId)) return;
    this.#telling.add(runId);
    setTimeout(() => {
      this.#telling.delete(runId);
      void this.#tellNow(runId).catch(() => {});
    }, tellMs).unref();
  }

  async #tellNow(runId: string): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const row = await this.#options.rows.find(runId);
    const run = row && (await this.#shown(row));
    if (run !== undefined) this.#options.broadcast('tool-run:changed', { run });
    await this.#tellWaiting();
  }

  async #tellWaiting(): Promise<void> {
    const { runs } = await this.#kept.open();
    const all = await runs.list({ states: ['waiting'], limit: 200 });
    const waiting = await Promise.all(
      all.map(async ({ id, calls, updatedAt, waitsFor }): Promise<WaitingRun[]> => {
        const row = await this.#options.rows.find(id);
        if (row === undefined || waitsFor.every((each) => each === 'time')) return [];
        const place = await this.#placeOf(row);
        const tools = calls.filter(({ state }) => state === 'approval' || state === 'unknown').map(({ tool }) => tool);
        return place === undefined ? [] : [{ ...place, runId: id, tools, since: updatedAt.toISOString() }];
      }),
    );
    const next = waiting.flat();
    if (JSON.stringify(next) === JSON.stringify(this.#waiting)) return;
    this.#waiting = next;
    this.#options.broadcast('tool-runs:waiting', { runs: next });
  }

  /** The chat of a run and its app; `undefined` for a deleted chat. */
  async #placeOf({ chatId }: ToolRunRow): Promise<Pick<WaitingRun, 'chatId' | 'appId' | 'app' | 'chat'> | undefined> {
    try {
      const { appId, title } = await this.#options.chats.get(chatId);
      return { chatId, appId, app: (await this.#options.apps.get(appId)).name, chat: title };
    } catch {
      return undefined;
    }
  }

  /** Checks that the tools are there. Without them a run would fail although the person said yes. */
  async #assertTools(runId: string, { tool, failures }: Opened): Promise<void> {
    const loaded = await this.#loaded(runId);
    const known = new Set(tool.tools.map(({ name }) => name));
    const missing = loaded?.calls.find(
      (call) => call.use === 'open' && call.tool.includes('.') && !known.has(call.tool),
    );
    if (missing === undefined) return;
    const [space = ''] = missing.tool.split('.', 1);
    const failure = failures.get(space);
    // The next attempt connects again.
    this.#options.toolbox.renew();
    const why = failure ?? `No server offers ${missing.tool} now.`;
    throw new AgentError(
      'busy',
      `The script cannot continue now: ${why} Check Settings → Tools, or cancel the script.`,
    );
  }

  async #given(runId: string, result: CodeModeResult): Promise<CodeModeResult> {
    if (result.status !== 'waiting') await this.#options.rows.markTold(runId);
    await this.#tellNow(runId);
    return result;
  }

  #wake(runId: string): void {
    for (const wake of this.#waking.get(runId) ?? []) wake();
  }

  /** Resolves at the next change of a run, or after an abort. */
  async #wakes(runId: string, signal: AbortSignal): Promise<void> {
    const wakes = this.#waking.get(runId) ?? new Set();
    this.#waking.set(runId, wakes);
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        wakes.delete(wake);
        if (wakes.size === 0) this.#waking.delete(runId);
        resolve();
      };
      wakes.add(wake);
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake, { once: true });
    });
  }

  async #abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    this.#working.add(work);
    const over = (): void => void this.#working.delete(work);
    work.then(over, over);
    return await new Promise<T>((resolve, reject) => {
      const abort = (): void => reject(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  /** Waits up to two seconds until the store has the run. */
  async #begun(runId: string): Promise<void> {
    for (let time = 0; time < 100 && (await this.#loaded(runId)) === undefined; time++) await sleep(20);
  }

  async #row(runId: string): Promise<ToolRunRow> {
    const row = await this.#options.rows.find(runId);
    if (row === undefined) throw new AgentError('not_found', 'This run no longer exists.');
    return row;
  }

  async #loaded(runId: string): Promise<Loaded | undefined> {
    return await (await this.#kept.open()).store.load(runId);
  }

  async #shown(row: ToolRunRow): Promise<ToolRun | undefined> {
    const loaded = await this.#loaded(row.runId);
    if (loaded === undefined) return undefined;
    const script = await this.#kept.scriptOf(row.runId);
    return shownRun(loaded, script, row);
  }
}

/** @throws {AgentError} a refusal of the store, in words for a person */
async function refused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as RunError;
    if (code === 'not_pending') throw new AgentError('changed', 'This was already decided, perhaps in another window.');
    if (code === 'ended') throw new AgentError('changed', message);
    if (code === 'wrong_decision' || code === 'invalid_request') throw new AgentError('invalid_request', message);
    throw error;
  }
}

function notFoundIsFine(error: unknown): void {
  if ((error as RunError).code !== 'not_found') throw error;
}
