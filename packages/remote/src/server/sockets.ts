import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { toSandboxError, type SandboxError } from '@mustard-sandbox/protocol';
import { WebSocketServer, type WebSocket } from 'ws';
import { refused, statusOf } from '../store/problems.ts';
import { keepAlive } from '../wire/heartbeat.ts';
import { dialects, gaveWayCode, maxFrameBytes, socketPath } from '../wire/protocol.ts';
import { SocketBytes } from '../wire/streams.ts';
import { ownVersion } from '../wire/version.ts';
import { cleanError } from './clean.ts';
import type { Log } from './log.ts';
import type { ResolvedServerOptions } from './options.ts';
import { servePlain, serveRemote, type Session } from './session.ts';
import type { Tenant } from './tenant.ts';

/** How long a refused client has to read the reason, in ms. */
const lingerMs = 2_000;

/** The WebSockets, with a session for each. */
export class Sockets {
  readonly #options: ResolvedServerOptions;
  readonly #log: Log;
  readonly #sessions = new Map<WebSocket, Session>();
  readonly #tenants = new Map<WebSocket, Tenant>();
  /** Sockets that were told to give way. */
  readonly #leaving = new Set<WebSocket>();
  readonly #server = new WebSocketServer({
    noServer: true,
    // Most messages are small, and compressing large ones takes longer than loopback or a local network.
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    handleProtocols: (offered) => [dialects.remote, dialects.plain].find((one) => offered.has(one)) ?? false,
  });
  #nextId = 1;

  constructor(options: ResolvedServerOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  /** How many runs of one token are going on. */
  runsOf(tenant: Tenant): number {
    const own = [...this.#sessions].filter(([socket]) => this.#tenants.get(socket) === tenant);
    return own.reduce((sum, [, { runs }]) => sum + runs.size, 0);
  }

  /** How many runs are going on in all. */
  get runs(): number {
    return [...this.#sessions.values()].reduce((sum, { runs }) => sum + runs.size, 0);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, admit: () => Promise<Tenant>): void {
    socket.on('error', () => socket.destroy());
    void this.#open(request, socket, head, admit).catch((error: unknown) => {
      const clean = cleanError(toSandboxError(error), 'remote');
      answer(socket, statusOf(clean), JSON.stringify({ error: clean.toJSON() }));
    });
  }

  /** Lets runs end for `ms`, and then closes every connection. */
  async drain(ms: number): Promise<void> {
    const sessions = [...this.#sessions];
    const ended = Promise.all(sessions.map(([, session]) => session.drain()));
    const over = new AbortController();
    await Promise.race([ended, delay(ms, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
    for (const [socket] of sessions) socket.close(1001, 'The server is shutting down.');
    await Promise.race([
      Promise.all(sessions.map(([socket]) => closed(socket))),
      delay(1_000, undefined, { ref: false }),
    ]);
    for (const socket of this.#sessions.keys()) socket.terminate();
    this.#server.close();
  }

  async #open(request: IncomingMessage, socket: Duplex, head: Buffer, admit: () => Promise<Tenant>): Promise<void> {
    const tenant = await admit();
    if (new URL(request.url ?? '/', 'http://host').pathname !== socketPath) {
      throw refused(404, `There is no WebSocket at this address; it is at ${socketPath}.`);
    }
    const taking = tenant.connections.take(socket);
    if (tenant.connections.isWanted) this.#makeRoom(tenant);
    await taking;
    // Its end was reported before, and will not be again.
    if (socket.destroyed) return tenant.connections.free();
    let opened = false;
    socket.once('close', () => void (opened || tenant.connections.free()));
    // The listener of Node's server would end a silent WebSocket, which has heartbeats instead.
    (socket as { setTimeout?: (ms: number) => void }).setTimeout?.(0);
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      opened = true;
      this.#begin(webSocket, socket, tenant);
    });
  }

  #begin(socket: WebSocket, raw: Duplex, tenant: Tenant): void {
    const log = this.#log.child({ connection: this.#nextId++, tenant: tenant.name });
    const serve = socket.protocol === dialects.remote ? serveRemote : servePlain;
    const session = serve(new SocketBytes(socket, raw, 'server'), {
      tenant,
      version: ownVersion,
      spillBytes: this.#options.spillBytes,
      isLocal: 'path' in this.#options.address,
      onIdle: () => {
        if (tenant.connections.isWanted) this.#makeRoom(tenant);
      },
      end: (why?: SandboxError) => {
        if (why !== undefined) log.warn({ code: why.code }, 'the client broke the protocol');
        socket.close(why === undefined ? 1000 : 1002);
      },
    });
    this.#sessions.set(socket, session);
    this.#tenants.set(socket, tenant);
    const stopCounting = this.#countUnfinished(socket, raw, session, tenant, log);
    tenant.metrics.count('connections_total');
    log.info({ dialect: socket.protocol || dialects.plain }, 'connected');
    const stopHeart = keepAlive(socket);
    socket.on('error', () => socket.terminate());
    socket.once('close', (code) => {
      stopHeart();
      stopCounting();
      this.#sessions.delete(socket);
      this.#tenants.delete(socket);
      if (this.#leaving.delete(socket)) tenant.connections.leaving--;
      tenant.connections.free();
      const { size } = session.runs;
      session.close();
      log.info({ code, cancelled: size }, 'disconnected');
    });
  }

  /** Closes the connection that has been idle for longest, for a client that waits. Its own client will come again. */
  #makeRoom(tenant: Tenant): void {
    let oldest: { socket: WebSocket; since: number } | undefined;
    for (const [socket, session] of this.#sessions) {
      const since =
        this.#tenants.get(socket) === tenant && !this.#leaving.has(socket) ? session.idleSince() : undefined;
      if (since !== undefined && since < (oldest?.since ?? Infinity)) oldest = { socket, since };
    }
    if (oldest === undefined) return;
    const { socket } = oldest;
    this.#leaving.add(socket);
    tenant.connections.leaving++;
    // What it sends from now on is not run.
    this.#sessions.get(socket)?.runs.close();
    socket.close(gaveWayCode);
    setTimeout(() => socket.terminate(), lingerMs).unref();
  }

  /** Bounds the memory of messages that are not complete. Those of one token may not take more than its runs may. */
  #countUnfinished(socket: WebSocket, raw: Duplex, session: Session, tenant: Tenant, log: Log): () => void {
    const counted = tenant.arriving.count();
    let inFrame = 0;
    // These run before and after the listener of `ws`, which turns the bytes into messages.
    const before = ({ length }: Buffer): void => void (inFrame += length);
    const whole = (): void => void (inFrame = 0);
    const after = (): void => {
      if (counted.set(inFrame + session.pendingBytes())) return;
      log.warn({ held: tenant.arriving.held }, 'too much memory in messages');
      socket.close(
        1013,
        `Incomplete messages of this token take over ${tenant.arriving.most} bytes (maxMessageBytes).`,
      );
      // It may be in the middle of a frame, where no answer to the close can arrive.
      socket.terminate();
    };
    raw.prependListener('data', before).on('data', after);
    socket.on('message', whole);
    return () => {
      raw.off('data', before).off('data', after);
      counted.set(0);
    };
  }
}

function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) resolve();
    else socket.once('close', () => resolve());
  });
}

function answer(socket: Duplex, status: number, body: string): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  // Node's server leaves the other half open for as long as the client likes. What the client still sends is read,
  // because closing before that would take the answer from it.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.resume().once('close', () => clearTimeout(timer));
}
