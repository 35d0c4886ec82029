import {
  assertGiven,
  buildRunRequest,
  buildSegmentRequest,
  Events,
  Totals,
  type RunOptions,
  type RunRequest,
  type RunResult,
  type SandboxEvents,
  type SandboxStats,
} from '@mustard-sandbox/client/peer';
import type { LocalSandbox, SegmentOptions, SegmentResult } from '@mustard-sandbox/client';
import { resolveRoots } from '@mustard-sandbox/paths';
import {
  decodeValue,
  invalidRequest,
  SandboxError,
  throwIfAborted,
  toSandboxError,
  type Diagnostic,
  type EngineInfo,
  type ErrorCode,
  type RunWarning,
  type SandboxValue,
} from '@mustard-sandbox/protocol';
import { Uploads } from '../files/upload.ts';
import { Tracing } from '../tracing.ts';
import type { JobBody, JobQuestion, Outcome } from '../wire/messages.ts';
import { Conversation } from './conversation.ts';
import { Jobs } from './jobs.ts';
import { parseFleetOptions, type FleetOptions, type ResolvedFleetOptions } from './options.ts';
import { RunTime } from './run-time.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';

/**
 * A sandbox whose sidecars are on any machine where `mustard-sandbox worker` runs. It does not connect before the first
 * call.
 */
export type FleetSandbox = LocalSandbox;

/**
 * Makes a sandbox at a fleet: each run is a job in a queue, which workers take. `run` and the other methods are those
 * of `createSandbox`; docs/fleet.md says what differs.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export function connectFleet(options: FleetOptions): FleetSandbox {
  return new QueuedSandbox(parseFleetOptions(options));
}

/** How long a validation may take, in ms. It only compiles, and a sidecar takes at most a second to start. */
const shortMs = 30_000;

class QueuedSandbox implements FleetSandbox {
  readonly #options: ResolvedFleetOptions;
  readonly #roots: readonly string[] | undefined;
  readonly #events = new Events();
  readonly #totals = new Totals(this.#events);
  readonly #jobs: Jobs;
  readonly #uploads: Uploads;
  readonly #tracing: Tracing;
  #running = 0;
  #nextRun = 1;
  #engine: EngineInfo | undefined;

