import { AsyncResource } from 'node:async_hooks';
import {
  Cancellation,
  decodeValue,
  encodeValue,
  maxWarnings,
  SandboxError,
  toSandboxError,
  type CancelSignal,
  type EngineChoice,
  type Notice,
  type ParamsOf,
  type Result,
  type SandboxValue,
  type ScopeOptions,
} from '@mustard-sandbox/protocol';
import type { HostFunction, RelayedResult } from '@mustard-sandbox/client/peer';
import { refused } from '../store/problems.ts';
import { resolveScope } from '../store/resolve.ts';
import type { RemoteProtocol } from '../wire/protocol.ts';
import { weightOf, type Counted } from './memory.ts';
import type { Tenant } from './tenant.ts';

type RunParams = ParamsOf<RemoteProtocol, 'sandbox/run'>;
type HostCall = Parameters<ClientPeer['callHost']>[0];

/** What a run needs of its connection. */
export interface ClientPeer {
  callHost(
    call: { runId: string; name: string; args: ReturnType<typeof encodeValue>; executionMs: number },
    signal: CancelSignal,
  ): Promise<Result<'sandbox/callHostFunction'>>;
  console(line: Notice<'sandbox/console'>): void;
  started(facts: Start): void;
  /** Whether the start of a short run may be reported by its result alone. */
  startsInResults(): boolean;
}

interface Start {
  runId: string;
  sidecar: number;
  queueMs: number;
}

/** The clock of a run stands still while its host answers, so a host that never answers must not hold a process. */
const hostCallTimeoutMs = 10 * 60_000;

interface OpenRun {
  over: Cancellation;
  /** The context of the host function that is being answered. Runs that it starts are one level deeper. */
  context: AsyncResource | undefined;
  /** Its start, until that was reported. */
  untold: (Start & { at: number }) | undefined;
}

/**
 * A run that ends within this time, in ms, reports its start with its end, so that one message wakes the client instead
 * of two.
 */
const startTellMs = 2;

/** The runs of one connection. They end with it. */
export class ServedRuns {
  readonly #tenant: Tenant;
  readonly #peer: ClientPeer;
  readonly #open = new Map<string, OpenRun>();
  /** One timer for all runs, because a timer for each costs much compared with a small run. */
  #tellTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(tenant: Tenant, peer: ClientPeer) {
    this.#tenant = tenant;
    this.#peer = peer;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether no more runs are accepted. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Accepts no more runs. */
  close(): void {
    this.#closed = true;
  }

