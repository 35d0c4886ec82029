import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  WebStandardStreamableHTTPServerTransport,
  type JSONRPCMessage,
  type RequestId,
  type Server,
  type WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';
import { listenerOf } from '../log.ts';
import { createServer } from '../server.ts';
import type { Host } from '../connection.ts';
import { inSentences, withOldCode } from '../requests.ts';
import { refuse } from './body.ts';
import { RecentEvents } from './events.ts';

interface Session {
  transport: SpeakingTransport;
  server: Server;
  /** How many answers are not sent completely. */
  open: number;
  usedAt: number;
}

const sessionNotFound = -32001;
const badRequest = -32000;

/** The sessions of one user, for clients that begin with a handshake. */
export class Sessions {
  readonly #host: Host;
  readonly #most: number;
  /** The key is the id; the session that was used longest ago comes first. */
  readonly #byId = new Map<string, Session>();
  readonly #events = new RecentEvents();

  constructor(host: Host, most: number) {
    this.#host = host;
    this.#most = most;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** @param message the message that was posted */
  async answer(request: Request, outgoing: ServerResponse, message?: object): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return await this.#begin(request, outgoing, message);
    const session = this.#byId.get(id);
    if (session === undefined) {
      return refuse(null, sessionNotFound, 'There is no such session. Begin a new one.', 404).refusal;
    }
    this.#use(id, session, outgoing);
    return await session.transport.handleRequest(request, { parsedBody: message });
  }

  /** Ends sessions that nobody has used for `ms`. */
  async endIdle(ms: number): Promise<void> {
    const before = performance.now() - ms;
    const idle = [...this.#byId.values()].filter(({ open, usedAt }) => open === 0 && usedAt <= before);
    await Promise.all(idle.map(({ server }) => server.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byId.values()].map(({ server }) => server.close()));
  }

  async #begin(request: Request, outgoing: ServerResponse, message: object | undefined): Promise<Response> {
    const isStart = request.method === 'POST' && (message as { method?: unknown })?.method === 'initialize';
    if (!isStart) {
      return refuse(null, badRequest, 'A session begins with initialize; later requests name it in Mcp-Session-Id.')
        .refusal;
    }
    if (!(await this.#makeRoom())) {
      return refuse(null, badRequest, `All of your ${this.#most} sessions are in use. End some.`, 429).refusal;
    }
    const id = randomUUID();
    const server = createServer(this.#host);
    const disconnect = this.#host.log.connect(listenerOf(server));
    const transport = new SpeakingTransport({ sessionIdGenerator: () => id, eventStore: this.#events.of(id) }, () => {
      disconnect();
      this.#forget(id);
    });
    const session: Session = { transport, server, open: 0, usedAt: 0 };
    await server.connect(transport);
    this.#use(id, session, outgoing);
    const response = await transport.handleRequest(request, { parsedBody: message });
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  #use(id: string, session: Session, outgoing: ServerResponse): void {
    this.#byId.delete(id);
    this.#byId.set(id, session);
    session.usedAt = performance.now();
    // It is gone already, and its end will not be reported again.
    if (outgoing.destroyed) return;
    session.open++;
    outgoing.once('close', () => {
      session.open--;
      session.usedAt = performance.now();
    });
  }

  #forget(id: string): void {
    this.#byId.delete(id);
    this.#events.forget(id);
  }

  async #makeRoom(): Promise<boolean> {
    if (this.#byId.size < this.#most) return true;
    const oldest = [...this.#byId.values()].find(({ open }) => open === 0);
    await oldest?.server.close();
    return oldest !== undefined;
  }
}

/** Writes errors as sentences, as on stdio. */
class SpeakingTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #onEnd: () => void;

  constructor(options: WebStandardStreamableHTTPServerTransportOptions, onEnd: () => void) {
    super(options);
    this.#onEnd = onEnd;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onEnd();
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    await super.send(inSentences(withOldCode(message)), options);
  }
}
