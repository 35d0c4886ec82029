import type { Readable, Writable } from 'node:stream';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from 'vscode-jsonrpc/node';
import { SandboxError } from './errors.ts';
import { maxHeaderBytes } from './limits.ts';

const headerEnd = '\r\n\r\n';

/**
 * LSP base framing, with a cap. The library's own reader buffers without bound toward whatever
 * `Content-Length` claims; this one refuses the frame when it reads the header, and refuses
 * bytes that are no header as soon as they cannot become one.
 *
 * After the first violation it emits one `protocol_error` through `onError` and reads no more.
 */
export class CappedMessageReader extends AbstractMessageReader {
  readonly #input: Readable;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #buffered = 0;
  /** Length of the body that is being waited for; `undefined` while reading a header. */
  #bodyBytes: number | undefined;

  constructor(input: Readable, maxBytes: number) {
    super();
    this.#input = input;
    this.#maxBytes = maxBytes;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer): void => {
      this.#chunks.push(chunk);
      this.#buffered += chunk.length;
      try {
        this.#drain(callback);
      } catch (error) {
        stop();
        this.fireError(error);
      }
    };
    const onClose = (): void => this.fireClose();
    const onError = (error: Error): void => this.fireError(error);
    const stop = (): void => {
      this.#input.off('data', onData).off('end', onClose).off('close', onClose);
    };
    this.#input.on('data', onData).on('end', onClose).on('close', onClose).on('error', onError);
    return { dispose: stop };
  }

  #drain(callback: DataCallback): void {
    for (;;) {
      this.#bodyBytes ??= this.#readHeader();
      if (this.#bodyBytes === undefined || this.#buffered < this.#bodyBytes) return;
      const body = this.#take(this.#bodyBytes);
      this.#bodyBytes = undefined;
      callback(parseBody(body));
    }
  }

  #readHeader(): number | undefined {
    if (this.#buffered === 0) return undefined;
    const buffer = this.#join();
    const end = buffer.subarray(0, maxHeaderBytes + headerEnd.length).indexOf(headerEnd);
    const head = buffer.toString('latin1', 0, end === -1 ? Math.min(buffer.length, maxHeaderBytes) : end);
    if (end === -1) {
      if (buffer.length > maxHeaderBytes || !headerSoFar.test(head)) throw notAFrame(head);
      return undefined;
    }
    const length = /^content-length: *(\d{1,15})$/im.exec(head)?.[1];
    if (length === undefined || !headerSoFar.test(`${head}\r\n`)) throw notAFrame(head);
    if (Number(length) > this.#maxBytes) {
      throw new SandboxError('protocol_error', `A message of ${length} bytes exceeds the cap of ${this.#maxBytes}.`);
    }
    this.#take(end + headerEnd.length);
    return Number(length);
  }

  #take(bytes: number): Buffer {
    const buffer = this.#join();
    const rest = buffer.length - bytes;
    this.#chunks = rest === 0 ? [] : [buffer.subarray(bytes)];
    this.#buffered = rest;
    return buffer.subarray(0, bytes);
  }

  /** Called once a frame is complete (or for a header), so a large body is copied once, not once a chunk. */
  #join(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }
}

/** Writes each message as one frame. A frame over the cap is refused before a byte of it is written. */
export class CappedMessageWriter extends AbstractMessageWriter {
  readonly #output: Writable;
  readonly #maxBytes: number;

  constructor(output: Writable, maxBytes: number) {
    super();
    this.#output = output;
    this.#maxBytes = maxBytes;
    output.on('error', (error) => this.fireError(error));
    output.on('close', () => this.fireClose());
  }

  // The interface wants a promise; writing itself never waits, the caps and one run at a time bound the buffer.
  async write(message: Message): Promise<void> {
    const body = JSON.stringify(message);
    const bytes = Buffer.byteLength(body);
    if (bytes > this.#maxBytes) {
      throw new SandboxError('invalid_request', `A message of ${bytes} bytes exceeds the cap of ${this.#maxBytes}.`);
    }
    // A reply to a peer that is gone: its end has been told through `onClose` already.
    if (!this.#output.writable) return;
    this.#output.write(`Content-Length: ${bytes}${headerEnd}${body}`);
  }

  end(): void {
    this.#output.end();
  }
}

/** Whole header lines, and the beginning of one more or of the empty line after them. */
const headerSoFar = /^(?:[\w-]+: *[^\r\n]*\r\n)*(?:[\w-]+(?:: *[^\r\n]*\r?)?|\r)?$/;

function parseBody(body: Buffer): Message {
  try {
    const message: unknown = JSON.parse(body.toString());
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message as Message;
  } catch {
    // Told the same way as JSON of the wrong kind.
  }
  throw new SandboxError(
    'protocol_error',
    `A message is not a JSON object: ${preview(body.toString('latin1', 0, 80))}`,
  );
}

function notAFrame(head: string): SandboxError {
  return new SandboxError(
    'protocol_error',
    `Expected a "Content-Length: <bytes>" header and a JSON-RPC message, got: ${preview(head)}`,
  );
}

/** The start of foreign bytes, safe to print. */
function preview(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
