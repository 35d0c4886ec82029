import { AbstractMessageReader, type DataCallback, type Disposable, type ResponseMessage } from 'vscode-jsonrpc';
import { readEnvelope, type Envelope } from './envelope.ts';
import { CappedMessageReader, type ByteSource, type Message, type MessageBounds } from './framing.ts';
import { inMicrotask } from './library-runtime.ts';
import type { OpenRequests } from './open-requests.ts';

type Deliverable = Exclude<Envelope, { kind: 'cancellation' }>;

/**
 * What vscode-jsonrpc reads from. A message that breaks the protocol never reaches the library, and neither do earlier
 * messages that were not handled by then.
 *
 * A message that arrives alone is handed over at once. When several arrive together, one is handed over in each turn of
 * the event loop, because handling a request takes some microtasks, and its answer must be written before the next
 * message is handled. A cancellation overtakes the request that it arrived with; the request then finds its signal
 * aborted.
 */
export class CheckedMessageReader extends AbstractMessageReader {
  readonly #frames: CappedMessageReader;
  readonly #open: OpenRequests;
  /** Messages that have arrived and are not handed over yet. */
  readonly #inbox: Deliverable[] = [];
  #deliver: DataCallback = () => {};
  #scheduled = false;

  constructor(input: ByteSource, maxBytes: number, open: OpenRequests) {
    super();
    this.#frames = new CappedMessageReader(input, maxBytes);
    this.#open = open;
  }

  /** `bounds` is called before each message, and gives the most that this message may hold. */
  boundMessages(bounds: () => MessageBounds): void {
    this.#frames.bounds = bounds;
  }

  get pendingBytes(): number {
    return this.#frames.pendingBytes;
  }

  listen(deliver: DataCallback): Disposable {
    this.#deliver = deliver;
    this.#frames.listen({
      message: (message) => this.#receive(message),
      error: (error) => this.fireError(error),
      close: () => this.fireClose(),
    });
    return { dispose: () => this.stop() };
  }

  /** Takes the first answer to one of these requests out of what has arrived and is not handed over yet. */
  takeAnswer(ids: ReadonlySet<string>): ResponseMessage | undefined {
    const at = this.#inbox.findIndex(({ kind, message }) => kind === 'answer' && ids.has(String(message.id)));
    if (at === -1) return undefined;
    const [taken] = this.#inbox.splice(at, 1);
    this.#frames.handled();
    return taken?.message as ResponseMessage;
  }

  /** Hands over nothing more. Messages that have arrived are dropped. */
  stop(): void {
    this.#frames.dispose();
    this.#inbox.length = 0;
  }

  override dispose(): void {
    this.stop();
    super.dispose();
  }

  /** @throws {SandboxError} `protocol_error` */
  #receive(message: Message): void {
    const envelope = readEnvelope(message);
    if (envelope.kind === 'cancellation') {
      this.#open.wasCancelled(envelope.id);
      return this.#frames.handled();
    }
    if (envelope.kind === 'request') this.#open.wasAsked(envelope.message.id, envelope.message.method);
    if (envelope.kind === 'answer') this.#open.wasAnswered(envelope.message.id);
    this.#inbox.push(envelope);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A message is not handed over at once, because the same bytes may hold one that breaks the protocol.
    inMicrotask(this.#handOverNext);
  }

  readonly #handOverNext = (): void => {
    const envelope = this.#inbox.shift();
    if (envelope === undefined) {
      this.#scheduled = false;
      return;
    }
    // This may read more messages at once. They start no second round, because `#scheduled` is still true.
    this.#frames.handled();
    this.#deliver(envelope.message);
    // The library has handled a notification by now.
    if (envelope.kind === 'notification') return inMicrotask(this.#handOverNext);
    this.#scheduled = this.#inbox.length > 0;
    if (this.#scheduled) setImmediate(this.#handOverNext);
  };
}
