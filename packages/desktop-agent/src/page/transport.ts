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
  type RemoteFile,
  type RequestName,
  type Result,
  type Upload,
  type UploadOptions,
} from '../shared/contract/index.ts';
import type { Credentials } from './address.ts';
import { fetchFile } from './download.ts';
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
  /** Called once the token is known. A page keeps it for its next load. */
  onToken?: (token: string) => void;
}

/** The page's end of the WebSocket. It reconnects by itself until the token is refused or it is closed. */
export class SocketTransport implements PageTransport {
  readonly #options: SocketTransportOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<EventName, Set<Listener>>();
  readonly #connectionListeners = new Set<(connected: boolean) => void>();
  /** Requests from a time without a connection, by their ids. */
  readonly #unsent = new Map<number, string>();
  #socket: WebSocket | undefined;
  #credentials: Credentials;
  #isReady = false;
  /** Why there will be no further connection. */
  #ended: AgentError | undefined;
  #lastId = 0;
  #pauseMs = firstPauseMs;

  constructor(options: SocketTransportOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
    this.#connect();
  }

  /** A request without a connection waits for one. When a connection breaks, its open requests are rejected. */
  async invoke<Name extends RequestName>(name: Name, params: Params<Name>): Promise<Result<Name>> {
    if (!Object.hasOwn(requests, name)) throw new AgentError('unknown_channel', `There is no channel ${name}.`);
    const parsed = requests[name].params.safeParse(params);
    if (!parsed.success) throw new AgentError('invalid_request', `${name}: ${parsed.error.message}`);
    if (this.#ended !== undefined) throw this.#ended;
    const id = ++this.#lastId;
    const answer = new Promise<Result<Name>>((resolve, reject) => this.#waiting.set(id, { name, resolve, reject }));
    const frame = JSON.stringify({ type: 'request', id, channel: name, params: parsed.data });
    // A closing socket sends its event a moment later.
    if (this.#isReady && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(frame);
    else this.#unsent.set(id, frame);
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

  async download(file: RemoteFile): Promise<Blob> {
    if (!('token' in this.#credentials)) throw disconnected();
    return await fetchFile(file, { origin: this.#options.origin, token: this.#credentials.token });
  }

  close(): void {
    this.#ended = disconnected();
    this.#socket?.close();
    this.#unsent.clear();
    this.#fail(this.#ended);
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
    for (const frame of this.#unsent.values()) this.#socket?.send(frame);
    this.#unsent.clear();
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
      const message = 'This address is from an earlier start. Use the one that mustard-agent printed when it started.';
      this.#ended = new AgentError('denied', message);
      this.#unsent.clear();
    }
    this.#fail(this.#ended ?? disconnected());
    if (wasReady || this.#ended !== undefined) for (const listener of this.#connectionListeners) listener(false);
    if (this.#ended !== undefined) return;
    setTimeout(() => {
      if (this.#ended === undefined) this.#connect();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }

  /** Rejects requests that were sent and will get no answer. Unsent ones can wait. */
  #fail(error: AgentError): void {
    for (const [id, { reject }] of this.#waiting) {
      if (this.#unsent.has(id)) continue;
      this.#waiting.delete(id);
      reject(error);
    }
  }
}

function disconnected(): AgentError {
  return new AgentError('disconnected', 'The connection to mustard-agent is gone. Is it still running?');
}
