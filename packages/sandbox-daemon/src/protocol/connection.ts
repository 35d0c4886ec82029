import type { Readable, Writable } from 'node:stream';
import {
  codeOfNumber,
  errorNumbers,
  isWireCode,
  messageOf,
  SandboxError,
  toSandboxError,
  type ErrorCode,
} from './errors.ts';
import { Cancellation, type CancelSignal } from './cancel-signal.ts';
import { cancelMethod, malformed, readEnvelope, type Envelope, type Failure } from './envelope.ts';
import { CappedMessageReader, CappedMessageWriter, type Message } from './framing.ts';
import { maxErrorText, maxFrameBytes } from './limits.ts';
import {
  errorDataSchema,
  maxProblems,
  notifications,
  protocolVersion,
  requests,
  type Notice,
  type NotificationMethod,
  type Params,
  type ParamsIn,
  type RequestMethod,
  type Result,
} from './methods.ts';
import { oneLine, quote, withoutPaths } from './text.ts';
import { parse } from './validation.ts';

/**
 * One end of the wire: typed requests and notifications whose params and results are checked on
 * arrival. A malformed frame or message, an unknown notification, an answer out of shape reaches
 * `onViolation` as a `protocol_error`; the owner is expected to end the peer. A request out of shape is
 * answered with an error, and reaches `onRefusal`.
 */
export interface Connection {
  /** @throws {SandboxError} what the peer answered, or `protocol_error` for an answer out of shape */
  request<M extends RequestMethod>(method: M, params: ParamsIn<M>, signal?: CancelSignal): Promise<Result<M>>;
  notify<M extends NotificationMethod>(method: M, params: Notice<M>): void;
  onRequest<M extends RequestMethod>(
    method: M,
    handler: (params: Params<M>, signal: CancelSignal) => Promise<Result<M>> | Result<M>,
  ): void;
  onNotification<M extends NotificationMethod>(method: M, handler: (params: Notice<M>) => void): void;
  /** The peer's stream ended. Requests that are still pending settle only on `dispose`. */
  onClose(handler: () => void): void;
  onViolation(handler: (error: SandboxError) => void): void;
  /** A request of an unknown method, or with params out of shape, was answered with this error. */
  onRefusal(handler: (error: SandboxError) => void): void;
  listen(): void;
  /** Rejects every pending request. */
  dispose(): void;
}

/**
 * A connection over two streams. `listen` starts it, `dispose` ends it.
 *
 * @param maxBytes the largest frame, both ways
 */
export function createConnection(input: Readable, output: Writable, maxBytes = maxFrameBytes): Connection {
  return new TypedConnection(new CappedMessageReader(input, maxBytes), new CappedMessageWriter(output, maxBytes));
}

type Request = Extract<Envelope, { kind: 'request' }>;
type Notification = Extract<Envelope, { kind: 'notification' }>;
type Answer = Extract<Envelope, { kind: 'answer' | 'failure' }>;

/** A request that waits for its answer. */
interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

type Handler = (params: object, signal: CancelSignal) => Promise<unknown>;

class TypedConnection implements Connection {
  readonly #reader: CappedMessageReader;
  readonly #writer: CappedMessageWriter;
  readonly #requestHandlers = new Map<string, Handler>();
  readonly #notificationHandlers = new Map<string, (params: object) => void>();
  #violated: (error: SandboxError) => void = () => {};
  #refused: (error: SandboxError) => void = () => {};
  #onClose: () => void = () => {};
  #closed = false;
  #nextId = 0;
  /** Our requests that are open. */
  readonly #asked = new Map<unknown, Pending>();
  /** The peer's, by id as text, so that `1` and `"1"` are one. */
  readonly #owed = new Map<string, Cancellation>();
  /** Arrived and not yet handled. */
  readonly #queue: (Request | Notification | Answer)[] = [];
  #scheduled = false;

