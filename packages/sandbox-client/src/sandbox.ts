import {
  parse,
  toSandboxError,
  type CancelSignal,
  type Diagnostic,
  type EngineInfo,
  type ErrorCode,
} from '@mustard-sandbox/daemon/protocol';
import { Events } from './events.ts';
import { Isolation } from './isolation/isolation.ts';
import { sandboxOptionsSchema, type ResolvedOptions, type SandboxOptions } from './options.ts';
import { Pool } from './pool.ts';
import { Nesting } from './nesting.ts';
import { Quarantine } from './quarantine.ts';
import { buildRunRequest, type RunRequest } from './run-request.ts';
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

const now = (): number => performance.now();

class PooledSandbox implements Sandbox {
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
    const build = (): RunRequest => buildRunRequest(runId, options, this.#options, this.#isolation.roots);
    // Entering a context costs every promise of the host something on Node 20: only where a run can start another.
    const request = options.hostFunctions === undefined ? build() : this.#nesting.deeper(level, build);
    this.#quarantine.check(request.params.script);
    const askedAt = now();
    const sidecar = await this.#lease(level, request.signal);
    const startedAt = now();
    const queueMs = startedAt - askedAt;
    this.#events.emit('run_started', { sidecar: sidecar.id, runId, queueMs });
    let code: ErrorCode | undefined;
    try {
      return { ...(await sidecar.run(request)), queueMs };
    } catch (error) {
      code = toSandboxError(error).code;
      this.#blame(request.params.script, error, sidecar);
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
      this.#pool.release(sidecar);
    }
  }

  async validate(script: string): Promise<Diagnostic[]> {
    const { params } = buildRunRequest('validate', { script }, this.#options, undefined);
    this.#quarantine.check(script);
    const sidecar = await this.#lease(this.#nesting.level());
    try {
      return await sidecar.validate(params.script);
    } catch (error) {
      this.#blame(script, error, sidecar);
      throw error;
    } finally {
      this.#pool.release(sidecar);
    }
  }

  async warm(): Promise<EngineInfo> {
    const sidecar = await this.#lease(this.#nesting.level());
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

  async #lease(level: number, signal?: CancelSignal): Promise<Sidecar> {
    for (;;) {
      const sidecar = await this.#pool.acquire(level, signal);
      const { outdated } = sidecar;
      if (sidecar.isFree && outdated === undefined) return sidecar;
      // Otherwise it died between two turns of the event loop, before anything was sent to it.
      if (sidecar.isFree && outdated !== undefined) sidecar.stop(outdated);
      this.#pool.release(sidecar);
    }
  }

  /** A crash or a hard kill during a run belongs to the script; that somebody else killed the process does not. */
  #blame(script: string, error: unknown, sidecar: Sidecar): void {
    const { code, details } = toSandboxError(error);
    const crashed = code === 'sidecar_crashed' && details.reason !== 'killed';
    const hung = sidecar.killedFor === 'deadline' && !sidecar.isInDoubt;
    if (!crashed && !hung) return;
    const { scriptHash, crashes, quarantined } = this.#quarantine.record(script);
    if (quarantined) this.#events.emit('quarantined', { scriptHash, crashes });
  }
}
