import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { SandboxError } from '@mustard-sandbox/client/peer';
import { refused } from '../store/problems.ts';
import { isLoopback } from '../wire/address.ts';
import { refusalOf, WrongTokens } from './gate.ts';
import { listenAt } from './listen.ts';
import { createLog, type Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { parseServerOptions, type ResolvedServerOptions, type ServerOptions } from './options.ts';
import { openRoots } from './roots.ts';
import { createRoutes } from './routes.ts';
import { Sockets } from './sockets.ts';
import { Strangers } from './strangers.ts';
import { leaveStore, takeStore } from './take-store.ts';
import { Tenants, type Tenant } from './tenant.ts';
import { assertSafeToListen, Tokens, weaknessOf } from './tokens.ts';

/** A server that runs. `await using` closes it. */
export interface SandboxServer extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:7777` or `unix:/run/sandbox.sock`. */
  readonly url: string;
  /** What the one who started it should know, such as that nothing is encrypted. */
  readonly warnings: readonly string[];
  /** Settles when it has ended. */
  readonly closed: Promise<void>;
  /** Takes no more runs, lets those under way end for `drainMs`, and ends. May be called again. */
  close(): Promise<void>;
}

/** Header lines of one request. Enough for a token and the headers of some proxies. */
const maxHeaderSize = 16 * 1024;
/** A client that sends its headers slowly holds a connection no longer than this. */
const headersTimeout = 10_000;
/** How often that is looked at. Node does so every 30 s, so a slow client would hold a connection for 40. */
const connectionsCheckingInterval = 2_000;
/** The same for the handshake of TLS, for which Node allows 120 s. */
const handshakeTimeout = 10_000;
/** A client that pauses within a body holds its connection no longer than this. */
const quietMs = 60_000;

/**
 * Runs sandboxes for clients of `connectSandbox`, over HTTP and WebSocket.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option; for an address that others can reach without a
 *   token or with a weak one; for a root that holds the store; for a store that another server uses; for an address that cannot be listened at
 */
export async function serveSandboxes(options: ServerOptions = {}): Promise<SandboxServer> {
  const resolved = parseServerOptions(options);
  assertSafeToListen(resolved);
  const server = new ServingSandboxes(resolved);
  await server.begin();
  return server;
}

class ServingSandboxes implements SandboxServer {
  url = '';
  readonly warnings: string[];
  readonly closed: Promise<void>;
  readonly #options: ResolvedServerOptions;
  readonly #log: Log;
  readonly #metrics = new Metrics();
  readonly #tokens: Tokens;
  readonly #wrongTokens = new WrongTokens();
  readonly #strangers: Strangers;
  readonly #tenants: Tenants;
  readonly #sockets: Sockets;
  readonly #server: Server;
  #closing: Promise<void> | undefined;
  #markClosed = (): void => {};

  constructor(options: ResolvedServerOptions) {
    this.#options = options;
    this.#log = createLog(options.logLevel);
    this.#tokens = new Tokens(options.tokens);
    this.#strangers = new Strangers({ perAddress: options.maxStrangersPerAddress, inAll: options.maxStrangers });
    this.#tenants = new Tenants(options, openRoots(options), this.#isOfOne ? this.#metrics : undefined);
    this.warnings = warningsOf(options);
    this.closed = new Promise((resolve) => (this.#markClosed = resolve));
    this.#sockets = new Sockets(options, this.#log);
    this.#server = this.#createServer();
  }

  async begin(): Promise<void> {
    const { store, signal } = this.#options;
    await takeStore(store);
    try {
      await this.#tenants.open(this.#tokens.tenants);
    } catch (error) {
      await leaveStore(store);
      throw error;
    }
    try {
      this.url = await listenAt(this.#server, this.#options);
    } catch (error) {
      await leaveStore(store);
      const { code } = error as NodeJS.ErrnoException;
      throw invalid(`cannot listen at ${this.#options.listen} (${code ?? 'error'})`);
    }
    for (const warning of this.warnings) this.#log.warn({}, warning);
    this.#log.info({ url: this.url, tokens: this.#options.tokens.length }, 'listening');
    signal?.addEventListener('abort', () => void this.close(), { once: true });
    if (signal?.aborted === true) await this.close();
  }

  async close(): Promise<void> {
    this.#closing ??= this.#end();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    this.#log.info({ runs: this.#sockets.runs }, 'shutting down');
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.#sockets.drain(this.#options.drainMs);
    await this.#tenants.close();
    this.#server.closeAllConnections();
    await ended;
    await leaveStore(this.#options.store);
    this.#log.info({}, 'ended');
    this.#markClosed();
  }

  #createServer(): Server {
    const { tls } = this.#options;
    const routes = createRoutes({
      metrics: this.#metrics,
      admit: (request) => this.#admit(request),
      gauges: (tenant) => this.#gauges(tenant),
      isOpen: () => this.#closing === undefined,
      maxRequests: this.#options.maxRequests,
    });
    const listener = getRequestListener((request, env) => routes.fetch(request, env), {
      overrideGlobalObjects: false,
    });
    const times = { headersTimeout, connectionsCheckingInterval, requestTimeout: 0, keepAliveTimeout: 30_000 };
    const limits = { maxHeaderSize, ...times };
    const server =
      tls === undefined ? createHttpServer(limits) : createHttpsServer({ ...limits, ...tls, handshakeTimeout });
    server.setTimeout(quietMs);
    // Also of an HTTPS server this is the connection as it was accepted.
    server.on('connection', (socket: Socket) => this.#strangers.came(socket));
    server.on('request', (request, response) => void listener(request, response));
    server.on('upgrade', (request, socket, head) => {
      this.#sockets.upgrade(request, socket, head, () => this.#admit(request));
    });
    return server;
  }

  async #admit(request: IncomingMessage): Promise<Tenant> {
    const refusal = refusalOf(request.headers, this.#options.allowHosts);
    if (refusal !== undefined) throw refused(refusal.status, refusal.message);
    if (this.#closing !== undefined) throw refused(503, 'The server is shutting down.');
    const name = this.#nameOf(request);
    const tenant = await this.#tenants.get(name);
    if (tenant.rate.take()) return tenant;
    throw refused(429, `More than ${this.#options.requestsPerSecond} requests a second.`);
  }

  /** @throws {SandboxError} with the status 401; 429 for everyone at an address that sent too many wrong tokens */
  #nameOf({ socket, headers }: IncomingMessage): string {
    const { remoteAddress } = socket;
    const before = this.#strangers.tenantOf(socket);
    const isOver = this.#wrongTokens.isOver(remoteAddress);
    if (isOver && before === undefined) throw tooManyWrong();
    const name = this.#tokens.tenantOf(headers.authorization);
    // A connection that had a token goes on with it, and with no other one: through a proxy that uses a connection for
    // all of its clients, guesses would go on.
    if (name !== undefined && (!isOver || name === before)) {
      this.#strangers.knows(socket, name);
      return name;
    }
    if (isOver) throw tooManyWrong();
    this.#wrongTokens.count(remoteAddress);
    this.#metrics.count('wrong_tokens_total');
    this.#log.warn({ address: remoteAddress }, 'wrong token');
    throw refused(401, 'The token is wrong, or there is none.');
  }

  #gauges(tenant: Tenant): Record<string, number> {
    const { processes, queued } = tenant.sandbox.stats();
    return {
      connections: tenant.connections.taken,
      runs: this.#sockets.runsOf(tenant),
      processes: processes.length,
      queued,
      store_bytes: tenant.store.bytes,
      // Others would be in it.
      ...(this.#isOfOne && { resident_bytes: process.memoryUsage.rss() }),
    };
  }

  /** Whether there are no other tokens. */
  get #isOfOne(): boolean {
    return this.#options.tokens.length <= 1;
  }
}

function warningsOf({ place, tls, tokens }: ResolvedServerOptions): string[] {
  const warnings: string[] = [];
  const host = 'host' in place ? place.host : undefined;
  if (host !== undefined && !isLoopback(host) && tls === undefined) {
    warnings.push(
      'Nothing is encrypted: whoever is between sees the token and the files. Use --tls-cert and --tls-key, or a proxy with TLS.',
    );
  }
  if (host !== undefined && isLoopback(host) && tokens.length === 0) {
    warnings.push('There is no token: every user of this machine can run scripts and read the allowed roots.');
  }
  for (const { name, token } of tokens) {
    const why = weaknessOf(token);
    if (why !== undefined) warnings.push(`The token${name === undefined ? '' : ` of ${name}`} is weak: ${why}.`);
  }
  return warnings;
}

function tooManyWrong(): SandboxError {
  return refused(429, 'Too many wrong tokens came from this address. Wait some seconds; until then none is looked at.');
}

function invalid(why: string): SandboxError {
  return new SandboxError('invalid_request', `serveSandboxes(): ${why}.`);
}