  constructor(options: ResolvedFleetOptions) {
    this.#options = options;
    this.#roots = options.roots === undefined ? undefined : resolveRoots(options.roots);
    this.#uploads = new Uploads(options.files, options.tenant);
    this.#tracing = new Tracing(options.tracer);
    this.#jobs = new Jobs(options, {
      backingOff: (failures) =>
        void this.#events.emit('backing_off', { delayMs: 0, failures, message: 'The connection to the queue broke.' }),
      recovered: () => void this.#events.emit('recovered', {}),
    });
  }

  async run(options: RunOptions): Promise<RunResult> {
    if (options.outputs !== undefined) {
      throw invalidRequest('run()', 'outputs', 'a run at a fleet keeps no files. Return the data instead');
    }
    const request = buildRunRequest(String(this.#nextRun++), options, this.#options, this.#roots);
    return await this.#tell(request, async (time) => {
      const { profile: asked, ...body } = await this.#bodyOf(request);
      const goesInSegments = body.hostFunctions.length > 0;
      const { outcome, queueMs } = goesInSegments
        ? await this.#inSegments(body, request, time)
        : await this.#ask({ ...body, kind: 'run', ...(asked && { profile: asked }) }, request, time);
      if (outcome.state !== 'completed') throw unexpected(outcome);
      const { state: _, value, profile, ...facts } = outcome;
      assertGiven(facts.attachmentsRead, request);
      return {
        ...facts,
        value: decodeValue(value),
        warnings: facts.warnings as RunWarning[],
        queueMs,
        ...(profile !== undefined && { profile }),
      };
    });
  }

  async runSegment(options: SegmentOptions): Promise<SegmentResult> {
    const from = options.from && readSnapshot(options.from.snapshot);
    const bare = from === undefined ? options : { ...options, from: { ...options.from, snapshot: from.snapshot } };
    const request = buildSegmentRequest(String(this.#nextRun++), bare as SegmentOptions, this.#options, this.#roots);
    return await this.#tell(request, async (time) => {
      const body: JobQuestion = { ...(await this.#bodyOf(request)), kind: 'segment' };
      if (request.segment?.from !== undefined) body.from = request.segment.from;
      const { outcome, queueMs, release } = await this.#ask(body, request, time, from?.release);
      if (outcome.state !== 'completed' && outcome.state !== 'waiting') throw unexpected(outcome);
      const facts = { warnings: outcome.warnings as RunWarning[], queueMs };
      if (outcome.state === 'completed') return { ...outcome, ...facts, value: decodeValue(outcome.value) };
      return {
        ...outcome,
        ...facts,
        calls: outcome.calls.map((call) => ({ ...call, args: decodeValue(call.args) as SandboxValue[] })),
        snapshot: writeSnapshot(Buffer.from(outcome.snapshot, 'base64'), release),
      };
    });
  }

  async validate(script: string, options: Pick<RunOptions, 'engine'> = {}): Promise<Diagnostic[]> {
    const request = buildRunRequest('validate', { script, ...options }, this.#options, undefined);
    const { outcome } = await this.#ask({ ...(await this.#bodyOf(request)), kind: 'validate' }, request, this.#short());
    if (outcome.state !== 'validated') throw unexpected(outcome);
    return outcome.diagnostics as Diagnostic[];
  }

  async warm(): Promise<EngineInfo> {
    const request = buildRunRequest('warm', { script: '' }, this.#options, undefined);
    const { outcome } = await this.#ask({ ...(await this.#bodyOf(request)), kind: 'warm' }, request, this.#short());
    if (outcome.state !== 'warm') throw unexpected(outcome);
    return (this.#engine = outcome.info as unknown as EngineInfo);
  }

  stats(): SandboxStats {
    return {
      state: this.#state(),
      processes: [],
      queued: this.#jobs.size - this.#running,
      isolation: { requested: 'jail', active: undefined },
      totals: this.#totals.counts(),
      queueMs: this.#totals.queueMs(),
      quarantinedScripts: 0,
      engine: this.#engine,
    };
  }

  on<E extends keyof SandboxEvents>(event: E, listener: (facts: SandboxEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  async close(): Promise<void> {
    await this.#jobs.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #state(): SandboxStats['state'] {
    if (this.#jobs.isClosed) return 'closed';
    if (this.#jobs.isBroken) return 'backing_off';
    return this.#jobs.size > 0 ? 'running' : 'idle';
  }

  #short(): RunTime {
    return new RunTime(Math.min(shortMs, this.#options.maxWaitMs));
  }

  /** Counts a run, and reports its begin and end to listeners. */
  async #tell<T>(request: RunRequest, work: (time: RunTime) => Promise<T>): Promise<T> {
    const { runId } = request.params;
    const time = new RunTime(this.#options.maxWaitMs, (facts) => {
      this.#running++;
      this.#events.emit('run_started', { ...facts, runId });
      request.callersContext.runInAsyncScope(() => request.onStart(facts));
    });
    let code: ErrorCode | undefined;
    try {
      throwIfAborted(request.signal, 'The run was cancelled before it began.');
      return await work(time);
    } catch (error) {
      ({ code } = toSandboxError(error));
      throw error;
    } finally {
      if (time.started !== undefined) {
        this.#running--;
        const { sidecar, at } = time.started;
        const settled = { sidecar, runId, ok: code === undefined, durationMs: performance.now() - at };
        this.#events.emit('run_settled', { ...settled, ...(code !== undefined && { code }) });
      }
    }
  }

  async #inSegments(body: JobQuestion, request: RunRequest, time: RunTime): Promise<Answered> {
    const conversation = new Conversation(request);
    let from: JobBody['from'];
    let release: string | undefined;
    let queueMs = 0;
    try {
      for (;;) {
        const answered = await this.#ask({ ...body, kind: 'segment', ...(from && { from }) }, request, time, release);
        const { outcome } = answered;
        queueMs += answered.queueMs;
        if (outcome.state !== 'waiting') return { ...answered, queueMs };
        release = answered.release;
        const answers = await time.without(() => conversation.answers(outcome));
        from = { snapshot: outcome.snapshot, answers };
      }
    } finally {
      conversation.end();
    }
  }

  /** Sends one job. @throws {SandboxError} the error of the worker, or why there is no answer */
  async #ask(
    body: JobQuestion,
    { signal, onConsole, callersContext }: RunRequest,
    time: RunTime,
    release?: string,
  ): Promise<Answered> {
    // A segment has its inputs in its snapshot.
    const { inputs: _, ...goingOn } = body;
    const asked = body.from === undefined ? body : goingOn;
    const attributes = { 'sandbox.fleet.job': asked.kind, 'sandbox.attachments': asked.files.length };
    const answer = await this.#tracing.inSpan('sandbox.fleet.job', { attributes }, async ({ traceparent }) => {
      return await this.#jobs.ask(traceparent === undefined ? asked : { ...asked, traceparent }, {
        release,
        signal,
        waitMs: time.leftMs(),
        onStarted: (facts) => time.start(facts),
      });
    });
    const { outcome, sidecar, queueMs } = answer;
    time.start({ sidecar, queueMs });
    if (onConsole !== undefined) {
      for (const line of answer.console) callersContext.runInAsyncScope(() => onConsole(line));
    }
    if (outcome.state !== 'failed') return answer;
    const { code, message, details } = outcome;
    if (code === 'quarantined')
      this.#events.emit('quarantined', { scriptHash: details['scriptHash'] as string, crashes: 3 });
    throw new SandboxError(code, message, { details });
  }

  async #bodyOf({ params, onConsole, signal }: RunRequest): Promise<JobQuestion> {
    const { script, engine = 'auto', inputs, limits, profile, hostFunctions = [] } = params;
    const { root, attachments = [], ...scope } = params.scope ?? {};
    if (root !== undefined && !this.#options.uploadDirectories) {
      const why =
        'its files would be sent to the store of the fleet. Give connectFleet() the option `uploadDirectories` (--upload-dir)';
      throw invalidRequest('scope.root', why);
    }
    return {
      kind: 'run',
      script,
      engine,
      console: onConsole !== undefined,
      hostFunctions,
      hasRoot: root !== undefined,
      files: await this.#uploads.bring(
        { attachments, root, deny: scope.deny },
        { signal, forMs: this.#options.maxWaitMs },
      ),
      ...(params.scope !== undefined && { scope }),
      ...(inputs !== undefined && { inputs }),
      ...(limits !== undefined && { limits }),
      ...(profile !== undefined && { profile }),
    };
  }
}

interface Answered {
  outcome: Outcome;
  queueMs: number;
  release: string;
}

function unexpected({ state }: Outcome): SandboxError {
  return new SandboxError('protocol_error', `The worker answered with '${state}', which was not asked for.`);
}
