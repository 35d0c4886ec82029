import './no-eval.ts';
import {
  AgentError,
  closeCodes,
  events,
  mainFrame,
  requests,
  socketPath,
  upload,
  type EventData,
  type EventName,
  type MainFrame,
  type PageTransport,
  type Params,
  type RequestName,
  type Result,
  type Upload,
  type UploadOptions,
} from '../contract/index.ts';
import type { Credentials } from './address.ts';
import { sendFile } from './upload.ts';

interface Waiting {
  name: RequestName;
  resolve: (result: never) => void;
  reject: (error: AgentError) => void;
}

type Listener = (data: never) => void;

const firstPauseMs = 100;
const longestPauseMs = 5000;

export interface SocketTransportOptions {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  credentials: Credentials;
  /** The token is known now: a page keeps it for its next load. */
  onToken?: (token: string) => void;
}

/** The page's end of the WebSocket. It connects by itself, again and again, until the token is refused or it is closed. */
export class SocketTransport implements PageTransport {
  readonly #options: SocketTransportOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<EventName, Set<Listener>>();
  readonly #connectionListeners = new Set<(connected: boolean) => void>();
  /** Requests of the time before there is a connection. */
  #unsent: string[] = [];
  #socket: WebSocket | undefined;
  #credentials: Credentials;
  #isReady = false;
  #isClosed = false;
  #lastId = 0;
  #pauseMs = firstPauseMs;

  constructor(options: SocketTransportOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
    this.#connect();
  }

  /** What is asked without a connection waits for the first one. A connection that breaks rejects what it was asked. */
  async invoke<Name extends RequestName>(name: Name, params: Params<Name>): Promise<Result<Name>> {
    if (!Object.hasOwn(requests, name)) throw new AgentError('unknown_channel', `There is no channel ${name}.`);
    const parsed = requests[name].params.safeParse(params);
    if (!parsed.success) throw new AgentError('invalid_request', `${name}: ${parsed.error.message}`);
    if (this.#isClosed) throw disconnected();
    const id = ++this.#lastId;
    const answer = new Promise<Result<Name>>((resolve, reject) => this.#waiting.set(id, { name, resolve, reject }));
    const frame = JSON.stringify({ type: 'request', id, channel: name, params: parsed.data });
    if (this.#isReady) this.#socket?.send(frame);
    else this.#unsent.push(frame);
    return await answer;
  }

  on<Name extends EventName>(name: Name, listener: (data: EventData<Name>) => void): () => void {
    if (!Object.hasOwn(events, name)) throw new AgentError('unknown_channel', `There is no event ${name}.`);
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#connectionListeners.add(listener);
    listener(this.#isReady);
    return () => void this.#connectionListeners.delete(listener);
  }

  async upload(file: Blob, options: UploadOptions): Promise<Upload> {
    if (!('token' in this.#credentials)) throw disconnected();
    const { token } = this.#credentials;
    return upload.parse(await sendFile(file, { origin: this.#options.origin, token, ...options }));
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close();
    this.#fail(disconnected());
  }

  #connect(): void {
    const socket = new WebSocket(this.#options.origin.replace(/^http/, 'ws') + socketPath);
    this.#socket = socket;
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'hello', ...this.#credentials })));
    socket.addEventListener('message', ({ data }) => this.#take(data));
    socket.addEventListener('close', ({ code }) => this.#lost(code));
  }

  #take(data: unknown): void {
    const frame = mainFrame.parse(JSON.parse(String(data)));
    if (frame.type === 'ready') this.#ready(frame.token);
    else if (frame.type === 'event') this.#tell(frame.event, frame.data);
    else this.#settle(frame);
  }

  #ready(token: string): void {
    this.#credentials = { token };
    this.#options.onToken?.(token);
    this.#isReady = true;
    this.#pauseMs = firstPauseMs;
    for (const frame of this.#unsent.splice(0)) this.#socket?.send(frame);
    for (const listener of this.#connectionListeners) listener(true);
  }

  #settle(frame: Extract<MainFrame, { id: number }>): void {
    const waiting = this.#waiting.get(frame.id);
    if (waiting === undefined) return;
    this.#waiting.delete(frame.id);
    if (frame.type === 'error') return waiting.reject(new AgentError(frame.error.code, frame.error.message));
    const result = requests[waiting.name].result.safeParse(frame.result);
    if (result.success) waiting.resolve(result.data as never);
    else waiting.reject(new AgentError('internal', `The answer of ${waiting.name} breaks the contract.`));
  }

  #tell(name: string, data: unknown): void {
    if (!Object.hasOwn(events, name)) throw new AgentError('unknown_channel', `There is no event ${name}.`);
    const known = name as EventName;
    const parsed = events[known].parse(data);
    for (const listener of this.#listeners.get(known) ?? []) listener(parsed as never);
  }

  #lost(code: number): void {
    const wasReady = this.#isReady;
    this.#isReady = false;
    if (code === closeCodes.unauthorized) {
      this.#isClosed = true;
      this.#fail(
        new AgentError(
          'denied',
          'This address is of an earlier start. Use the one that mustard-agent printed when it started.',
        ),
      );
    } else if (wasReady) {
      this.#fail(disconnected());
    }
    if (wasReady || this.#isClosed) for (const listener of this.#connectionListeners) listener(false);
    if (this.#isClosed) return;
    setTimeout(() => {
      if (!this.#isClosed) this.#connect();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }

  #fail(error: AgentError): void {
    this.#unsent = [];
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

function disconnected(): AgentError {
  return new AgentError('disconnected', 'The connection to mustard-agent is gone. Is it still running?');
}
