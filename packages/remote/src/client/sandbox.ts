import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import {
  buildRunRequest,
  Events,
  keepingOutputs,
  type RunOptions,
  type RunRequest,
  type RunResult,
  type Sandbox,
  type SandboxEvents,
  type SandboxStats,
  Totals,
} from '@mustard-sandbox/client/peer';
import {
  isBrokenPipe,
  SandboxError,
  throwIfAborted,
  type Connection,
  type Diagnostic,
  type EngineInfo,
} from '@mustard-sandbox/protocol';
import { resolveRoots } from '@mustard-sandbox/paths';
import { forwardedEvents, type RemoteProtocol, type RemoteStats } from '../wire/protocol.ts';
import { ArtifactCache } from './artifacts.ts';
import { Delivery } from './delivery.ts';
import { Http } from './http.ts';
import { closed, GaveWay, Link, type ServerPeer } from './link.ts';
import { parseConnectOptions, type ConnectOptions, type ResolvedConnectOptions } from './options.ts';
import { Results } from './results.ts';
import { SentRuns } from './sent-runs.ts';
import { Transfer } from './transfer.ts';
import { RunWatch } from './watch-run.ts';
import { wrapScope } from './wrap.ts';

/** A sandbox whose sidecars are at a server. `run` and the other methods are those of `createSandbox`. */
export interface RemoteSandbox extends Sandbox {
  /** Whether the server has a file of this machine in place, in its store, or not at all. It sends nothing. */
  probe(path: string): Promise<'in_place' | 'stored' | 'missing'>;
}

/**
 * A sandbox at a server that `mustard-sandbox serve` or `serveSandboxes` runs. It does not connect before the first
 * call that needs the server, and a call after a broken connection connects again.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export function connectSandbox(options: ConnectOptions): RemoteSandbox {
  return new ConnectedSandbox(parseConnectOptions(options));
}

/**
 * The run that the present code serves as one of its host functions. One storage serves all sandboxes, because Node 20
 * never frees a storage.
 */
const serving = new AsyncLocalStorage<{ sandbox: ConnectedSandbox; runId: string }>();

/** How long a validation may take, in ms. It only compiles. */
const validateTimeoutMs = 2_000;

class ConnectedSandbox implements RemoteSandbox {
  readonly #options: ResolvedConnectOptions;
  readonly #roots: readonly string[] | undefined;
  readonly #events = new Events();
  readonly #totals: Totals;
  readonly #http: Http;
  readonly #link: Link;
  readonly #transfer: Transfer;
  readonly #results: Results;
  readonly #runs: SentRuns;
  readonly #delivery: Delivery;
  #stats: RemoteStats | undefined;
  #engine: EngineInfo | undefined;
  #backingOff = false;
  #nextRun = 1;
  /** How many calls wait for the server. While there are any, the host stays alive. */
  #waiting = 0;
  #closed = false;
  readonly #closing = new AbortController();

