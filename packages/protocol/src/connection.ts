import {
  createMessageConnection,
  ResponseError,
  type Message,
  type MessageConnection,
  type RequestMessage,
} from 'vscode-jsonrpc';
import { isBrokenPipe } from './broken-pipe.ts';
import type { CancelSignal } from './cancel-signal.ts';
import { cancellationStrategy, tokenOf } from './cancellation-strategy.ts';
import { unknownNotification } from './envelope.ts';
import { SandboxError, toSandboxError } from './errors.ts';
import type { ByteSink, ByteSource, MessageBounds } from './framing.ts';
import { installRuntime } from './library-runtime.ts';
import { maxFrameBytes } from './limits.ts';
import { protocolVersion } from './methods.ts';
import {
  sidecarProtocol,
  type NoticeOf,
  type NotificationOf,
  type ParamsInOf,
  type ParamsOf,
  type Protocol,
  type RequestOf,
  type ResultOf,
  type SidecarProtocol,
} from './protocol.ts';
import { CheckedMessageReader } from './message-reader.ts';
import { CheckedMessageWriter } from './message-writer.ts';
import { OpenRequests, type PeerRequest } from './open-requests.ts';
import { quote } from './text.ts';
import { parse } from './validation.ts';
import { connectionClosed, fromWire, toResponseError } from './wire-errors.ts';

/**
 * One end of the wire: typed requests and notifications. Params and results that arrive are checked.
 *
 * A malformed frame or message, an unknown notification, or an answer that does not match its schema goes to
 * `onViolation` as a `protocol_error`; the owner should then end the peer. A request that does not match its schema is
 * answered with an error, and that error goes to `onRefusal`.
 */
export interface Connection<P extends Protocol = SidecarProtocol> {
  /** @throws {SandboxError} the error that the peer answered, or `protocol_error` for an answer that breaks its schema */
  request<M extends RequestOf<P>>(method: M, params: ParamsInOf<P, M>, signal?: CancelSignal): Promise<ResultOf<P, M>>;
  notify<M extends NotificationOf<P>>(method: M, params: NoticeOf<P, M>): void;
  /**
   * Sends a request and returns its id. It is for a caller that blocks the event loop, and gets the answer by
   * `answerTo`.
   *
   * @throws {SandboxError} `invalid_request` for a request that is too large
   */
  ask<M extends RequestOf<P>>(method: M, params: ParamsInOf<P, M>): string;
  /**
   * The first answer to one of these requests, or `undefined` when none has arrived. It reads nothing from the stream.
   *
   * @throws {SandboxError} the error that the peer answered, or `protocol_error` for an answer that breaks its schema
   */
  answerTo<M extends RequestOf<P>>(
    method: M,
    ids: ReadonlySet<string>,
  ): { id: string; result: ResultOf<P, M> } | undefined;
  onRequest<M extends RequestOf<P>>(
    method: M,
    handler: (params: ParamsOf<P, M>, signal: CancelSignal) => Promise<ResultOf<P, M>> | ResultOf<P, M>,
  ): void;
  onNotification<M extends NotificationOf<P>>(method: M, handler: (params: NoticeOf<P, M>) => void): void;
  /** The peer's stream ended. Requests that are still pending settle only on `dispose`. */
  onClose(handler: () => void): void;
  onViolation(handler: (error: SandboxError) => void): void;
  /** A request with an unknown method or invalid params was answered with this error. */
  onRefusal(handler: (error: SandboxError) => void): void;
  /** `bounds` is called before each message, and gives the most that this message may hold. */
  boundMessages(bounds: () => MessageBounds): void;
  /** How many bytes the peer has sent that do not make a whole message yet. */
  readonly pendingBytes: number;
  listen(): void;
  /** Rejects every pending request. */
  dispose(): void;
}

/**
 * A connection over two streams. `listen` starts it, `dispose` ends it.
 *
 * @param maxBytes the largest frame, both ways
 */
export function createConnection(input: ByteSource, output: ByteSink, maxBytes = maxFrameBytes): Connection {
  return createConnectionOf(sidecarProtocol, input, output, maxBytes);
}

/** A connection with other methods than those of a sidecar. */
export function createConnectionOf<P extends Protocol>(
  protocol: P,
  input: ByteSource,
  output: ByteSink,
  maxBytes: number,
): Connection<P> {
  installRuntime();
  return new TypedConnection(protocol, input, output, maxBytes);
}

class TypedConnection<P extends Protocol> implements Connection<P> {
  readonly #protocol: P;
  readonly #reader: CheckedMessageReader;
  readonly #writer: CheckedMessageWriter;
  readonly #rpc: MessageConnection;
  #asked = 0;
  /** Nothing can be sent any more. */
  #ended = false;
  #disposed = false;
  #violated: (error: SandboxError) => void = () => {};
  #refused: (error: SandboxError) => void = () => {};
  #closed: () => void = () => {};

