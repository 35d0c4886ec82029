import type { Readable, Writable } from 'node:stream';
import type { CancelSignal } from './cancel-signal.ts';
import { Dispatcher } from './dispatcher.ts';
import { SandboxError, toSandboxError } from './errors.ts';
import { CappedMessageReader, CappedMessageWriter, type MessageBounds } from './framing.ts';
import { maxFrameBytes } from './limits.ts';
import {
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
import { quote } from './text.ts';
import { parse } from './validation.ts';
import { fromWire } from './wire-errors.ts';

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
  /** What the next message may be; asked for each. */
  boundMessages(bounds: () => MessageBounds): void;
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

class TypedConnection implements Connection {
  readonly #dispatcher: Dispatcher;
  readonly #reader: CappedMessageReader;
  readonly #requestHandlers = new Map<string, (params: object, signal: CancelSignal) => unknown>();
  readonly #notificationHandlers = new Map<string, (params: object) => void>();
  #violated: (error: SandboxError) => void = () => {};
  #refused: (error: SandboxError) => void = () => {};
  #onClose: () => void = () => {};

  constructor(reader: CappedMessageReader, writer: CappedMessageWriter) {
    this.#reader = reader;
    this.#dispatcher = new Dispatcher(reader, writer, {
      request: async (method, params, signal) =>
        await (this.#requestHandlers.get(method) ?? this.#unknownMethod(method))(params, signal),
      notification: (method, params) => this.#notified(method, params),
      violation: (error) => this.#violated(error),
      close: () => this.#onClose(),
    });
  }

  async request<M extends RequestMethod>(method: M, params: ParamsIn<M>, signal?: CancelSignal): Promise<Result<M>> {
    const answer = await this.#dispatcher.ask(method, params, signal);
    if (answer.kind === 'failure') throw this.#judged(() => fromWire(answer.error));
    return this.#judged(
      () => parse(requests[method].result, answer.result, `Answer to ${method}`, 'protocol_error') as Result<M>,
    );
  }

  notify<M extends NotificationMethod>(method: M, params: Notice<M>): void {
    this.#dispatcher.tell(method, params);
  }

  onRequest<M extends RequestMethod>(
    method: M,
    handler: (params: Params<M>, signal: CancelSignal) => Promise<Result<M>> | Result<M>,
  ): void {
    this.#requestHandlers.set(method, (params, signal) => {
      let checked: Params<M>;
      try {
        // Before the strict check: another version may well have other fields.
        if (method === 'initialize') assertSameVersion(params);
        checked = parse(requests[method].params, params, method) as Params<M>;
      } catch (error) {
        this.#refused(toSandboxError(error));
        throw error;
      }
      return handler(checked, signal);
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

  boundMessages(bounds: () => MessageBounds): void {
    this.#reader.bounds = bounds;
  }

  listen(): void {
    this.#dispatcher.listen();
  }

  dispose(): void {
    this.#dispatcher.dispose();
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

  #unknownMethod(method: string): never {
    const error = new SandboxError('protocol_error', `Unknown method ${quote(method)}.`);
    this.#refused(error);
    throw error;
  }

  #notified(method: string, params: object): void {
    const handler = this.#notificationHandlers.get(method);
    if (handler === undefined) throw new SandboxError('protocol_error', `Unknown notification ${quote(method)}.`);
    handler(params);
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