  constructor(options: ResolvedConnectOptions) {
    // Each call with files listens to it, and Node would warn of a leak at the eleventh listener.
    setMaxListeners(0, this.#closing.signal);
    this.#options = options;
    this.#roots = options.roots === undefined ? undefined : resolveRoots(options.roots);
    this.#totals = new Totals(this.#events);
    this.#http = new Http(options);
    this.#runs = new SentRuns(options, this.#events, (peer, asked, watch) => this.#answerOf(peer, asked, watch));
    this.#transfer = new Transfer(options, this.#http);
    this.#results = new Results(options, new ArtifactCache(options, this.#http));
    const link = new Link(options, this.#http, {
      attach: (connection, violated) => this.#attach(connection, violated),
      backingOff: (facts) => {
        this.#backingOff = true;
        this.#events.emit('backing_off', facts);
      },
    });
    this.#link = link;
    this.#delivery = new Delivery({
      link,
      runs: this.#runs,
      transfer: this.#transfer,
      closing: this.#closing.signal,
      patienceMs: options.connectTimeoutMs,
    });
  }

  async run(options: RunOptions): Promise<RunResult> {
    const runId = String(this.#nextRun++);
    const outer = serving.getStore();
    const within = outer?.sandbox === this ? outer.runId : undefined;
    const build = (): RunRequest => buildRunRequest(runId, options, this.#options, this.#roots);
    const request = options.hostFunctions === undefined ? build() : serving.run({ sandbox: this, runId }, build);
    throwIfAborted(request.signal, 'The run was cancelled before it began.');
    const answered = (): Promise<RunResult> =>
      this.#withPeer(request.signal, async (first) => {
        const { result, peer } = await this.#delivery.send(first, request, within);
        return await this.#results.finish(result, request, peer.facts);
      });
    return await (request.outputs === undefined ? answered() : keepingOutputs(request.outputs, answered));
  }

  async validate(script: string, options: Pick<RunOptions, 'engine'> = {}): Promise<Diagnostic[]> {
    const { params } = buildRunRequest('validate', { script, ...options }, this.#options, undefined);
    const { engine } = params;
    return await this.#withPeer(undefined, async (peer) => {
      const watch = new RunWatch({ ...this.#options, timeoutMs: validateTimeoutMs, signal: undefined });
      try {
        const answer = peer.connection.request('sandbox/validate', { script: params.script, engine });
        return (await this.#answerOf(peer, answer, watch)).diagnostics;
      } finally {
        watch.stop();
      }
    });
  }

  async warm(): Promise<EngineInfo> {
    return await this.#withPeer(undefined, async (peer) => {
      if (peer.facts.dialect === 'plain') return peer.facts.engine;
      this.#engine = (await this.#ask(peer, peer.connection.request('sandbox/warm', {}))).engine;
      return this.#engine;
    });
  }

  async probe(path: string): Promise<'in_place' | 'stored' | 'missing'> {
    return await this.#withPeer(undefined, async (peer) => {
      if (peer.facts.dialect === 'plain') return 'missing';
      const scope = { attachments: [{ name: 'probe', path }] };
      const { files } = await wrapScope(scope, peer, this.#transfer.knownHash);
      const [file] = files;
      if (file === undefined) return 'missing';
      await this.#transfer.hashForComparison(files, peer, undefined);
      return (await this.#ask(peer, peer.connection.request('files/probe', { file: file.wrapper }))).how;
    });
  }

  stats(): SandboxStats {
    const { processes, isolation, ...stats } = this.#stats ?? { ...nothingYet, processes: [] };
    const { active, ...confined } = isolation;
    return {
      ...stats,
      state: this.#state(stats.state),
      isolation: { ...(confined as SandboxStats['isolation']), active },
      processes: processes.map((one) => ({ ...one, pid: undefined })),
      totals: this.#totals.counts(),
      queueMs: this.#totals.queueMs(),
      engine: this.#engine,
    };
  }

  on<E extends keyof SandboxEvents>(event: E, listener: (facts: SandboxEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  async close(): Promise<void> {
    const ended = this.#link.current?.ended;
    this.#closed = true;
    this.#closing.abort();
    this.#link.close();
    this.#http.close();
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #state(known: SandboxStats['state']): SandboxStats['state'] {
    if (this.#closed) return 'closed';
    if (this.#link.current !== undefined) return known;
    return this.#backingOff ? 'backing_off' : 'idle';
  }

  async #withPeer<T>(signal: RunRequest['signal'], use: (peer: ServerPeer) => Promise<T>): Promise<T> {
    this.#waiting++;
    try {
      const peer = this.#link.ready ?? (await this.#link.peer(signal));
      this.#backingOff = false;
      this.#engine = peer.facts.engine;
      this.#stats ??= peer.facts.stats;
      peer.hold(true);
      try {
        return await use(peer);
      } catch (error) {
        if (!(error instanceof GaveWay)) throw error;
        // Nothing was done, so the next connection may do it.
        const next = await this.#link.peer(signal);
        next.hold(true);
        return await use(next);
      }
    } finally {
      this.#waiting--;
      // This may be another connection, if the first one broke meanwhile.
      if (this.#waiting === 0) this.#link.current?.hold(false);
    }
  }

  /** Waits for the answer to a request that runs nothing, with a time limit. */
  async #ask<T>(peer: ServerPeer, asked: Promise<T>): Promise<T> {
    const watch = new RunWatch({ ...this.#options, timeoutMs: 0, signal: undefined });
    try {
      return await this.#answerOf(peer, asked, watch);
    } finally {
      watch.stop();
    }
  }

  /** The answer, or the first reason why there is none. */
  async #answerOf<T>(peer: ServerPeer, asked: Promise<T>, watch: RunWatch): Promise<T> {
    try {
      return await watch.first(asked);
    } catch (error) {
      if (this.#closed) throw closed();
      if (isBrokenPipe(error)) throw await peer.ended;
      throw error;
    }
  }

  #attach(connection: Connection<RemoteProtocol>, violated: (error: SandboxError) => void): void {
    this.#runs.attach(connection, violated);
    connection.onNotification('sandbox/stats', (stats) => void (this.#stats = stats));
    connection.onNotification('sandbox/event', ({ event, facts }) => {
      const known = forwardedEvents.find((name) => name === event);
      // A newer server may send events that this client does not know.
      if (known !== undefined) this.#events.emit(known, { pid: undefined, ...facts } as SandboxEvents[typeof known]);
    });
  }
}

const nothingYet = {
  state: 'idle',
  queued: 0,
  isolation: { requested: 'auto', active: undefined },
  quarantinedScripts: 0,
} as const;
