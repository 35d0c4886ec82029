import { toSandboxError, type Diagnostic, type EngineInfo, type ErrorCode } from '@mustard-sandbox/protocol';
import { runOf, segmentOf, validationOf, type Ask, type SidecarResult, type SidecarSegment } from './asks.ts';
import { Events } from './events.ts';
import { Isolation } from './isolation/isolation.ts';
import { parseSandboxOptions, type ResolvedOptions, type SandboxOptions } from './options.ts';
import { Pool } from './pool.ts';
import { enterRun, leaveRun, Nesting } from './nesting.ts';
import { openOutputs, type Outputs } from './outputs/options.ts';
import { keepingOutputs } from './outputs/run-outputs.ts';
import { offerParallel } from './parallel/parallel-runs.ts';
import { Quarantine } from './quarantine.ts';
import type { RelayedResult, RelayedRun, RelayingSandbox } from './relay.ts';
import {
  buildCheckedRequest,
  buildRunRequest,
  buildSegmentRequest,
  noContext,
  presentContext,
  type RunRequest,
} from './run-request.ts';
import type { Sidecar } from './sidecar.ts';
import { Totals } from './totals.ts';
import type {
  LocalSandbox,
  RunOptions,
  RunResult,
  SandboxEvents,
  SandboxStats,
  SegmentOptions,
  SegmentResult,
} from './types.ts';

/**
 * A place to run scripts in. Nothing is started until the first call that needs a sidecar.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export function createSandbox(options: SandboxOptions = {}): LocalSandbox {
  return new PooledSandbox(parseSandboxOptions(options));
}

/** A sandbox for a program that passes on runs of others. @throws {SandboxError} `invalid_request` */
export function createRelayingSandbox(options: SandboxOptions = {}): RelayingSandbox {
  return new PooledSandbox(parseSandboxOptions(options));
}

/** The exit code of a sidecar when the machine lacks what it needs: `EX_OSERR` of sysexits.h. */
const machineExitCode = 71;

const now = (): number => performance.now();

class PooledSandbox implements RelayingSandbox, LocalSandbox {
  readonly #options: ResolvedOptions;
  readonly #events = new Events();
  readonly #outputs: Outputs | undefined;
  readonly #isolation: Isolation;
  readonly #pool: Pool;
  readonly #nesting: Nesting;
  readonly #quarantine: Quarantine;
  readonly #totals: Totals;
  #nextRun = 1;

  constructor(options: ResolvedOptions) {
    this.#outputs = options.outputs === undefined ? undefined : openOutputs(options.outputs);
    this.#options = options = withRoot(options, this.#outputs);
    this.#isolation = new Isolation(options, this.#events, now);
    this.#pool = new Pool(options, this.#events, this.#isolation, now);
    this.#nesting = new Nesting(options.maxNesting);
    this.#quarantine = new Quarantine(options.quarantineAfter, options.quarantineWindowMs, now);
    this.#totals = new Totals(this.#events);
  }

