import {
  createConnectionOf,
  limitTable,
  protocolVersion,
  SandboxError,
  sidecarProtocol,
  withoutPaths,
  type Connection,
  type EngineInfo,
  type ParamsOf,
} from '@mustard-sandbox/protocol';
import { probe } from '../store/resolve.ts';
import { fileInputs, maxFileBytes } from '../wire/files.ts';
import { knownNames } from '../wire/known.ts';
import {
  comparesInPlace,
  maxFrameBytes,
  maxInlineBytes,
  ownCapabilities,
  remoteProtocol,
  type RemoteProtocol,
} from '../wire/protocol.ts';
import type { SocketBytes } from '../wire/streams.ts';
import { cleanError, cleanStats } from './clean.ts';
import { News } from './news.ts';
import { spilledResult, wireResult } from './results.ts';
import { engineOf, ServedRuns, type ClientPeer } from './served-runs.ts';
import type { Tenant } from './tenant.ts';

/** What serves one connection. */
export interface SessionContext {
  tenant: Tenant;
  version: string;
  /** A result with more bytes of JSON is fetched over HTTP. */
  spillBytes: number;
  /** Whether the client belongs to this user on this machine, because it came over a Unix socket. */
  isLocal: boolean;
  /** Called when every request is answered. */
  onIdle: () => void;
  /** Ends the connection. `why` is the rule that the client broke, if any. */
  end: (why?: SandboxError) => void;
}

/** One connection, in either dialect. */
export interface Session {
  /** Its present runs. */
  readonly runs: ServedRuns;
  /** Bytes of messages that have not arrived completely. */
  pendingBytes(): number;
  /**
   * Since when it has had nothing to do. `undefined` while it has work, or when its client would not know why it was
   * closed.
   */
  idleSince(): number | undefined;
  /** Accepts no more runs. Settles when the present ones are answered. */
  drain(): Promise<void>;
  /** Call this when the connection is gone. */
  close(): void;
}

/** The most that one message of a client may hold: inputs, and inline content. */
const requestBounds = { bytes: maxFrameBytes, items: 1_000_000 };

/** How long a client may take to begin, in ms. */
const greetingMs = 30_000;

/** Serves a client that speaks the plain protocol of a sidecar. Its paths are paths of this machine. */
export function servePlain(stream: SocketBytes, context: SessionContext): Session {
  const connection = createConnectionOf(sidecarProtocol, stream, stream, maxFrameBytes);
  const runs = new ServedRuns(
    context.tenant,
    // The protocol of a sidecar does not report when a run begins.
    peerOf(
      connection,
      () => {},
      () => true,
    ),
  );
  const life = new Life(connection, context);
  connection.onRequest('initialize', () => life.initialize(context));
  connection.onRequest('sandbox/run', (params, signal) =>
    life.answer('plain', async () => {
      const result = await runs.run(params, signal);
      // A sidecar reports its own memory, and here this process answers.
      return { ...wireResult(result), residentBytes: process.memoryUsage.rss() };
    }),
  );
  connection.onRequest('sandbox/validate', (params) => life.answer('plain', () => validate(context, params)));
  return life.begin(runs);
}

/** Serves a client of this package. */
export function serveRemote(stream: SocketBytes, context: SessionContext): Session {
  const { tenant, spillBytes } = context;
  const connection = createConnectionOf(remoteProtocol, stream, stream, maxFrameBytes);
  const news = new News(connection, tenant);
  let theirs: readonly string[] = [];
  const runs = new ServedRuns(
    tenant,
    peerOf(
      connection,
      (facts) => connection.notify('sandbox/started', facts),
      () => theirs.includes('starts_in_results'),
    ),
  );
  const life = new Life(connection, context);
  connection.onRequest('initialize', async ({ capabilities }) => {
    const result = await life.initialize(context);
    theirs = capabilities;
    news.begin();
    return {
      ...result,
      capabilities: [
        ...ownCapabilities,
        ...knownNames,
        ...(tenant.sources.allowedRoots.length > 0 ? [comparesInPlace] : []),
      ],
      ...(context.isLocal && { artifactsFolder: tenant.artifacts.folder }),
      fileInputs: [...fileInputs],
      maxInlineBytes,
      maxFileBytes,
      stats: cleanStats(tenant.sandbox.stats()),
    };
  });
  connection.onRequest('sandbox/run', (params, signal) =>
    life.answer('remote', async () => {
      const ran = await runs.run(params, signal);
      news.soon();
      const { queueMs, sidecar, isUntold, bytes } = ran;
      const result = { ...wireResult(ran), queueMs, ...(isUntold && { sidecar }) };
      // When the server ends, the client could not fetch anything.
      if (bytes <= spillBytes || runs.isClosed) return result;
      const profiles = theirs.includes('profile_artifacts');
      return await spilledResult(result, { artifacts: tenant.artifacts, spillBytes, profiles });
    }),
  );
  connection.onRequest('sandbox/validate', (params) => life.answer('remote', () => validate(context, params)));
  connection.onRequest('sandbox/warm', () =>
    life.answer('remote', async () => ({ engine: cleanEngine(await tenant.sandbox.warm()) })),
  );
  connection.onRequest('files/probe', ({ file }) => life.answer('remote', () => probe(file, tenant.sources)));
  const session = life.begin(runs);
  return {
    ...session,
    idleSince: () => (theirs.includes('gives_way') ? session.idleSince() : undefined),
    close() {
      news.end();
      session.close();
    },
  };
}

