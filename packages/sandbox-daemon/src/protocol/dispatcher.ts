import { Cancellation, type CancelSignal } from './cancel-signal.ts';
import { cancelMethod, malformed, readEnvelope, type Envelope } from './envelope.ts';
import { SandboxError, toSandboxError } from './errors.ts';
import type { CappedMessageReader, CappedMessageWriter, Message } from './framing.ts';
import { quote } from './text.ts';
import { toWire } from './wire-errors.ts';

type Request = Extract<Envelope, { kind: 'request' }>;
type Notification = Extract<Envelope, { kind: 'notification' }>;
export type Answer = Extract<Envelope, { kind: 'answer' | 'failure' }>;

/** Whom a dispatcher tells. */
export interface Handlers {
  /** The result of a request of the peer's. @throws {SandboxError} what it is answered with instead */
  request(method: string, params: object, signal: CancelSignal): Promise<unknown>;
  /** @throws {SandboxError} a violation */
  notification(method: string, params: object): void;
  /** The peer broke the rules, or a stream failed. */
  violation(error: SandboxError): void;
  /** One of the streams ended. */
  close(): void;
}

/** A request of ours that waits for its answer. */
interface Pending {
  resolve(answer: Answer): void;
  reject(error: SandboxError): void;
}

/**
 * JSON-RPC 2.0 both ways: knows which requests are open. No id twice at a time, no answer that nobody waits for.
 *
 * A message that arrives alone is handled at once. Of several, one a turn of the event loop, because what it sets off
 * takes some microtasks; only a notification is over at once. What a handler makes of it is not: who ends something must
 * be ready for the message after. A cancellation overtakes the request that it came with, which then never begins.
 */
export class Dispatcher {
  readonly #reader: CappedMessageReader;
  readonly #writer: CappedMessageWriter;
  readonly #handlers: Handlers;
  #closed = false;
  #nextId = 0;
  /** Our requests that are open. */
  readonly #asked = new Map<unknown, Pending>();
  /** The peer's, by id as text, so that `1` and `"1"` are one. */
  readonly #owed = new Map<string, Cancellation>();
  /** Of the peer's, since the start. It may cancel one that has just been answered, and each only once. */
  #requests = 0;
  #cancellations = 0;
  /** Arrived and not yet handled. */
  readonly #queue: (Request | Notification | Answer)[] = [];
  #scheduled = false;

  constructor(reader: CappedMessageReader, writer: CappedMessageWriter, handlers: Handlers) {
    this.#reader = reader;
    this.#writer = writer;
    this.#handlers = handlers;
  }

  listen(): void {
    const events = {
      error: (error: unknown): void => this.#failed(toSandboxError(error)),
      close: (): void => this.#close(),
    };
    this.#writer.listen(events);
    this.#reader.listen({ ...events, message: (message) => this.#receive(message) });
  }

  /** @throws {SandboxError} when it cannot be sent, or the connection is disposed before it is answered */
  async ask(method: string, params: object, signal: CancelSignal | undefined): Promise<Answer> {
    if (this.#closed) throw connectionClosed();
    const id = this.#nextId++;
    this.#writer.write({ jsonrpc: '2.0', id, method, params });
    const answer = new Promise<Answer>((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    if (signal === undefined) return await answer;
    const cancel = (): void => this.tell(cancelMethod, { id });
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  tell(method: string, params: object): void {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  dispose(): void {
    this.#closed = true;
    this.#listenNoMore();
    for (const pending of this.#asked.values()) pending.reject(connectionClosed());
    this.#asked.clear();
  }

  /** Of a peer that broke the rules nothing more is taken; a pipe that broke may still hold its last words. */
  #failed(error: SandboxError): void {
    if (!isBrokenPipe(error)) this.#listenNoMore();
    this.#handlers.violation(error);
  }

  #listenNoMore(): void {
    this.#reader.dispose();
    this.#queue.length = 0;
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#handlers.close();
  }

  /** Nobody waits for it, and of a peer that does not read the writer tells. */
  #send(message: object): void {
    try {
      this.#writer.write(message);
    } catch {
      // Too large, which no message of this kind is, or told.
    }
  }

  /** @throws {SandboxError} `protocol_error` */
  #receive(message: Message): void {
    const envelope = readEnvelope(message);
    if (envelope.kind === 'cancellation') {
      if (++this.#cancellations > this.#requests) throw malformed('cancels more requests than were made');
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
    this.#requests++;
  }

  #handleNext(): void {
    let envelope: Request | Notification | Answer | undefined;
    do {
      envelope = this.#queue.shift();
      if (envelope === undefined) break;
      // It may bring more at once; they are not to schedule another round beside this one.
      this.#reader.handled();
      this.#handle(envelope);
    } while (envelope.kind === 'notification');
    this.#scheduled = this.#queue.length > 0;
    if (this.#scheduled) setImmediate(() => this.#handleNext());
  }

  #handle(envelope: Request | Notification | Answer): void {
    try {
      if (envelope.kind === 'request') void this.#serve(envelope);
      else if (envelope.kind === 'notification') this.#handlers.notification(envelope.method, envelope.params);
      else this.#answered(envelope);
    } catch (error) {
      this.#failed(toSandboxError(error));
    }
  }

  async #serve({ id, method, params }: Request): Promise<void> {
    const key = String(id);
    const signal = this.#owed.get(key) as Cancellation;
    try {
      const result = await this.#handlers.request(method, params, signal);
      this.#owed.delete(key);
      this.#writer.write({ jsonrpc: '2.0', id, result });
    } catch (error) {
      this.#owed.delete(key);
      this.#send({ jsonrpc: '2.0', id, error: toWire(error) });
    }
  }

  #answered(answer: Answer): void {
    const pending = this.#asked.get(answer.id);
    if (pending === undefined) throw malformed('answers no request that is open');
    this.#asked.delete(answer.id);
    pending.resolve(answer);
  }
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