  async run(options: RunOptions): Promise<RunResult> {
    const runId = String(this.#nextRun++);
    const level = this.#nesting.level();
    const below = options.hostFunctions === undefined ? undefined : this.#nesting.below(level);
    const settings = { ...this.#options, savedIn: this.#outputs };
    const request = buildRunRequest(runId, options, settings, this.#isolation.roots, below);
    const { outputs } = request;
    if (outputs === undefined) return toRunResult(await this.#performRun(request, level));
    return await keepingOutputs(outputs, async () => toRunResult(await this.#performRun(request, level)));
  }

  async runSegment(options: SegmentOptions): Promise<SegmentResult> {
    const runId = String(this.#nextRun++);
    const request = buildSegmentRequest(runId, options, this.#options, this.#isolation.roots);
    return toSegmentResult(await this.#perform(request, this.#nesting.level(), segmentOf(request)));
  }

  async relay(run: RelayedRun): Promise<RelayedResult> {
    const runId = String(this.#nextRun++);
    const level = this.#nesting.level();
    const { roots } = this.#isolation;
    const calls = run.hostFunctions !== undefined;
    const request = buildCheckedRequest(runId, run, {
      settings: this.#options,
      roots,
      callersContext: calls ? presentContext() : noContext,
      below: calls ? this.#nesting.below(level) : undefined,
    });
    const { result, ...facts } = await this.#performRun(request, level);
    return { ...result, ...facts };
  }

  /** A run that may start others by `parallel`. Their level has sidecars of its own, so they never wait for this one. */
  #performRun(request: RunRequest, level: number): Promise<Performed<SidecarResult>> {
    const parallel = offerParallel(request, {
      most: this.#options.maxProcesses,
      perform: async (child) => (await this.#perform(child, level + 1, runOf(child))).result,
      nextId: () => String(this.#nextRun++),
    });
    const performed = this.#perform(request, level, runOf(request));
    return parallel === undefined ? performed : parallel.during(performed);
  }

  /** Leases a sidecar for one script. Each promise counts here: see test/client/promises.test.ts. */
  async #perform<T>(
    request: RunRequest,
    level: number,
    ask: Ask<T>,
    { askedAt, doubted } = { askedAt: now(), doubted: false },
  ): Promise<Performed<T>> {
    const { script, scope, runId } = request.params;
    const { suspect } = this.#quarantine.check(script);
    const sidecar = await this.#pool.acquire({
      level,
      suspect,
      doubted,
      reads: scope !== undefined,
      signal: request.signal,
      isAwaited: request.isAwaited,
      ask: canGoAhead(request) && !suspect && !doubted ? ask : undefined,
    });
    const startedAt = now();
    const queueMs = startedAt - askedAt;
    this.#events.emit('run_started', { sidecar: sidecar.id, runId, queueMs });
    request.onStart({ sidecar: sidecar.id, queueMs });
    const mayCall = request.hostCalls.names.length > 0;
    if (mayCall) enterRun();
    let code: ErrorCode | undefined;
    try {
      const answer = sidecar.perform(ask);
      this.#pool.began();
      const result = await answer;
      if (suspect) this.#quarantine.acquit(script);
      return { result, queueMs, sidecar: sidecar.id };
    } catch (error) {
      code = toSandboxError(error).code;
      this.#blame(script, error, sidecar);
      if (doubted || sidecar.killedFor !== 'unresponsive') throw error;
    } finally {
      const durationMs = now() - startedAt;
      this.#events.emit('run_settled', {
        sidecar: sidecar.id,
        runId,
        ok: code === undefined,
        durationMs,
        ...(code !== undefined && { code }),
      });
      if (mayCall) leaveRun();
      this.#pool.release(sidecar);
    }
    // It was stopped before it had begun: nothing of the run has happened. The next one answers a ping first.
    return await this.#perform(request, level, ask, { askedAt, doubted: true });
  }

  async validate(script: string, options: Pick<RunOptions, 'engine'> = {}): Promise<Diagnostic[]> {
    const { params } = buildRunRequest('validate', { script, ...options }, this.#options, undefined);
    const { suspect } = this.#quarantine.check(script);
    const sidecar = await this.#pool.acquire({ level: this.#nesting.level(), suspect });
    try {
      return await sidecar.perform(validationOf(params));
    } catch (error) {
      this.#blame(script, error, sidecar);
      throw error;
    } finally {
      this.#pool.release(sidecar);
    }
  }

  async warm(): Promise<EngineInfo> {
    const sidecar = await this.#pool.acquire({ level: this.#nesting.level() });
    this.#pool.release(sidecar);
    return await sidecar.ready;
  }

  stats(): SandboxStats {
    return {
      state: this.#pool.state,
      processes: [...this.#pool.sidecars].map(({ id, pid, state, runs, residentBytes }) => ({
        sidecar: id,
        pid,
        state,
        runs,
        residentBytes,
      })),
      queued: this.#pool.queued,
      isolation: this.#isolation.status(),
      totals: this.#totals.counts(),
      queueMs: this.#totals.queueMs(),
      quarantinedScripts: this.#quarantine.size,
      engine: this.#pool.engine,
    };
  }

  on<E extends keyof SandboxEvents>(event: E, listener: (facts: SandboxEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A crash or a hard kill during a run belongs to the script; that somebody else killed the process does not. */
  #blame(script: string, error: unknown, sidecar: Sidecar): void {
    const { code, details } = toSandboxError(error);
    const crashed = code === 'sidecar_crashed' && details.reason !== 'killed' && details.exitCode !== machineExitCode;
    const hung = sidecar.killedFor === 'deadline' && !sidecar.isInDoubt;
    if (!crashed && !hung) return;
    const proven = sidecar.isFresh && (crashed || sidecar.wasThere);
    const { scriptHash, crashes, quarantined } = this.#quarantine.record(script, proven);
    if (quarantined) this.#events.emit('quarantined', { scriptHash, crashes });
  }
}

/** A run that calls nothing of its host's can be begun twice, if it is taken back in the moment in which it begins. */
function canGoAhead({ callsHost, segment }: RunRequest): boolean {
  return !callsHost && segment === undefined;
}

interface Performed<T> {
  result: T;
  queueMs: number;
  sidecar: number;
}

function toRunResult({ result: ran, queueMs }: Performed<SidecarResult>): RunResult {
  const { answer, value } = ran;
  const { engine, executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead, profile } = answer;
  const { attachmentsRead = [], warnings = [] } = answer;
  const stats = { executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead };
  const result: RunResult = { value, engine, attachmentsRead, warnings, ...stats, queueMs };
  if (profile !== undefined) result.profile = profile;
  return result;
}

function toSegmentResult({ result: segment, queueMs }: Performed<SidecarSegment>): SegmentResult {
  const { residentBytes: _, attachmentsRead = [], warnings = [], ...rest } = segment;
  const facts = { attachmentsRead, warnings, queueMs };
  if (rest.state === 'completed') return { ...rest, ...facts };
  return { ...rest, ...facts, snapshot: Buffer.from(rest.snapshot, 'base64') };
}
/** What scripts have saved must be in the jail for later ones to read it, and a root must be there. */
function withRoot(options: ResolvedOptions, outputs: Outputs | undefined): ResolvedOptions {
  if (options.roots === undefined || outputs === undefined) return options;
  outputs.folder.make();
  return { ...options, roots: [...options.roots, outputs.folder.path] };
}