  constructor(protocol: P, input: ByteSource, output: ByteSink, maxBytes: number) {
    this.#protocol = protocol;
    const open = new OpenRequests();
    this.#reader = new CheckedMessageReader(input, maxBytes, open);
    this.#writer = new CheckedMessageWriter(output, maxBytes, open);
    this.#rpc = createMessageConnection(this.#reader, this.#writer, undefined, {
      cancellationStrategy: cancellationStrategy(open),
      // `Infinity` makes the library handle each answer at once, so that our reader is the only queue.
      maxParallelism: Infinity,
      messageStrategy: { handleMessage },
    });
    this.#rpc.onError(([error]) => this.#failed(error));
    this.#rpc.onClose(() => this.#close());
    this.#rpc.onRequest((method) => this.#answer(() => this.#unknownMethod(method)));
    this.#rpc.onNotification((method) => this.#failed(unknownNotification(method)));
  }

  async request<M extends RequestOf<P>>(
    method: M,
    params: ParamsInOf<P, M>,
    signal?: CancelSignal,
  ): Promise<ResultOf<P, M>> {
    if (this.#ended) throw connectionClosed();
    let result: unknown;
    try {
      result = await (signal === undefined
        ? this.#rpc.sendRequest(method, params)
        : this.#rpc.sendRequest(method, params, tokenOf(signal)));
    } catch (error) {
      if (this.#disposed || !(error instanceof ResponseError)) throw connectionClosed();
      throw this.#judged(() => fromWire(error as ResponseError<unknown>, this.#protocol.errorData));
    }
    const { result: schema } = this.#protocol.requests[method] as Protocol['requests'][string];
    return this.#judged(() => parse(schema, result, `Answer to ${method}`, 'protocol_error') as ResultOf<P, M>);
  }

  ask<M extends RequestOf<P>>(method: M, params: ParamsInOf<P, M>): string {
    if (this.#ended) throw connectionClosed();
    // The library uses ascending numbers as ids, so these ids are texts.
    const id = `ask-${++this.#asked}`;
    this.#writer.writeNow({ jsonrpc: '2.0', id, method, params } as RequestMessage);
    return id;
  }

  answerTo<M extends RequestOf<P>>(
    method: M,
    ids: ReadonlySet<string>,
  ): { id: string; result: ResultOf<P, M> } | undefined {
    const answer = this.#reader.takeAnswer(ids);
    if (answer === undefined) return undefined;
    const { id, error, result } = answer;
    if (error !== undefined) throw this.#judged(() => fromWire(error, this.#protocol.errorData));
    return this.#judged(() => {
      const { result: schema } = this.#protocol.requests[method] as Protocol['requests'][string];
      return {
        id: String(id),
        result: parse(schema, result, `Answer to ${method}`, 'protocol_error') as ResultOf<P, M>,
      };
    });
  }

  notify<M extends NotificationOf<P>>(method: M, params: NoticeOf<P, M>): void {
    if (this.#ended) return;
    // No caller awaits this, and no notification exceeds the cap. The writer reports a stalled peer.
    this.#rpc.sendNotification(method, params).catch(() => {});
  }

  onRequest<M extends RequestOf<P>>(
    method: M,
    handler: (params: ParamsOf<P, M>, signal: CancelSignal) => Promise<ResultOf<P, M>> | ResultOf<P, M>,
  ): void {
    this.#rpc.onRequest(method, (params: object, token) =>
      this.#answer(() => handler(this.#checkParams(method, params), token as PeerRequest)),
    );
  }

  onNotification<M extends NotificationOf<P>>(method: M, handler: (params: NoticeOf<P, M>) => void): void {
    this.#rpc.onNotification(method, (params: object) => {
      try {
        const schema = this.#protocol.notifications[method] as Protocol['notifications'][string];
        handler(parse(schema, params, method, 'protocol_error') as NoticeOf<P, M>);
      } catch (error) {
        this.#failed(error);
      }
    });
  }

  onClose(handler: () => void): void {
    this.#closed = handler;
  }

  onViolation(handler: (error: SandboxError) => void): void {
    this.#violated = handler;
  }

  onRefusal(handler: (error: SandboxError) => void): void {
    this.#refused = handler;
  }

  boundMessages(bounds: () => MessageBounds): void {
    this.#reader.boundMessages(bounds);
  }

  get pendingBytes(): number {
    return this.#reader.pendingBytes;
  }

  listen(): void {
    this.#rpc.listen();
  }

  dispose(): void {
    this.#ended = true;
    this.#disposed = true;
    this.#rpc.dispose();
  }

  /** The answer to a request of the peer: the result of `handle`, or the error that it threw. */
  #answer(handle: () => unknown): unknown {
    try {
      const result = handle();
      return result instanceof Promise ? result.catch(toResponseError) : result;
    } catch (error) {
      return toResponseError(error);
    }
  }

  #checkParams<M extends RequestOf<P>>(method: M, params: object): ParamsOf<P, M> {
    try {
      // The version is checked before the strict schema, because the params of another version may have other fields.
      if (method === 'initialize') assertSameVersion(params);
      const { params: schema } = this.#protocol.requests[method] as Protocol['requests'][string];
      return parse(schema, params, method) as ParamsOf<P, M>;
    } catch (error) {
      this.#refused(toSandboxError(error));
      throw error;
    }
  }

  #unknownMethod(method: string): never {
    const error = new SandboxError('protocol_error', `Unknown method ${quote(method)}.`);
    this.#refused(error);
    throw error;
  }

  /** Returns the result of `check`, which checks an answer. If it throws, the peer has broken the protocol. */
  #judged<T>(check: () => T): T {
    try {
      return check();
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /**
   * Stops reading from a peer that broke the protocol. After a broken pipe it reads on, because the pipe may still hold
   * what the peer wrote last.
   */
  #failed(cause: unknown): void {
    const error = toSandboxError(cause);
    if (!isBrokenPipe(error)) this.#reader.stop();
    this.#violated(error);
  }

  #close(): void {
    this.#ended = true;
    this.#closed();
  }
}

/**
 * Returns `undefined`, never a promise. For a promise the library would add three more to each message, to count how
 * many are under way, and only `maxParallelism` needs that count.
 */
function handleMessage(message: Message, next: (message: Message) => unknown): void {
  void next(message);
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
