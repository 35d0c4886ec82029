import type { Readable, Writable } from 'node:stream';
import {
  CancellationTokenSource,
  ConnectionError,
  createMessageConnection,
  ResponseError,
  type CancellationToken,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import {
  codeOfNumber,
  errorNumbers,
  isWireCode,
  messageOf,
  SandboxError,
  toSandboxError,
  type ErrorCode,
} from './errors.ts';
import { CappedMessageReader, CappedMessageWriter } from './framing.ts';
import { Ledger } from './ledger.ts';
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
  request<M extends RequestMethod>(method: M, params: ParamsIn<M>, signal?: AbortSignal): Promise<Result<M>>;
  notify<M extends NotificationMethod>(method: M, params: Notice<M>): void;
  onRequest<M extends RequestMethod>(
    method: M,
    handler: (params: Params<M>, signal: AbortSignal) => Promise<Result<M>> | Result<M>,
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
  const ledger = new Ledger();
  const reader = new CappedMessageReader(input, maxBytes, ledger);
  const writer = new CappedMessageWriter(output, maxBytes, ledger);
  const rpc = createMessageConnection(reader, writer, undefined, {
    messageStrategy: {
      handleMessage(message, next) {
        reader.handled();
        return next(message);
      },
    },
  });
  return new TypedConnection(rpc);
}

class TypedConnection implements Connection {
  readonly #rpc: MessageConnection;
  #violated: (error: SandboxError) => void = () => {};
  #refused: (error: SandboxError) => void = () => {};

  constructor(rpc: MessageConnection) {
    this.#rpc = rpc;
    rpc.onError(([error]) => this.#violated(toSandboxError(error)));
    rpc.onUnhandledNotification(({ method }) => {
      this.#violated(new SandboxError('protocol_error', `Unknown notification ${quote(method)}.`));
    });
    rpc.onRequest((method) => this.#refuse(new SandboxError('protocol_error', `Unknown method ${quote(method)}.`)));
  }

  async request<M extends RequestMethod>(method: M, params: ParamsIn<M>, signal?: AbortSignal): Promise<Result<M>> {
    const cancellation = signal === undefined ? undefined : linkSignal(signal);
    let answer: unknown;
    try {
      // An explicit `undefined` would be sent as a second positional parameter.
      answer = await (cancellation === undefined
        ? this.#rpc.sendRequest(method, params)
        : this.#rpc.sendRequest(method, params, cancellation.token));
    } catch (error) {
      throw error instanceof ResponseError ? this.#judged(() => fromWire(error)) : toSandboxError(error);
    } finally {
      cancellation?.dispose();
    }
    return this.#judged(
      () => parse(requests[method].result, answer, `Answer to ${method}`, 'protocol_error') as Result<M>,
    );
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

  #refuse(error: SandboxError): ResponseError<unknown> {
    this.#refused(error);
    return toWire(error);
  }

  notify<M extends NotificationMethod>(method: M, params: Notice<M>): void {
    // Fails only when the stream is gone, which `onClose` and `onViolation` tell as well.
    this.#rpc.sendNotification(method, params).catch(() => {});
  }

  onRequest<M extends RequestMethod>(
    method: M,
    handler: (params: Params<M>, signal: AbortSignal) => Promise<Result<M>> | Result<M>,
  ): void {
    // Without params the library passes the token alone.
    this.#rpc.onRequest(method, async (...args: [CancellationToken] | [unknown, CancellationToken]) => {
      const [params, token] = args.length === 1 ? [{}, args[0]] : args;
      let checked: Params<M>;
      try {
        // Before the strict check: another version may well have other fields.
        if (method === 'initialize') assertSameVersion(params);
        checked = parse(requests[method].params, params, method) as Params<M>;
      } catch (error) {
        return this.#refuse(toSandboxError(error));
      }
      const { signal, dispose } = signalOf(token);
      try {
        return await handler(checked, signal);
      } catch (error) {
        return toWire(error);
      } finally {
        dispose();
      }
    });
  }

  onNotification<M extends NotificationMethod>(method: M, handler: (params: Notice<M>) => void): void {
    this.#rpc.onNotification(method, (params: unknown) => {
      try {
        handler(parse(notifications[method], params ?? {}, method, 'protocol_error') as Notice<M>);
      } catch (error) {
        this.#violated(toSandboxError(error));
      }
    });
  }

  onClose(handler: () => void): void {
    this.#rpc.onClose(handler);
  }

  onViolation(handler: (error: SandboxError) => void): void {
    this.#violated = handler;
  }

  onRefusal(handler: (error: SandboxError) => void): void {
    this.#refused = handler;
  }

  listen(): void {
    this.#rpc.listen();
  }

  dispose(): void {
    this.#rpc.dispose();
  }
}

function assertSameVersion(params: unknown): void {
  const { protocolVersion: theirs } = (params ?? {}) as { protocolVersion?: unknown };
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
  return cause instanceof ConnectionError || brokenPipeCodes.has((cause as { code?: unknown } | undefined)?.code);
}

/** `AbortSignal` → `$/cancelRequest`. */
function linkSignal(signal: AbortSignal): { token: CancellationToken; dispose: () => void } {
  const source = new CancellationTokenSource();
  const cancel = (): void => source.cancel();
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return {
    token: source.token,
    dispose() {
      signal.removeEventListener('abort', cancel);
      source.dispose();
    },
  };
}

/** `$/cancelRequest` → `AbortSignal`. */
function signalOf(token: CancellationToken): { signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController();
  const subscription = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  return { signal: controller.signal, dispose: () => subscription.dispose() };
}

/** What is no `SandboxError` is a fault of ours: its message may hold paths, its stack does. */
function toWire(error: unknown): ResponseError<unknown> {
  const { code, message, details } =
    error instanceof SandboxError
      ? error
      : new SandboxError('protocol_error', `Unexpected: ${oneLine(withoutPaths(messageOf(error)))}`);
  return new ResponseError(errorNumbers[code], cut(message), { code, details: cutDetails(details) });
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
function fromWire({ code: number, message, data }: ResponseError<unknown>): SandboxError {
  // A plain JSON-RPC error, such as the library's own for what it refuses.
  if (data === undefined) return new SandboxError(codeOfPlainError(number), cut(message));
  const { code, details } = parse(errorDataSchema, data, 'Error of an answer', 'protocol_error');
  if (errorNumbers[code] !== number || message.length > maxErrorText) {
    throw new SandboxError('protocol_error', 'Error of an answer: its number or the length of its message is wrong');
  }
  return new SandboxError(code, message, { details: details ?? {} });
}
