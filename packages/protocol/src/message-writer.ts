import { AbstractMessageWriter, type Message, type MessageWriter, type RequestMessage } from 'vscode-jsonrpc';
import { SandboxError } from './errors.ts';
import { CappedMessageWriter, type ByteSink } from './framing.ts';
import type { OpenRequests } from './open-requests.ts';
import { toResponseError } from './wire-errors.ts';

const written = Promise.resolve();

/** What vscode-jsonrpc writes to. */
export class CheckedMessageWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #frames: CappedMessageWriter;
  readonly #open: OpenRequests;

  constructor(output: ByteSink, maxBytes: number, open: OpenRequests) {
    super();
    this.#frames = new CappedMessageWriter(output, maxBytes);
    this.#open = open;
    this.#frames.listen({ error: (error) => this.fireError(error), close: () => this.fireClose() });
  }

  /** Rejects for a message over the cap. If that message was an answer, the library answers with this error instead. */
  write(message: Message): Promise<void> {
    const { id, method } = message as Partial<RequestMessage>;
    if (method === undefined) this.#open.answered(id);
    try {
      this.writeNow(message);
    } catch (error) {
      // The peer does not read, which `#frames` has reported.
      if (error instanceof SandboxError && error.code === 'protocol_error') return written;
      return Promise.reject(toResponseError(error));
    }
    return written;
  }

  /** @throws {SandboxError} as `CappedMessageWriter.write` */
  writeNow(message: Message): void {
    this.#frames.write(message);
    const { id, method } = message as Partial<RequestMessage>;
    if (method !== undefined && id !== undefined) this.#open.asked(id);
  }

  /** The owner of the stream ends it. */
  end(): void {}
}
