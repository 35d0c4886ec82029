import type { RequestMessage, ResponseMessage } from 'vscode-jsonrpc';
import type { CancelSignal } from './cancel-signal.ts';
import { toWire } from './wire-errors.ts';

/** Returns the result of a request, or a promise of it. @throws the error that the peer gets instead */
type Handler = (params: object, signal: CancelSignal) => unknown;
type Id = RequestMessage['id'];

/**
 * Answers the requests of the peer. The library would make seven promises for each, even where a handler answers at once.
 * That is a tenth of the time that a call of a host function takes the host on Node 20, where every promise costs more
 * as soon as anything in the process uses `AsyncLocalStorage`.
 */
export class RequestHandlers {
  readonly #send: (answer: ResponseMessage) => void;
  readonly #handlers = new Map<string, Handler>();
  readonly #handleOther: (method: string) => unknown;

  /**
   * @param send throws for a message over the cap
   * @param handleOther for a method without a handler
   */
  constructor(send: (answer: ResponseMessage) => void, handleOther: (method: string) => unknown) {
    this.#send = send;
    this.#handleOther = handleOther;
  }

  set(method: string, handler: Handler): void {
    this.#handlers.set(method, handler);
  }

  /** Writes the answer before it returns, unless the handler gives a promise. */
  answer({ id, method, params }: RequestMessage, signal: CancelSignal): void {
    try {
      const handler = this.#handlers.get(method);
      const result = handler === undefined ? this.#handleOther(method) : handler(params as object, signal);
      if (!(result instanceof Promise)) return this.#succeed(id, result);
      result.then(
        (value: unknown) => this.#succeed(id, value),
        (error: unknown) => this.#fail(id, error),
      );
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #succeed(id: Id, result: unknown): void {
    try {
      this.#send({ jsonrpc: '2.0', id, result } as ResponseMessage);
    } catch (error) {
      // It is over the cap, which no error is.
      this.#fail(id, error);
    }
  }

  #fail(id: Id, error: unknown): void {
    this.#send({ jsonrpc: '2.0', id, error: toWire(error) });
  }
}
