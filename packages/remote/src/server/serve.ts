import type { IncomingMessage, Server } from 'node:http';
import { refused } from '../store/problems.ts';
import { isLoopback } from '../wire/address.ts';
import { Admission } from './admission.ts';
import { createDoor } from './door.ts';
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

/** A running server. `await using` closes it. */
export interface SandboxServer extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:7777` or `unix:/run/sandbox.sock`. */
  readonly url: string;
  /** What the person who started it should know, such as that nothing is encrypted. */
  readonly warnings: readonly string[];
  /** Settles when it has ended. */
  readonly closed: Promise<void>;
  /** Accepts no more runs, lets present ones end for `drainMs`, and ends. It may be called again. */
  close(): Promise<void>;
}

/**
 * Runs sandboxes for clients of `connectSandbox`, over HTTP and WebSocket.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option; for an address that others can reach without a
 *   token or with a weak one; for a root that holds the store; for a store that another server uses; for an address
 *   where it cannot listen
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
  readonly #admission: Admission<{ name: string }>;
  readonly #tenants: Tenants;
  readonly #sockets: Sockets;
  readonly #server: Server;
  #closing: Promise<void> | undefined;
  #markClosed = (): void => {};

  constructor(options: ResolvedServerOptions) {
    this.#options = options;
    this.#log = createLog(options.logLevel);
    this.#tokens = new Tokens(options.tokens);
    const { maxStrangersPerAddress: perAddress, maxStrangers: inAll, proxies, allowHosts } = options;
    const strangers = new Strangers({ perAddress, inAll, proxies });
    this.#admission = new Admission({
      ...{ strangers, proxies, allowHosts },
      identify: (authorization) => this.#identify(authorization),
      onWrong: (address) => this.#onWrong(address),
    });
    this.#tenants = new Tenants(options, openRoots(options), this.#isOfOne ? this.#metrics : undefined);
    this.warnings = warningsOf(options);
    this.closed = new Promise((resolve) => (this.#markClosed = resolve));
    this.#sockets = new Sockets(options, this.#log);
    this.#server = this.#createServer(strangers);
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
      this.url = await listenAt(this.#server, this.#options, 'serveSandboxes()');
    } catch (error) {
      await leaveStore(store);
      throw error;
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

  #createServer(strangers: Strangers): Server {
    const routes = createRoutes({
      metrics: this.#metrics,
      admit: (request) => this.#admit(request),
      gauges: (tenant) => this.#gauges(tenant),
      isOpen: () => this.#closing === undefined,
      maxRequests: this.#options.maxRequests,
    });
    const { tls } = this.#options;
    const server = createDoor({ tls, strangers, answer: (request, env) => routes.fetch(request, env) });
    server.on('upgrade', (request, socket, head) => {
      this.#sockets.upgrade(request, socket, head, () => this.#admit(request));
    });
    return server;
  }

  async #admit(request: IncomingMessage): Promise<Tenant> {
    this.#admission.refusePages(request.headers);
    if (this.#closing !== undefined) throw refused(503, 'The server is shutting down.');
    const { name } = await this.#admission.whose(request);
    const tenant = await this.#tenants.get(name);
    if (tenant.rate.take()) return tenant;
    throw refused(429, `More than ${this.#options.requestsPerSecond} requests a second.`);
  }

  #identify(authorization: string | undefined): { name: string } | undefined {
    const name = this.#tokens.tenantOf(authorization);
    return name === undefined ? undefined : { name };
  }

  #onWrong(address: string | undefined): void {
    this.#metrics.count('wrong_tokens_total');
    this.#log.warn({ address }, 'wrong token');
  }

  #gauges(tenant: Tenant): Record<string, number> {
    const { processes, queued } = tenant.sandbox.stats();
    return {
      connections: tenant.connections.taken,
      runs: this.#sockets.runsOf(tenant),
      processes: processes.length,
      queued,
      store_bytes: tenant.store.bytes,
      // The figure would include other tokens.
      ...(this.#isOfOne && { resident_bytes: process.memoryUsage.rss() }),
    };
  }

  /** Whether there is only one token. */
  get #isOfOne(): boolean {
    return this.#options.tokens.length <= 1;
  }
}

function warningsOf({ address, tls, tokens }: ResolvedServerOptions): string[] {
  const warnings: string[] = [];
  const host = 'host' in address ? address.host : undefined;
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
