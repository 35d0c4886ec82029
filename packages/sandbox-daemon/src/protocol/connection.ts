import type { Readable, Writable } from 'node:stream';
import {
  CancellationTokenSource,
  ConnectionError,
  createMessageConnection,
  ResponseError,
  type CancellationToken,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import * as z from 'zod/mini';
import { codeOfNumber, errorNumbers, isErrorCode, SandboxError, toSandboxError, type ErrorDetails } from './errors.ts';
import { CappedMessageReader, CappedMessageWriter } from './framing.ts';
import { maxFrameBytes } from './limits.ts';
import {
  errorDataSchema,
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
import { parse } from './validation.ts';

/**
 * One end of the wire: typed requests and notifications whose params and results are checked on
 * arrival. A message that fails its check, a malformed frame or an unknown notification reaches
 * `onViolation` as a `protocol_error`; the owner is expected to end the peer.
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
  const reader = new CappedMessageReader(input, maxBytes);
  const writer = new CappedMessageWriter(output, maxBytes);
  const rpc = createMessageConnection(reader, writer);
  return new TypedConnection(rpc);
}

class TypedConnection implements Connection {
  readonly #rpc: MessageConnection;
  #violated: (error: SandboxError) => void = () => {};

  constructor(rpc: MessageConnection) {
    this.#rpc = rpc;
    rpc.onError(([error]) => this.#violated(toSandboxError(error)));
    rpc.onUnhandledNotification(({ method }) => {
      this.#violated(
        new SandboxError('protocol_error', `Unknown notification ${JSON.stringify(method.slice(0, 80))}.`),
      );
    });
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
      throw fromWire(error);
    } finally {
      cancellation?.dispose();
    }
    try {
      return parse(requests[method].result, answer, `Answer to ${method}`, 'protocol_error') as Result<M>;
    } catch (error) {
      this.#violated(error as SandboxError);
      throw error;
    }
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
      const { signal, dispose } = signalOf(token);
      try {
        // Before the strict check: another version may well have other fields.
        if (method === 'initialize') assertSameVersion(params);
        return await handler(parse(requests[method].params, params, method) as Params<M>, signal);
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
  throw new SandboxError(
    'protocol_error',
    `The client speaks protocol version ${String(theirs)}, this sidecar version ${protocolVersion}. Install matching versions.`,
    { details: { clientVersion: theirs, serverVersion: protocolVersion } },
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

function toWire(error: unknown): ResponseError<unknown> {
  const { code, message, details } = toSandboxError(error);
  return new ResponseError(errorNumbers[code], message, { code, details });
}

function fromWire(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  if (!(error instanceof ResponseError)) return toSandboxError(error);
  const data = z.safeParse(errorDataSchema, error.data);
  const code = data.success && isErrorCode(data.data.code) ? data.data.code : codeOfNumber(error.code);
  const details: ErrorDetails = (data.success ? data.data.details : undefined) ?? {};
  return new SandboxError(code, error.message, { details });
}
