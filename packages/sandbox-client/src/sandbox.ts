import {
  parse,
  toSandboxError,
  within,
  type Diagnostic,
  type EngineInfo,
  type ErrorCode,
  type SandboxValue,
} from '@mustard-sandbox/daemon/protocol';
import { Events } from './events.ts';
import { Isolation } from './isolation/isolation.ts';
import { sandboxOptionsSchema, type ResolvedOptions, type SandboxOptions } from './options.ts';
import { Pool, type Wanted } from './pool.ts';
import { Nesting, restStorage } from './nesting.ts';
import { Quarantine } from './quarantine.ts';
import type { RelayedResult, RelayedRun, RelayingSandbox } from './relay.ts';
import { buildCheckedRequest, buildRunRequest, noContext, presentContext, type RunRequest } from './run-request.ts';
import type { Sidecar } from './sidecar.ts';
import { Totals } from './totals.ts';
import type { RunOptions, RunResult, Sandbox, SandboxEvents, SandboxStats } from './types.ts';

/**
 * A place to run scripts in. Nothing is started until the first call that needs a sidecar.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new PooledSandbox(parse(sandboxOptionsSchema, options, 'createSandbox()'));
}

/** A sandbox for a program that passes on runs of others. @throws {SandboxError} `invalid_request` */
export function createRelayingSandbox(options: SandboxOptions = {}): RelayingSandbox {
  return new PooledSandbox(parse(sandboxOptionsSchema, options, 'createSandbox()'));
}

/** The exit code of a sidecar when the machine lacks what it needs: `EX_OSERR` of sysexits.h. */
const machineExitCode = 71;

const now = (): number => performance.now();

class PooledSandbox implements RelayingSandbox {
  readonly #options: ResolvedOptions;
  readonly #events = new Events();
  readonly #isolation: Isolation;
  readonly #pool: Pool;
  readonly #nesting: Nesting;
  readonly #quarantine: Quarantine;
  readonly #totals: Totals;
  #nextRun = 1;

  constructor(options: ResolvedOptions) {
    this.#options = options;
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
    const request = buildRunRequest(runId, options, this.#options, this.#isolation.roots, below);
    return toRunResult(await this.#perform(request, level));
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
    return await this.#perform(request, level);
  }

  async #perform(request: RunRequest, level: number): Promise<Performed> {
    const { script, runId, scope } = request.params;
    const { suspect } = this.#quarantine.check(script);
    const askedAt = now();
    const sidecar = await this.#lease({ level, suspect, reads: scope !== undefined, signal: request.signal });
    const startedAt = now();
    const queueMs = startedAt - askedAt;
    this.#events.emit('run_started', { sidecar: sidecar.id, runId, queueMs });
    request.onStart({ sidecar: sidecar.id, queueMs });
    let code: ErrorCode | undefined;
    try {
      const { answer, value, bytes } = await sidecar.run(request);
      if (suspect) this.#quarantine.acquit(script);
      return { answer, value, bytes, queueMs, sidecar: sidecar.id };
    } catch (error) {
      code = toSandboxError(error).code;
      this.#blame(script, error, sidecar);
      throw error;
    } finally {
      const durationMs = now() - startedAt;
      this.#events.emit('run_settled', {
        sidecar: sidecar.id,
        runId,
        ok: code === undefined,
        durationMs,
        ...(code !== undefined && { code }),
      });
      restStorage();
      this.#pool.release(sidecar);
    }
  }

  async validate(script: string, options: Pick<RunOptions, 'engine'> = {}): Promise<Diagnostic[]> {
    const { params } = buildRunRequest('validate', { script, ...options }, this.#options, undefined);
    const { suspect } = this.#quarantine.check(script);
    const sidecar = await this.#lease({ level: this.#nesting.level(), suspect });
    try {
      return await sidecar.validate(params);
    } catch (error) {
      this.#blame(script, error, sidecar);
      throw error;
    } finally {
      this.#pool.release(sidecar);
    }
  }

  async warm(): Promise<EngineInfo> {
    const sidecar = await this.#lease({ level: this.#nesting.level() });
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

  /**
   * A sidecar that is there and holds what is at the roots; for a suspect script, one that no other has used. It is a
   * promise only where there is something to wait for: with one for each step, a small run took the host 5 % longer.
   */
  #lease(wanted: Wanted): Promise<Sidecar> | Sidecar {
    const sidecar = this.#pool.acquire(wanted);
    if (sidecar instanceof Promise) return sidecar.then((leased) => this.#check(leased, wanted));
    return this.#check(sidecar, wanted);
  }

  /** The leased sidecar if it will do; else another. */
  #check(sidecar: Sidecar, wanted: Wanted): Promise<Sidecar> | Sidecar {
    const { suspect = false, reads = false } = wanted;
    // If it is not free, it died between two turns of the event loop, before anything was sent to it.
    const unfit = sidecar.isFree ? unfitness(sidecar, { suspect, reads }) : undefined;
    if (unfit !== undefined) sidecar.stop(unfit);
    else if (sidecar.isFree) {
      const answer = sidecar.isThere(suspect);
      return answer === true ? sidecar : this.#checkAnswer(sidecar, answer, wanted);
    }
    this.#pool.release(sidecar);
    return this.#lease(wanted);
  }

  async #checkAnswer(sidecar: Sidecar, answer: Promise<boolean>, wanted: Wanted): Promise<Sidecar> {
    const { signal } = wanted;
    // A caller that gave up waiting does not keep the sidecar.
    const isThere = await within(answer, { signal, cancelled: 'The run was cancelled before it began.' }).catch(
      (error: unknown) => {
        void answer.then(() => this.#pool.release(sidecar));
        throw error;
      },
    );
    if (isThere) return sidecar;
    this.#pool.release(sidecar);
    return await this.#lease(wanted);
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

type Performed = RelayedResult & { value: SandboxValue };

function toRunResult({ answer, value, queueMs }: Performed): RunResult {
  const { engine, executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead, profile } = answer;
  const { attachmentsRead = [], warnings = [] } = answer;
  const stats = { executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead };
  const result: RunResult = { value, engine, attachmentsRead, warnings, ...stats, queueMs };
  if (profile !== undefined) result.profile = profile;
  return result;
}

function unfitness(
  sidecar: Sidecar,
  { suspect, reads }: { suspect: boolean; reads: boolean },
): ReturnType<Sidecar['outdatedFor']> | 'suspect' {
  return sidecar.outdatedFor({ reads }) ?? (suspect && sidecar.runs > 0 ? 'suspect' : undefined);
}
