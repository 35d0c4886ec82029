import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Admission,
  createDoor,
  createLog,
  isLoopback,
  listenAt,
  Strangers,
  type Log,
} from '@mustard-sandbox/remote/door';
import { Tickets } from '../tickets.ts';
import { Authorization, type User } from './authorization.ts';
import { endpoint, parseHttpOptions, type HttpOptions, type ServeMcpHttpOptions } from './options.ts';
import { answerRequest } from './routes.ts';
import { Tenants } from './tenants.ts';
import type { Upload } from './uploads.ts';

/** A running server. `await using` closes it. */
export interface McpHttpServer extends AsyncDisposable {
  /** The address for clients, such as `http://127.0.0.1:7780/mcp`. */
  readonly url: string;
  /** What the person who started it should know, such as that nothing is encrypted. */
  readonly warnings: readonly string[];
  /** Settles when it has ended. */
  readonly closed: Promise<void>;
  /** Accepts no more requests, lets present ones end for `drainMs`, and ends. It may be called again. */
  close(): Promise<void>;
}

/** How long an address for an upload is valid, in s. */
const uploadSeconds = 10 * 60;
/** How often idle sessions are looked for, in ms. */
const lookMs = 60_000;
/** The user that everybody is when there is no authorization. */
const everybody: User = { name: 'local' };

/**
 * Serves `execute_sandbox_script` and its attachments over streamable HTTP, with sessions up to the revision
 * 2025-11-25, and without them since 2026-07-28.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option; for an address that others can reach without
 *   authorization; for an address where it cannot listen
 */
export async function serveMcpHttp(options: ServeMcpHttpOptions = {}): Promise<McpHttpServer> {
  const server = new Serving(parseHttpOptions(options));
  await server.begin();
  return server;
}

class Serving implements McpHttpServer {
  url = '';
  readonly warnings: string[];
  readonly closed: Promise<void>;
  readonly #options: HttpOptions;
  readonly #log: Log;
  readonly #tickets = new Tickets<Upload>(uploadSeconds);
  readonly #server: Server;
  readonly #admission: Admission<User>;
  #base = '';
  #authorization: Authorization | undefined;
  #tenants: Tenants | undefined;
  #temporary: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #markClosed = (): void => {};

  constructor(options: HttpOptions) {
    const {
      maxStrangersPerAddress: perAddress,
      maxStrangers: inAll,
      proxies,
      allowHosts,
      tls,
      authorization,
    } = options;
    this.#options = options;
    this.#log = createLog(options.logLevel);
    this.warnings = warningsOf(options);
    this.closed = new Promise((resolve) => (this.#markClosed = resolve));
    const strangers = new Strangers({ perAddress, inAll, proxies });
    const resource = authorization?.resource;
    this.#admission = new Admission({
      ...{ strangers, proxies, allowsSameOrigin: true },
      allowHosts: resource === undefined ? allowHosts : [...allowHosts, new URL(resource).hostname],
      identify: async (header) => (await this.#authorization?.identify(header)) ?? this.#withoutAuthorization,
      onWrong: (address) => this.#log.warn({ address }, 'wrong token'),
    });
    this.#server = createDoor({
      ...{ tls, strangers },
      answer: (request, { incoming, outgoing }) => this.#answer(request, incoming, outgoing),
    });
  }

  async begin(): Promise<void> {
    const { signal, store, authorization } = this.#options;
    const folder = store === undefined ? await this.#makeTemporary() : resolve(store);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const base = (): string => this.#base;
    this.#tenants = new Tenants({ options: this.#options, store: folder, tickets: this.#tickets, base });
    try {
      const at = await listenAt(this.#server, this.#options, 'serveMcpHttp()');
      this.url = at.startsWith('unix:') ? at : at + endpoint;
      const resource = authorization?.resource ?? this.url;
      this.#base =
        at.startsWith('unix:') && authorization === undefined ? 'http://localhost' : new URL(resource).origin;
      if (authorization !== undefined) this.#authorization = new Authorization({ ...authorization, resource });
    } catch (error) {
      await this.#removeTemporary();
      throw error;
    }
    const { sessionIdleMs } = this.#options;
    this.#timer = setInterval(() => void this.#endIdle(sessionIdleMs), Math.min(lookMs, sessionIdleMs)).unref();
    for (const warning of this.warnings) this.#log.warn({}, warning);
    this.#log.info({ url: this.url, authorization: authorization !== undefined }, 'listening');
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

  async #answer(request: Request, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> {
    return await answerRequest(request, {
      ...{ incoming, outgoing, options: this.#options, tickets: this.#tickets },
      admission: this.#admission,
      authorization: this.#authorization,
      tenants: this.#tenants as Tenants,
      isOpen: this.#closing === undefined,
    });
  }

  get #withoutAuthorization(): User | undefined {
    return this.#options.authorization === undefined ? everybody : undefined;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const tenants = (await this.#tenants?.all()) ?? [];
    this.#log.info({}, 'shutting down');
    const end = performance.now() + this.#options.drainMs;
    while (tenants.some(({ posts }) => posts > 0) && performance.now() < end) await sleep(50);
    await this.#tenants?.close();
    this.#server.closeAllConnections();
    await ended;
    await this.#removeTemporary();
    this.#log.info({}, 'ended');
    this.#markClosed();
  }

  async #endIdle(ms: number): Promise<void> {
    for (const { sessions } of (await this.#tenants?.all()) ?? []) await sessions.endIdle(ms);
  }

  async #makeTemporary(): Promise<string> {
    this.#temporary = await mkdtemp(join(tmpdir(), 'mustard-sandbox-mcp-'));
    return this.#temporary;
  }

  async #removeTemporary(): Promise<void> {
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }
}

function warningsOf({ address, tls, authorization }: HttpOptions): string[] {
  const host = 'host' in address ? address.host : undefined;
  if (host === undefined) return [];
  if (!isLoopback(host)) {
    return tls === undefined
      ? [
          'Nothing is encrypted: whoever is between sees the tokens and the files. Use --tls-cert and --tls-key, or a proxy with TLS.',
        ]
      : [];
  }
  return authorization === undefined
    ? ['There is no authorization: every user of this machine can run scripts and read what they may read.']
    : [];
}
