import {
  Cancellation,
  SandboxError,
  toSandboxError,
  type Connection,
  type ErrorCode,
  type ResultOf,
} from '@mustard-sandbox/protocol';
import { type Events, Incoming, type RunRequest } from '@mustard-sandbox/client/peer';
import type { RemoteProtocol } from '../wire/protocol.ts';
import { GaveWay, lost, type ServerPeer } from './link.ts';
import type { ResolvedConnectOptions } from './options.ts';
import { RunWatch } from './watch-run.ts';
import type { WrappedScope } from './wrap.ts';

export type WireResult = ResultOf<RemoteProtocol, 'sandbox/run'>;

interface OpenRun {
  incoming: Incoming;
  watch: RunWatch;
  started: (facts: { sidecar: number; queueMs: number }) => void;
  /** Whether the server has reported anything about it, which means that it has begun. */
  wasTouched: boolean;
  /** Ended when the run is over. The results of its host functions are then of no use. */
  over: Cancellation;
}

/** The present runs of one sandbox: what is sent, what the server reports about each, and their ends. */
export class SentRuns {
  readonly #times: Pick<ResolvedConnectOptions, 'graceMs' | 'maxWaitMs'>;
  readonly #events: Events;
  readonly #answerOf: <T>(peer: ServerPeer, asked: Promise<T>, watch: RunWatch) => Promise<T>;
  readonly #open = new Map<string, OpenRun>();
  /** Runs whose end the server has not reported yet, although nobody waits for them any more. */
  readonly #abandoned = new Set<string>();

  /** @param answerOf the answer, or the first reason why there is none */
  constructor(
    { graceMs, maxWaitMs }: Pick<ResolvedConnectOptions, 'graceMs' | 'maxWaitMs'>,
    events: Events,
    answerOf: <T>(peer: ServerPeer, asked: Promise<T>, watch: RunWatch) => Promise<T>,
  ) {
    this.#times = { graceMs, maxWaitMs };
    this.#events = events;
    this.#answerOf = answerOf;
  }

  /** Sends a run once. @param within the run whose host function starts it */
  async send(
    peer: ServerPeer,
    request: RunRequest,
    scope: WrappedScope['scope'] | undefined,
    within: string | undefined,
  ): Promise<WireResult> {
    const { params, signal, timeoutMs } = request;
    const { runId } = params;
    const watch = new RunWatch({ ...this.#times, timeoutMs, signal });
    const over = new Cancellation();
    const sentAt = performance.now();
    let startedAt: number | undefined;
    let sidecar = 0;
    const started = (facts: { sidecar: number; queueMs: number }): void => {
      if (startedAt !== undefined) throw new SandboxError('protocol_error', 'The server began a run twice.');
      // For a short run the notice comes together with its end.
      startedAt = Math.min(performance.now(), sentAt + facts.queueMs);
      sidecar = facts.sidecar;
      watch.started();
      this.#events.emit('run_started', { sidecar, runId, queueMs: facts.queueMs });
      request.callersContext.runInAsyncScope(() => request.onStart(facts));
    };
    const run: OpenRun = { incoming: new Incoming(request), watch, started, wasTouched: false, over };
    this.#open.set(runId, run);
    let code: ErrorCode | undefined;
    let asked: Promise<WireResult> | undefined;
    try {
      const { dialect, capabilities } = peer.facts;
      const isPlain = dialect === 'plain';
      // The protocol of a sidecar does not report when a run begins.
      if (isPlain) started({ sidecar: 0, queueMs: 0 });
      const filled = capabilities.includes('sparse_runs') ? {} : { limits: {}, scope: {} };
      const files = scope !== undefined && { scope };
      const wire = { ...filled, ...params, ...files, ...(within !== undefined && !isPlain && { within }) };
      asked = peer.connection.request('sandbox/run', wire, signal);
      const result = await this.#answerOf(peer, asked, watch);
      if (result.sidecar !== undefined) started({ sidecar: result.sidecar, queueMs: result.queueMs });
      return result;
    } catch (error) {
      ({ code } = toSandboxError(error));
      // Whatever the server says, a run that began is not sent again.
      throw error instanceof GaveWay && run.wasTouched ? lost() : error;
    } finally {
      watch.stop();
      over.cancel();
      this.#open.delete(runId);
      if (!watch.isAnswered) this.#abandon(runId, asked);
      // A run that failed before it began does not count as a run.
      if (startedAt !== undefined) {
        const durationMs = performance.now() - startedAt;
        const facts = { sidecar, runId, ok: code === undefined, durationMs };
        this.#events.emit('run_settled', { ...facts, ...(code !== undefined && { code }) });
      }
    }
  }

  #abandon(runId: string, asked: Promise<unknown> | undefined): void {
    const forget = (): void => void this.#abandoned.delete(runId);
    this.#abandoned.add(runId);
    asked?.then(forget, forget);
  }

  /** Handles what a server reports about its runs, and answers its calls of host functions. */
  attach(connection: Connection<RemoteProtocol>, violated: (error: SandboxError) => void): void {
    connection.onNotification('sandbox/console', (line) => this.#runOf(line.runId)?.incoming.console(line));
    connection.onNotification('sandbox/started', ({ runId, ...facts }) => this.#runOf(runId)?.started(facts));
    connection.onRequest('sandbox/callHostFunction', async (call) => {
      const run = this.#runOf(call.runId);
      if (run === undefined) return { error: { name: 'Error', message: 'The run is over.', code: 'cancelled' } };
      const { incoming, watch, over } = run;
      watch.pause();
      try {
        return await incoming.call(call, over);
      } catch (error) {
        violated(toSandboxError(error));
        throw error;
      } finally {
        watch.resume();
      }
    });
  }

  /**
   * The run that the server names; `undefined` when nobody waits for it any more.
   *
   * @throws {SandboxError} `protocol_error` for a run that does not exist
   */
  #runOf(runId: string): OpenRun | undefined {
    const run = this.#open.get(runId);
    if (run !== undefined) run.wasTouched = true;
    if (run !== undefined || this.#abandoned.has(runId)) return run;
    throw new SandboxError('protocol_error', 'The server named a run that does not exist.');
  }
}
