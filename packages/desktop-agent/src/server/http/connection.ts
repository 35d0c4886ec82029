import type { WebSocket } from 'ws';
import {
  AgentError,
  closeCodes,
  hello,
  pageFrame,
  type Handlers,
  type MainFrame,
  type PageFrame,
} from '../../shared/contract/index.ts';
import type { Logger } from '../log.ts';
import { dispatch } from './dispatch.ts';
import type { Guard } from './guard.ts';

const helloWithinMs = 30_000;
/** A page waits for a handful of requests. One with more than this at once has a bug. */
const maxRequests = 100;
/** How much may be waiting for a page, in bytes. A page that slept asks for everything again when it wakes up. */
const maxBuffered = 32 * 1024 * 1024;

export interface ConnectionOptions {
  guard: Guard;
  handlers: Handlers;
  log: Logger;
  /** Called when the page has given the token. */
  onReady: () => void;
}

/** The connection of one page. The page gets no answer and no event before it has given the token. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #gone = new AbortController();
  readonly #helloDeadline: NodeJS.Timeout;
  #requests = 0;
  #isReady = false;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#helloDeadline = setTimeout(() => this.#close('slow'), helloWithinMs);
    socket.on('message', (data, isBinary) =>
      this.#take(isBinary ? undefined : parseJson((data as Buffer).toString('utf8'))),
    );
    socket.on('close', () => {
      clearTimeout(this.#helloDeadline);
      this.#gone.abort();
    });
    // ws reports a peer that breaks the protocol or sends too much, and closes the socket by itself.
    socket.on('error', (error) => options.log.warn({ code: (error as { code?: unknown }).code }, 'a socket failed'));
  }

  /** @param frame a `MainFrame` as JSON. It is dropped when the page is gone or has not given the token yet */
  tell(frame: string): void {
    if (this.#isReady) this.#send(frame);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  close(): void {
    this.#close('closing');
  }

  /** Ends the socket at once, because a silent peer would not answer a close frame. */
  end(): void {
    this.#socket.terminate();
  }

  #take(value: unknown): void {
    if (!this.#isReady) return this.#greet(value);
    const frame = pageFrame.safeParse(value);
    if (!frame.success) return this.#close('malformed');
    if (this.#requests >= maxRequests) {
      const error = { code: 'overloaded' as const, message: 'Too many requests at once.' };
      return this.#answer({ type: 'error', id: frame.data.id, error });
    }
    void this.#request(frame.data);
  }

  #greet(value: unknown): void {
    const { success, data } = hello.safeParse(value);
    const { guard } = this.#options;
    const mayEnter = success && ('token' in data ? guard.knows(data.token) : guard.takeTicket(data.ticket));
    if (!mayEnter) return this.#close('unauthorized');
    clearTimeout(this.#helloDeadline);
    this.#isReady = true;
    this.#answer({ type: 'ready', token: guard.token });
    this.#options.onReady();
  }

  async #request({ id, channel, params }: PageFrame): Promise<void> {
    this.#requests++;
    try {
      const context = { signal: this.#gone.signal, log: this.#options.log };
      const result = await dispatch(this.#options.handlers, channel, params, context);
      this.#answer({ type: 'result', id, result });
    } catch (error) {
      const { code, message } = error as AgentError;
      this.#answer({ type: 'error', id, error: { code, message } });
    } finally {
      this.#requests--;
    }
  }

  #answer(frame: MainFrame): void {
    this.#send(JSON.stringify(frame));
  }

  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > maxBuffered) {
      this.#options.log.warn({ buffered: this.#socket.bufferedAmount }, 'a page does not read what is sent to it');
      this.#socket.terminate();
      return;
    }
    this.#socket.send(text);
  }

  #close(reason: keyof typeof closeCodes): void {
    this.#socket.close(closeCodes[reason], reason);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
