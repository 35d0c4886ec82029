import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createConnectionOf,
  isBrokenPipe,
  maxValueBytes,
  maxValueItems,
  SandboxError,
  sidecarProtocol,
  within,
  type CancelSignal,
  type Connection,
} from '@mustard-sandbox/protocol';
import { WebSocket } from 'ws';
import { keepAlive } from '../wire/heartbeat.ts';
import {
  dialects,
  gaveWayCode,
  maxFrameBytes,
  remoteProtocol,
  socketPath,
  type RemoteProtocol,
} from '../wire/protocol.ts';
import { SocketBytes } from '../wire/streams.ts';
import { askPlain, askRemote, type ServerFacts } from './handshake.ts';
import type { Http } from './http.ts';
import { opened, Unreachable } from './open-socket.ts';
import { roomOf } from './room.ts';
import type { ResolvedConnectOptions } from './options.ts';

/** The wait before the second try. Each later wait is twice as long, up to `longestWaitMs`. */
const firstWaitMs = 100;
const longestWaitMs = 5_000;

/** The most that one message of a server may hold: a result and the fields around it. */
const answerBounds = { bytes: maxValueBytes + 4 * 1024 * 1024, items: maxValueItems + 20_000 };

/** A connection after its handshake. */
export interface ServerPeer {
  readonly facts: ServerFacts;
  /** In the plain dialect, only send what a sidecar knows. */
  readonly connection: Connection<RemoteProtocol>;
  /** Settles with the reason when the connection has ended. */
  readonly ended: Promise<SandboxError>;
  /** Whether it has ended. */
  isOver: boolean;
  /** How much content may still be sent inline, for all of its runs together, because the server holds it in memory. */
  inlineLeft: number;
  /** A file was asked for that was not in place. Other files will not be in place either. */
  isExternal: boolean;
  /** A promise while the server has not read what was sent, because more would only wait in memory. */
  readonly room: () => Promise<void> | undefined;
  end(): void;
  /** Whether this connection keeps the host alive. */
  hold(on: boolean): void;
}

/** What the owner learns about every connection. */
export interface LinkEvents {
  /** Called before the handshake, to add handlers for what the server sends. */
  attach: (connection: Connection<RemoteProtocol>, violated: (error: SandboxError) => void) => void;
  backingOff: (facts: { delayMs: number; failures: number; message: string }) => void;
}

/** The connection to a server. It is made when it is needed, and made again after it broke. */
export class Link {
  readonly #options: ResolvedConnectOptions;
  readonly #http: Http;
  readonly #events: LinkEvents;
  #peer: Promise<ServerPeer> | undefined;
  #current: ServerPeer | undefined;
  readonly #closing = new AbortController();

  constructor(options: ResolvedConnectOptions, http: Http, events: LinkEvents) {
    this.#options = options;
    this.#http = http;
    this.#events = events;
  }

  /** The present connection, if there is one. */
  get current(): ServerPeer | undefined {
    return this.#current;
  }

  /**
   * The connection for a call, if it is ready. It is not a promise, because a promise would cost much compared with a
   * small run.
   */
  get ready(): ServerPeer | undefined {
    return this.#closing.signal.aborted ? undefined : this.#current;
  }

  /**
   * The connection. All callers wait for the same one.
   *
   * @throws {SandboxError} `sidecar_unavailable` when there is none within `connectTimeoutMs`; `invalid_request` when
   *   the server refuses this client; `protocol_error`, `closed`, `cancelled`
   */
  async peer(signal?: CancelSignal): Promise<ServerPeer> {
    if (this.#closing.signal.aborted) throw closed();
    this.#peer ??= this.#connect().catch((error: unknown) => {
      this.#peer = undefined;
      throw error;
    });
    return await within(this.#peer, { signal, cancelled: 'The run was cancelled before it began.' });
  }

  close(): void {
    this.#closing.abort();
    this.#current?.end();
  }

