import { isUtf8 } from 'node:buffer';
import { SandboxError } from './errors.ts';
import { maxFrameBytes, maxHeaderBytes } from './limits.ts';
import { assertMessageShape } from './message-shape.ts';
import { bytesOfMessage, stringifyMessage } from './raw-json.ts';
import { quote, withoutPaths } from './text.ts';
import { decodeUtf8 } from './utf8.ts';

const headerEnd = '\r\n\r\n';

/**
 * The most messages and bytes that may be handed over and not yet handled. The owner handles one message in each turn
 * of the event loop.
 */
const maxAhead = { messages: 64, bytes: 1024 * 1024 };

const nothing = Buffer.alloc(0);
const unbounded = { bytes: Infinity, items: Infinity };

// oxlint-disable-next-line typescript/no-explicit-any -- a listener of Node takes anything
type Listener = (...args: any[]) => void;

/**
 * The part of `EventEmitter` that streams of Node have. Pages in a browser use these types too, and have no types of
 * Node.
 */
interface Emitter {
  on(event: string, listener: Listener): this;
  once(event: string, listener: Listener): this;
  off(event: string, listener: Listener): this;
}
/** Where bytes come from: a `Readable`, or the part of one that is needed here. */
export type ByteSource = Emitter & { pause(): unknown; resume(): unknown };
/** Where bytes go: a `Writable`, or the part of one that is needed here. */
export type ByteSink = Emitter & {
  readonly writable: boolean;
  readonly writableLength: number;
  write(chunk: Uint8Array): unknown;
  write(chunk: string, encoding: 'latin1' | 'utf8'): unknown;
};

/** The JSON object in a frame. */
export type Message = Record<string, unknown>;

/** The most that the next message may hold. */
export interface MessageBounds {
  bytes: number;
  /** Objects, lists and fields of objects in the message. */
  items: number;
}

/** The callbacks of a reader. */
export interface ReaderEvents {
  message(message: Message): void;
  /** An error of the stream, or a `protocol_error`. Nothing more is read after a `protocol_error`. */
  error(error: unknown): void;
  /** The stream ended. */
  close(): void;
}

/**
 * LSP base framing, with bounds. A frame that is too large is refused as soon as its header is read. Other bytes are
 * refused as soon as they cannot become a header. While the owner is behind, nothing more is read.
 */
export class CappedMessageReader {
  /** Called before each message. Its bounds hold in addition to the cap on frames. */
  bounds: () => MessageBounds = () => unbounded;
  readonly #input: ByteSource;
  readonly #maxBytes: number;
  #events: ReaderEvents | undefined;
  #stop: () => void = () => {};
  /** Bytes that are not parsed yet: part of a header, or whole frames while reading is held. */
  #rest: Buffer = nothing;
  /** The body that is arriving, and how much of it has arrived. */
  #body: Buffer | undefined;
  #filled = 0;
  #ahead = 0;
  #aheadBytes = 0;
  #held = false;
  #disposed = false;

  constructor(input: ByteSource, maxBytes: number) {
    this.#input = input;
    this.#maxBytes = maxBytes;
  }

