import { AsyncResource } from 'node:async_hooks';
import {
  decodeValue,
  encodeValue,
  SandboxError,
  toSandboxError,
  type CancelSignal,
  type HostFunction,
  type Notice,
  type ParamsOf,
  type Result,
  type RunResult,
  type Sandbox,
  type SandboxValue,
} from '@mustard-sandbox/client/peer';
import { resolveScope } from '../store/resolve.ts';
import type { RemoteProtocol } from '../wire/protocol.ts';
import type { Metrics } from './metrics.ts';
import type { Tenant } from './tenant.ts';

type RunParams = ParamsOf<RemoteProtocol, 'sandbox/run'>;
type HostCall = Parameters<Peer['callHost']>[0];

/** What a run needs of the connection that it came over. */
export interface Peer {
  callHost(
    call: { runId: string; name: string; args: ReturnType<typeof encodeValue>; executionMs: number },
    signal: CancelSignal,
  ): Promise<Result<'sandbox/callHostFunction'>>;
  console(line: Notice<'sandbox/console'>): void;
  started(facts: { runId: string; sidecar: number; queueMs: number }): void;
}

/** The clock of a run stands still while its host answers, so a host that never does must not hold a process. */
const hostCallTimeoutMs = 10 * 60_000;

interface OpenRun {
  controller: AbortController;
  /** The context of the host function that is being answered: runs that it starts are one level deeper. */
  context: AsyncResource | undefined;
  /** Tells that it began, if that has not been told yet. */
  tellStart: () => void;
}

/** A run that ends within this time tells its start with its end: one message wakes the client instead of two. */
const startTellMs = 2;

/** The runs of one connection. They end with it. */
export class Runs {
  readonly #tenant: Tenant;
  readonly #metrics: Metrics;
  readonly #peer: Peer;
  readonly #open = new Map<string, OpenRun>();
  #closed = false;

  constructor(tenant: Tenant, metrics: Metrics, peer: Peer) {
    this.#tenant = tenant;
    this.#metrics = metrics;
    this.#peer = peer;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether no more are taken. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Takes no more. */
  close(): void {
    this.#closed = true;
  }

  /** The connection is gone. Nobody waits for these runs any more. */
  cancelAll(): void {
    this.#closed = true;
    for (const { controller } of this.#open.values()) controller.abort();
  }

  /** @throws {SandboxError} as `Sandbox.run`; `invalid_request` with `missing` for files that are not there */
  async run(params: RunParams, signal: CancelSignal): Promise<RunResult> {
    const { runId, within } = params;
    if (this.#closed) throw new SandboxError('closed', 'The server is shutting down. Nothing was run.');
    if (this.#open.has(runId)) {
      throw new SandboxError('invalid_request', 'A run with this runId is under way on this connection.');
    }
    const parent = within === undefined ? undefined : this.#open.get(within)?.context;
    const run: OpenRun = { controller: new AbortController(), context: undefined, tellStart: () => {} };
    const abort = (): void => run.controller.abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#open.set(runId, run);
    const startedAt = performance.now();
    let code = 'ok';
    try {
      const start = (): Promise<RunResult> => this.#start(params, run);
      return await (parent === undefined ? start() : parent.runInAsyncScope(start));
    } catch (error) {
      ({ code } = toSandboxError(error));
      throw error;
    } finally {
      run.tellStart();
      signal.removeEventListener('abort', abort);
      this.#open.delete(runId);
      this.#metrics.count('runs_total', 1, { code });
      this.#metrics.ran((performance.now() - startedAt) / 1000);
    }
  }

  async #start(params: RunParams, run: OpenRun): Promise<RunResult> {
    const { runId, script, inputs, limits, profile } = params;
    const { root, attachments, release } = await resolveScope(params.scope, this.#tenant.places);
    try {
      const { root: _, ...scope } = params.scope;
      const clock = { startedAt: performance.now(), pausedMs: 0 };
      const sandbox: Sandbox = this.#tenant.sandbox;
      return await sandbox.run({
        script,
        limits,
        scope: { ...scope, attachments, ...(root !== undefined && { root }) },
        signal: run.controller.signal,
        ...(inputs !== undefined && { inputs: decodeValue(inputs) as Record<string, unknown> }),
        ...(params.hostFunctions.length > 0 && { hostFunctions: this.#hostFunctions(params, run, clock) }),
        ...(profile === true && { profile }),
        onStart: (facts) => {
          clock.startedAt = performance.now();
          run.tellStart = this.#soon(() => this.#peer.started({ runId, ...facts }));
        },
        onConsole: (line) => {
          run.tellStart();
          this.#peer.console({ runId, ...line });
        },
      });
    } finally {
      release();
    }
  }

  /** Calls `tell` once: after a moment, or when what is returned is called before. */
  #soon(tell: () => void): () => void {
    let told = false;
    const once = (): void => {
      clearTimeout(timer);
      if (told) return;
      told = true;
      tell();
    };
    const timer = setTimeout(once, startTellMs);
    return once;
  }

  #hostFunctions(
    { runId, hostFunctions }: RunParams,
    run: OpenRun,
    clock: { startedAt: number; pausedMs: number },
  ): Record<string, HostFunction> {
    const call = async (name: string, args: SandboxValue[]): Promise<unknown> => {
      run.tellStart();
      const askedAt = performance.now();
      run.context ??= new AsyncResource('mustard-sandbox.remote-host-call');
      const executionMs = Math.max(0, askedAt - clock.startedAt - clock.pausedMs);
      const question: HostCall = { runId, name, args: encodeValue(args, `the arguments of ${name}()`), executionMs };
      const answer = await this.#peer.callHost(question, run.controller.signal);
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