  async #connect(): Promise<ServerPeer> {
    const deadline = performance.now() + this.#options.connectTimeoutMs;
    /** The refusal of a server says more than that the last try was cut short. */
    let said: Unreachable | undefined;
    for (let failures = 1; ; failures++) {
      try {
        const peer = await this.#open(deadline - performance.now());
        this.#current = peer;
        void peer.ended.then(() => this.#forget());
        return peer;
      } catch (error) {
        if (this.#closing.signal.aborted) throw closed();
        if (!(error instanceof Unreachable)) throw error;
        if (error.refusal !== undefined) said = error;
        // Half of the wait is random, so that many clients do not all come at once to a server that is back.
        const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
        const delayMs = longest / 2 + (Math.random() * longest) / 2;
        if (performance.now() + delayMs > deadline) throw unreachable(this.#options.address, said ?? error);
        this.#events.backingOff({ delayMs, failures, message: error.message });
        await delay(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {});
        if (this.#closing.signal.aborted) throw closed();
      }
    }
  }

  #forget(): void {
    this.#peer = undefined;
    this.#current = undefined;
  }

  async #open(leftMs: number): Promise<ServerPeer> {
    const url = this.#http.urlOf(socketPath);
    const { ca, unixPath } = this.#options;
    const socket = new WebSocket(url, [dialects.remote, dialects.plain], {
      headers: this.#http.headers,
      handshakeTimeout: Math.max(1, Math.ceil(leftMs)),
      maxPayload: maxFrameBytes,
      perMessageDeflate: false,
      followRedirects: false,
      ...(ca !== undefined && { ca }),
      ...(unixPath !== undefined && { createConnection: () => connect(unixPath) }),
    });
    const upgraded = new Promise<Socket>((resolve) => socket.once('upgrade', ({ socket: raw }) => resolve(raw)));
    const abort = (): void => socket.terminate();
    this.#closing.signal.addEventListener('abort', abort, { once: true });
    try {
      await within(opened(socket), {
        timeout: { ms: Math.max(1, leftMs), error: () => new Unreachable('The server does not answer.') },
      });
      return await within(this.#shakeHands(socket, await upgraded), {
        timeout: { ms: Math.max(1, leftMs), error: () => new Unreachable('The server does not answer.') },
      });
    } catch (error) {
      socket.terminate();
      throw isBrokenPipe(error) ? new Unreachable('It closed the connection.', { cause: error }) : error;
    } finally {
      this.#closing.signal.removeEventListener('abort', abort);
    }
  }

  async #shakeHands(socket: WebSocket, raw: Socket): Promise<ServerPeer> {
    const stream = new SocketBytes(socket, raw, 'client');
    const isRemote = socket.protocol === dialects.remote;
    const connection = isRemote
      ? createConnectionOf(remoteProtocol, stream, stream, maxFrameBytes)
      : (createConnectionOf(sidecarProtocol, stream, stream, maxFrameBytes) as unknown as Connection<RemoteProtocol>);
    const stopHeart = keepAlive(socket);
    let violation: SandboxError | undefined;
    const ended = new Promise<SandboxError>((resolve) => {
      socket.once('close', (code) => {
        stopHeart();
        resolve(violation ?? (code === gaveWayCode ? new GaveWay() : lost()));
        connection.dispose();
      });
    });
    socket.on('error', () => socket.terminate());
    const end = (): void => {
      socket.close(1000);
      // If the server does not answer the close, the connection ends without it.
      setTimeout(() => socket.terminate(), 500).unref();
    };
    const violated = (error: SandboxError): void => {
      violation ??= error;
      socket.terminate();
    };
    connection.onViolation(violated);
    connection.onRefusal(({ message }) => violated(new SandboxError('protocol_error', message)));
    connection.onClose(() => socket.terminate());
    connection.boundMessages(() => answerBounds);
    this.#events.attach(connection, violated);
    connection.listen();
    const facts = isRemote ? await askRemote(connection) : await askPlain(connection);
    // Only a server on a Unix socket is surely a program of this user. Other servers may not name a folder here.
    if (this.#options.unixPath === undefined) facts.artifactsFolder = undefined;
    const hold = (on: boolean): void => void (on ? raw.ref() : raw.unref());
    hold(false);
    const peer: ServerPeer = {
      facts,
      connection,
      ended,
      isOver: false,
      isExternal: false,
      inlineLeft: facts.maxInlineBytes,
      room: roomOf(socket, raw),
      end,
      hold,
    };
    socket.once('close', () => (peer.isOver = true));
    if (socket.readyState === socket.CLOSED) peer.isOver = true;
    return peer;
  }
}

/** The connection ended before the run was sent, or the server says that it has run nothing that it did not answer. */
export class GaveWay extends SandboxError {
  constructor() {
    super(
      'connection_lost',
      'The connection to the server ended before the script was run. Nothing was run; try again.',
    );
  }
}

function unreachable(address: string, cause: Unreachable): SandboxError {
  const { refusal } = cause;
  if (refusal !== undefined) {
    const message = `The server at ${address} accepts no connection now: ${refusal.message} Try again later.`;
    return new SandboxError('sidecar_unavailable', message, { cause, details: refusal.details });
  }
  return new SandboxError(
    'sidecar_unavailable',
    `The server at ${address} cannot be reached: ${cause.message}. Is it running, and is the address right?`,
    { cause },
  );
}

export function lost(): SandboxError {
  return new SandboxError(
    'connection_lost',
    'The connection to the server broke. Whether the script ran to its end is not known; it is not run again.',
  );
}

export function closed(): SandboxError {
  return new SandboxError('closed', 'The sandbox is closed. Connect another one.');
}