  /** Call this when the connection is gone, so that nobody waits for these runs any more. */
  cancelAll(): void {
    this.#closed = true;
    clearTimeout(this.#tellTimer);
    for (const { over } of this.#open.values()) over.cancel();
  }

  /**
   * @returns the sidecar's answer, and whether its start must still be reported
   * @throws {SandboxError} like `Sandbox.run`; `invalid_request` with `missing` for missing files
   */
  async run(params: RunParams, signal: CancelSignal): Promise<RelayedResult & { isUntold: boolean }> {
    const { runId, within } = params;
    if (this.#closed) throw new SandboxError('closed', 'The server is shutting down. Nothing was run.');
    if (this.#open.has(runId)) {
      throw new SandboxError('invalid_request', 'A run with this runId exists on this connection already.');
    }
    const parent = within === undefined ? undefined : this.#open.get(within)?.context;
    const run: OpenRun = { over: new Cancellation(), context: undefined, untold: undefined };
    const abort = (): void => run.over.cancel();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    this.#open.set(runId, run);
    const startedAt = performance.now();
    const weight = this.#tenant.asked.count();
    let code = 'ok';
    try {
      this.#weigh(params, weight);
      const start = (): Promise<RelayedResult> => this.#start(params, run);
      const result = await (parent === undefined ? start() : parent.runInAsyncScope(start));
      if (!this.#peer.startsInResults()) this.#tell(run);
      return { ...result, isUntold: run.untold !== undefined };
    } catch (error) {
      ({ code } = toSandboxError(error));
      this.#tell(run);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#open.delete(runId);
      weight.set(0);
      this.#tenant.metrics.ran(code, (performance.now() - startedAt) / 1000);
    }
  }

  /** @throws {SandboxError} `invalid_request` (429) when this token's messages take too much memory already */
  #weigh({ script, inputs, scope }: RunParams, weight: Counted): void {
    if (weight.set(script.length + weightOf(inputs) + weightOf(scope))) return;
    const { most } = this.#tenant.asked;
    throw refused(
      429,
      `The runs of this token that are under way hold over ${most} bytes at the server (maxMessageBytes). Nothing ` +
        'was run; wait for some of them to end.',
    );
  }

  #start(params: RunParams, run: OpenRun): Promise<RelayedResult> {
    const { scope } = params;
    return scope === undefined ? this.#relay(params, undefined, run) : this.#startWithFiles(params, scope, run);
  }

  async #startWithFiles(
    params: RunParams,
    scope: NonNullable<RunParams['scope']>,
    run: OpenRun,
  ): Promise<RelayedResult> {
    const { root, attachments, uncompared, release } = await resolveScope(scope, this.#tenant.sources);
    try {
      const { root: _, ...rest } = scope;
      const found = { ...rest, attachments, ...(root !== undefined && { root }) };
      return withRemark(await this.#relay(params, found, run), uncompared);
    } finally {
      release();
    }
  }

  #relay(params: RunParams, scope: ScopeOptions | undefined, run: OpenRun): Promise<RelayedResult> {
    const { runId, script, inputs, limits, profile, engine } = params;
    const clock = { startedAt: performance.now(), pausedMs: 0 };
    return this.#tenant.sandbox.relay({
      script,
      ...engineOf(engine),
      signal: run.over,
      ...(scope !== undefined && { scope }),
      ...(limits !== undefined && { limits }),
      ...(inputs !== undefined && { inputs: decodeValue(inputs) as Record<string, unknown> }),
      ...(params.hostFunctions.length > 0 && { hostFunctions: this.#hostFunctions(params, run, clock) }),
      ...(profile === true && { profile }),
      onStart: ({ sidecar, queueMs }) => {
        clock.startedAt = performance.now();
        run.untold = { runId, sidecar, queueMs, at: clock.startedAt };
        this.#tellTimer ??= setTimeout(this.#tellAll, startTellMs);
      },
      onConsole: (line) => {
        this.#tell(run);
        this.#peer.console({ runId, ...line });
      },
    });
  }

  /** Reports to the client that a run began, if that was not reported yet. */
  #tell(run: OpenRun): void {
    if (run.untold === undefined) return;
    const { at: _, ...facts } = run.untold;
    run.untold = undefined;
    this.#peer.started(facts);
  }

  readonly #tellAll = (): void => {
    this.#tellTimer = undefined;
    const began = performance.now() - startTellMs / 2;
    for (const run of this.#open.values()) {
      if (run.untold === undefined) continue;
      if (run.untold.at <= began) this.#tell(run);
      else this.#tellTimer ??= setTimeout(this.#tellAll, startTellMs);
    }
  };

  #hostFunctions(
    { runId, hostFunctions }: RunParams,
    run: OpenRun,
    clock: { startedAt: number; pausedMs: number },
  ): Record<string, HostFunction> {
    const call = async (name: string, args: SandboxValue[]): Promise<unknown> => {
      this.#tell(run);
      const askedAt = performance.now();
      run.context ??= new AsyncResource('mustard-sandbox.remote-host-call');
      const executionMs = Math.max(0, askedAt - clock.startedAt - clock.pausedMs);
      const asked: HostCall = { runId, name, args: encodeValue(args, `the arguments of ${name}()`), executionMs };
      const answer = await this.#peer.callHost(asked, run.over);
      clock.pausedMs += performance.now() - askedAt;
      if ('value' in answer) return decodeValue(answer.value);
      throw Object.assign(new Error(answer.error.message), answer.error);
    };
    return Object.fromEntries(
      hostFunctions.map((name) => [
        name,
        { handler: (...args: SandboxValue[]) => call(name, args), timeoutMs: hostCallTimeoutMs },
      ]),
    );
  }
}

/** Adds a warning, because the content at the server may differ and nobody would notice. */
function withRemark(result: RelayedResult, uncompared: readonly string[]): RelayedResult {
  const { answer } = result;
  const { warnings = [] } = answer;
  if (uncompared.length === 0 || warnings.length >= maxWarnings) return result;
  const more = uncompared.length > 3 ? ` and ${uncompared.length - 3} more` : '';
  const message =
    `${uncompared.slice(0, 3).join(', ')}${more}: read from the server's own disk, where the path is the same. ` +
    'Time and size are the same too; the content was not compared.';
  return { ...result, answer: { ...answer, warnings: [...warnings, { id: 'in-place', message }] } };
}

/** Clients ask for `auto` when they have no preference, so the server's own option decides then. */
export function engineOf(asked: EngineChoice): { engine?: EngineChoice } {
  return asked === 'auto' ? {} : { engine: asked };
}