  constructor(reader: CappedMessageReader, writer: CappedMessageWriter) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async request<M extends RequestMethod>(method: M, params: ParamsIn<M>, signal?: CancelSignal): Promise<Result<M>> {
    const id = this.#nextId++;
    const cancel = (): void => this.#send({ jsonrpc: '2.0', method: cancelMethod, params: { id } });
    let answer: Answer;
    try {
      const answered = this.#ask(id, method, params);
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      answer = await answered;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
    if (answer.kind === 'failure') throw this.#judged(() => fromWire(answer.error));
    return this.#judged(
      () => parse(requests[method].result, answer.result, `Answer to ${method}`, 'protocol_error') as Result<M>,
    );
  }

  #ask(id: number, method: string, params: object): Promise<Answer> {
    if (this.#closed) throw connectionClosed();
    this.#writer.write({ jsonrpc: '2.0', id, method, params });
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
  }

  /** What `check` makes of an answer; what it throws is a violation. */
  #judged<T>(check: () => T): T {
    try {
      return check();
    } catch (error) {
      const violation = toSandboxError(error);
      this.#violated(violation);
      throw violation;
    }
  }

  notify<M extends NotificationMethod>(method: M, params: Notice<M>): void {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  /** Nobody waits for it, and of a peer that does not read the writer tells. */
  #send(message: object): void {
    try {
      this.#writer.write(message);
    } catch {
      // Too large, which no message of this kind is, or told.
    }
  }

  onRequest<M extends RequestMethod>(
    method: M,
    handler: (params: Params<M>, signal: CancelSignal) => Promise<Result<M>> | Result<M>,
  ): void {
    this.#requestHandlers.set(method, async (params, signal) => {
      let checked: Params<M>;
      try {
        // Before the strict check: another version may well have other fields.
        if (method === 'initialize') assertSameVersion(params);
        checked = parse(requests[method].params, params, method) as Params<M>;
      } catch (error) {
        this.#refused(toSandboxError(error));
        throw error;
      }
      return await handler(checked, signal);
    });
  }

  onNotification<M extends NotificationMethod>(method: M, handler: (params: Notice<M>) => void): void {
    this.#notificationHandlers.set(method, (params) =>
      handler(parse(notifications[method], params, method, 'protocol_error') as Notice<M>),
    );
  }

  onClose(handler: () => void): void {
    this.#onClose = handler;
  }

  onViolation(handler: (error: SandboxError) => void): void {
    this.#violated = handler;
  }

  onRefusal(handler: (error: SandboxError) => void): void {
    this.#refused = handler;
  }

  listen(): void {
    const events = {
      error: (error: unknown): void => this.#violated(toSandboxError(error)),
      close: (): void => this.#close(),
    };
    this.#writer.listen(events);
    this.#reader.listen({ ...events, message: (message) => this.#receive(message) });
  }

  dispose(): void {
    this.#closed = true;
    this.#reader.dispose();
    for (const pending of this.#asked.values()) pending.reject(connectionClosed());
    this.#asked.clear();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
  }

  /** @throws {SandboxError} `protocol_error` */
  #receive(message: Message): void {
    const envelope = readEnvelope(message);
    // It overtakes the request when both arrive together, which then never begins.
    if (envelope.kind === 'cancellation') {
      this.#owed.get(String(envelope.id))?.cancel();
      return this.#reader.handled();
    }
    if (envelope.kind === 'request') this.#owe(envelope);
    this.#queue.push(envelope);
    if (!this.#scheduled) queueMicrotask(() => this.#handleNext());
    this.#scheduled = true;
  }

  #owe({ id, method }: Request): void {
    const key = String(id);
    if (this.#owed.has(key)) throw malformed(`to ${quote(method)} has the id of a request that is still open`);
    this.#owed.set(key, new Cancellation());
  }

  /** One message a turn, because what it sets off takes some microtasks; only a notification is over at once. */
  #handleNext(): void {
    let envelope: Request | Notification | Answer | undefined;
    do {
      envelope = this.#queue.shift();
      if (envelope === undefined) break;
      this.#reader.handled();
      this.#handle(envelope);
    } while (envelope.kind === 'notification');
    this.#scheduled = this.#queue.length > 0;
    if (this.#scheduled) setImmediate(() => this.#handleNext());
  }

  #handle(envelope: Request | Notification | Answer): void {
    try {
      if (envelope.kind === 'request') void this.#serve(envelope);
      else if (envelope.kind === 'notification') this.#notified(envelope);
      else this.#answered(envelope);
    } catch (error) {
      this.#queue.length = 0;
      this.#violated(toSandboxError(error));
    }
  }

  async #serve({ id, method, params }: Request): Promise<void> {
    const key = String(id);
    const signal = this.#owed.get(key) as Cancellation;
    try {
      const handler = this.#requestHandlers.get(method) ?? this.#unknownMethod(method);
      const result = await handler(params, signal);
      this.#owed.delete(key);
      this.#writer.write({ jsonrpc: '2.0', id, result });
    } catch (error) {
      this.#owed.delete(key);
      this.#send({ jsonrpc: '2.0', id, error: toWire(error) });
    }
  }

  #unknownMethod(method: string): never {
    const error = new SandboxError('protocol_error', `Unknown method ${quote(method)}.`);
    this.#refused(error);
    throw error;
  }

  #notified({ method, params }: Notification): void {
    const handler = this.#notificationHandlers.get(method);
    if (handler === undefined) throw new SandboxError('protocol_error', `Unknown notification ${quote(method)}.`);
    handler(params);
  }

  #answered(answer: Answer): void {
    const pending = this.#asked.get(answer.id);
    if (pending === undefined) throw malformed('answers no request that is open');
    this.#asked.delete(answer.id);
    pending.resolve(answer);
  }
}