async function validate({ tenant }: SessionContext, { script, engine }: ParamsOf<RemoteProtocol, 'sandbox/validate'>) {
  return { diagnostics: await tenant.sandbox.validate(script, engineOf(engine)) };
}

/** The path of the engine is left out, because it belongs to the server. */
function cleanEngine(info: EngineInfo): EngineInfo {
  const { path: _, reason, ...engine } = info;
  return { ...engine, ...(reason !== undefined && { reason: withoutPaths(reason) }) };
}

type AnyConnection = Connection | Connection<RemoteProtocol>;

function peerOf(
  connection: AnyConnection,
  started: ClientPeer['started'],
  startsInResults: ClientPeer['startsInResults'],
): ClientPeer {
  const plain = connection as Connection;
  return {
    callHost: (call, signal) => plain.request('sandbox/callHostFunction', call, signal),
    console: (line) => plain.notify('sandbox/console', line),
    started,
    startsInResults,
  };
}

/** The handshake, the end, and what is the same for every request. */
class Life {
  readonly #connection: Connection;
  readonly #end: SessionContext['end'];
  readonly #context: SessionContext;
  #initialized = false;
  #unanswered = 0;
  #onIdle = (): void => {};
  /** Before the first answer a client counts as about to ask. */
  #idleSince: number | undefined;
  /** A connection that says nothing is of no use, and there is room for few. */
  readonly #greeting: NodeJS.Timeout;

  constructor(connection: AnyConnection, context: SessionContext) {
    const { end } = context;
    this.#connection = connection as Connection;
    this.#context = context;
    this.#end = end;
    this.#greeting = setTimeout(
      () => end(new SandboxError('protocol_error', 'No handshake came.')),
      greetingMs,
    ).unref();
  }

  begin(runs: ServedRuns): Session {
    const connection = this.#connection;
    connection.boundMessages(() => requestBounds);
    connection.onRequest('ping', () => ({}));
    connection.onRequest('shutdown', () => {
      runs.close();
      return {};
    });
    connection.onNotification('exit', () => this.#end());
    connection.onClose(() => this.#end());
    connection.onViolation((error) => this.#end(error));
    connection.listen();
    return {
      runs,
      pendingBytes: () => connection.pendingBytes,
      idleSince: () => (this.#unanswered > 0 ? undefined : this.#idleSince),
      drain: async () => {
        runs.close();
        await this.#untilIdle();
      },
      close: () => {
        clearTimeout(this.#greeting);
        runs.cancelAll();
        connection.dispose();
      },
    };
  }

  async initialize({ tenant, version }: SessionContext) {
    if (this.#initialized) throw new SandboxError('protocol_error', 'initialize was already called.');
    this.#initialized = true;
    clearTimeout(this.#greeting);
    // This is known after the first process. Warming a sandbox takes a process, and all may be busy for long.
    const known = tenant.sandbox.stats().engine;
    const engine =
      known ??
      (await tenant.sandbox.warm().catch((error: unknown) => {
        throw cleanError(error, 'plain');
      }));
    return {
      protocolVersion,
      server: { name: 'mustard-sandbox-server', version },
      pid: process.pid,
      engine: cleanEngine(engine),
      limits: column('default'),
      ceilings: column('ceiling'),
    };
  }

  /** @throws {SandboxError} an error that may leave the server */
  async answer<T>(dialect: 'plain' | 'remote', work: () => Promise<T>): Promise<T> {
    if (!this.#initialized) throw new SandboxError('protocol_error', 'initialize must be the first request.');
    this.#unanswered++;
    try {
      return await work();
    } catch (error) {
      throw cleanError(error, dialect);
    } finally {
      this.#unanswered--;
      if (this.#unanswered === 0) this.#idle();
    }
  }

  #idle(): void {
    this.#idleSince = performance.now();
    this.#onIdle();
    // By then the answer is written.
    setImmediate(this.#context.onIdle);
  }

  async #untilIdle(): Promise<void> {
    if (this.#unanswered > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    // By then the last answer is written.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function column(name: 'default' | 'ceiling'): Record<string, number> {
  return Object.fromEntries(Object.entries(limitTable).map(([option, row]) => [option, row[name]]));
}