  listen(events: ReaderEvents): void {
    this.#events = events;
    const onData = (chunk: Buffer): void => {
      this.#append(chunk);
      this.#drain();
    };
    const onClose = (): void => events.close();
    this.#stop = (): void => {
      this.#input.off('data', onData).off('end', onClose).off('close', onClose);
    };
    this.#input
      .on('data', onData)
      .on('end', onClose)
      .on('close', onClose)
      .on('error', (error) => events.error(error));
  }

  /** Bytes that have arrived and were not handed over. Most of them belong to a message that is not complete. */
  get pendingBytes(): number {
    return this.#rest.length + this.#filled * Number(this.#body !== undefined);
  }

  /** Stops reading. */
  dispose(): void {
    this.#stop();
    this.#disposed = true;
  }

  /** The owner calls this once for each message that it was handed. */
  handled(): void {
    if (this.#ahead > 0) this.#ahead--;
    if (this.#ahead > 0) return;
    this.#aheadBytes = 0;
    if (!this.#held || this.#disposed) return;
    this.#held = false;
    this.#drain();
    // `drain` may have set it again.
    if (!(this.#held as boolean)) this.#input.resume();
  }

  #append(chunk: Buffer): void {
    if (this.#body !== undefined) {
      const taken = chunk.copy(this.#body, this.#filled);
      this.#filled += taken;
      if (taken === chunk.length) return;
      chunk = chunk.subarray(taken);
    }
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  #drain(): void {
    try {
      while (!this.#held && !this.#disposed) {
        const body = this.#takeBody();
        if (body === undefined) return;
        this.#deliver(body);
      }
    } catch (error) {
      this.dispose();
      this.#events?.error(error);
    }
  }

  #deliver(body: Buffer): void {
    const message = parseBody(body, this.bounds().items);
    this.#ahead++;
    this.#aheadBytes += body.length;
    if (this.#ahead >= maxAhead.messages || this.#aheadBytes >= maxAhead.bytes) {
      this.#held = true;
      this.#input.pause();
    }
    this.#events?.message(message);
  }

  #takeBody(): Buffer | undefined {
    if (this.#body === undefined) {
      const length = this.#takeHeader();
      if (length === undefined) return undefined;
      if (this.#rest.length >= length) return this.#takeRest(length);
      // A header that lies costs nothing here, because the system gives memory only to pages that are written. And each
      // chunk is copied once, however many chunks there are.
      this.#body = Buffer.allocUnsafe(length);
      this.#filled = this.#rest.copy(this.#body);
      this.#rest = nothing;
    }
    if (this.#filled < this.#body.length) return undefined;
    const body = this.#body;
    this.#body = undefined;
    return body;
  }

  #takeHeader(): number | undefined {
    const buffer = this.#rest;
    if (buffer.length === 0) return undefined;
    const end = buffer.subarray(0, maxHeaderBytes + headerEnd.length).indexOf(headerEnd);
    const head = buffer.toString('latin1', 0, end === -1 ? Math.min(buffer.length, maxHeaderBytes) : end);
    if (end === -1) {
      if (buffer.length > maxHeaderBytes || !headerSoFar.test(head)) throw notAFrame(head);
      return undefined;
    }
    const length = lengthOf(head);
    const most = Math.min(this.#maxBytes, this.bounds().bytes);
    if (length > most) {
      throw new SandboxError('protocol_error', `A message of ${length} bytes exceeds the cap of ${most}.`);
    }
    this.#takeRest(end + headerEnd.length);
    return length;
  }

  #takeRest(bytes: number): Buffer {
    const buffer = this.#rest;
    this.#rest = buffer.length === bytes ? nothing : buffer.subarray(bytes);
    return buffer.subarray(0, bytes);
  }
}

/** The most bytes that may wait for a peer that does not read: two messages of the largest size. */
const maxUnread = 2 * maxFrameBytes;

/** Writes each message as one frame. */
export class CappedMessageWriter {
  readonly #output: ByteSink;
  readonly #maxBytes: number;
  #events: Pick<ReaderEvents, 'error' | 'close'> | undefined;

  constructor(output: ByteSink, maxBytes: number) {
    this.#output = output;
    this.#maxBytes = maxBytes;
  }

  /** Reports errors of the stream, and its end. */
  listen(events: Pick<ReaderEvents, 'error' | 'close'>): void {
    this.#events = events;
    this.#output.on('error', (error) => events.error(error)).on('close', () => events.close());
  }

  /**
   * @throws {SandboxError} `invalid_request` for a frame over the cap, before a byte of it is written; `protocol_error`
   *   for a peer that does not read, which also goes to `error`
   */
  write(message: object): void {
    const body = stringifyMessage(message);
    const bytes = bytesOfMessage(body);
    if (bytes > this.#maxBytes) {
      throw new SandboxError('invalid_request', `A message of ${bytes} bytes exceeds the cap of ${this.#maxBytes}.`);
    }
    // The peer is gone, and the reader has reported that.
    if (!this.#output.writable) return;
    if (this.#output.writableLength > maxUnread) {
      const error = new SandboxError('protocol_error', `The peer has left ${maxUnread} bytes unread.`);
      this.#events?.error(error);
      throw error;
    }
    const header = `Content-Length: ${bytes}${headerEnd}`;
    if (typeof body !== 'string') this.#writeParts([Buffer.from(header, 'latin1'), ...body], bytes);
    else if (bytes >= longBody) this.#output.write(joined(header, body, bytes));
    else this.#output.write(header + body, 'utf8');
  }

  #writeParts(parts: Buffer[], bytes: number): void {
    if (bytes < longBody) this.#output.write(Buffer.concat(parts));
    else for (const part of parts) this.#output.write(part);
  }
}

/**
 * From about this length on it is faster to encode header and body into one buffer than to join two strings first. For
 * a message in parts it is then faster to write the parts one by one than to copy them.
 */
const longBody = 16 * 1024;

function joined(header: string, body: string, bytes: number): Buffer {
  const frame = Buffer.allocUnsafe(header.length + bytes);
  frame.write(header, 'latin1');
  frame.write(body, header.length);
  return frame;
}

/**
 * Bytes that may still become a header: whole lines, followed by the start of a line or of the empty line at the end.
 */
const headerSoFar = /^(?:[\w-]+: *[^\r\n]*\r\n)*(?:[\w-]+(?:: *[^\r\n]*\r?)?|\r)?$/;

/** The only header that has a meaning here. The other one that is allowed gives the encoding, which is always UTF-8. */
const lengthLine = /^content-length: *(\d{1,15})$/i;
const typeLine = /^content-type: *[\w./+-]+(?: *; *charset *= *"?utf-?8"?)? *$/i;

function lengthOf(head: string): number {
  const only = lengthLine.exec(head);
  if (only !== null) return Number(only[1]);
  let length: number | undefined;
  for (const line of head.split('\r\n')) {
    const match = lengthLine.exec(line);
    if (match !== null && length === undefined) length = Number(match[1]);
    else if (!typeLine.test(line)) throw notAFrame(head);
  }
  if (length === undefined) throw notAFrame(head);
  return length;
}

function parseBody(body: Buffer, maxItems: number): Message {
  assertMessageShape(body, maxItems);
  const message = isUtf8(body) ? parseJson(decodeUtf8(body)) : undefined;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    const shown = preview(body.toString('latin1', 0, 80));
    throw new SandboxError('protocol_error', `A message is not a JSON object: ${shown}`);
  }
  return message as Message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notAFrame(head: string): SandboxError {
  return new SandboxError(
    'protocol_error',
    `Expected a "Content-Length: <bytes>" header and a JSON-RPC message, got: ${preview(head)}`,
  );
}

/**
 * The start of bytes that are not a frame, often something that a program printed. It is safe to show, without absolute
 * paths.
 */
function preview(text: string): string {
  return quote(withoutPaths(text.slice(0, 80)));
}