function assertSameVersion(params: object): void {
  const { protocolVersion: theirs } = params as { protocolVersion?: unknown };
  if (theirs === protocolVersion) return;
  const shown = typeof theirs === 'number' ? theirs : `of type ${typeof theirs}`;
  throw new SandboxError(
    'protocol_error',
    `The client speaks protocol version ${shown}, this sidecar version ${protocolVersion}. Install matching versions.`,
    { details: { serverVersion: protocolVersion, ...(typeof theirs === 'number' && { clientVersion: theirs }) } },
  );
}

const brokenPipeCodes = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Whether a message could not be written because nobody is there to read it. */
export function isBrokenPipe(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return brokenPipeCodes.has((cause as { code?: unknown } | undefined)?.code);
}

function connectionClosed(): SandboxError {
  const cause = Object.assign(new Error('The connection is closed.'), { code: 'ERR_STREAM_DESTROYED' });
  return new SandboxError('protocol_error', cause.message, { cause });
}

/** What is no `SandboxError` is a fault of ours: its message may hold paths, its stack does. */
function toWire(error: unknown): Failure {
  const { code, message, details } =
    error instanceof SandboxError
      ? error
      : new SandboxError('protocol_error', `Unexpected: ${oneLine(withoutPaths(messageOf(error)))}`);
  return { code: errorNumbers[code], message: cut(message), data: { code, details: cutDetails(details) } };
}

function cut(text: string): string {
  return text.length <= maxErrorText ? text : `${text.slice(0, maxErrorText - 1)}…`;
}

/** A script chooses some of these texts, and their length. */
function cutDetails<T>(value: T): T {
  if (typeof value === 'string') return cut(value) as T;
  if (Array.isArray(value)) return value.slice(0, maxProblems).map(cutDetails) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDetails(item)])) as T;
}

function codeOfPlainError(number: number): ErrorCode {
  const code = codeOfNumber(number);
  return isWireCode(code) ? code : 'protocol_error';
}

/** @throws {SandboxError} `protocol_error` for an error out of shape */
function fromWire({ code: number, message, data }: Failure): SandboxError {
  // A plain JSON-RPC error, such as that of a general-purpose library.
  if (data === undefined) return new SandboxError(codeOfPlainError(number), cut(message));
  const { code, details } = parse(errorDataSchema, data, 'Error of an answer', 'protocol_error');
  if (errorNumbers[code] !== number || message.length > maxErrorText) {
    throw new SandboxError('protocol_error', 'Error of an answer: its number or the length of its message is wrong');
  }
  return new SandboxError(code, message, { details: details ?? {} });
}
