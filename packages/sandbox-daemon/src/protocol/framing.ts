import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { SandboxError } from './errors.ts';
import { maxFrameBytes, maxHeaderBytes, maxMessageDepth } from './limits.ts';
import { quote, withoutPaths } from './text.ts';

const headerEnd = '\r\n\r\n';

/** Handed over and not yet handled: the owner handles one message a turn. */
const maxAhead = { messages: 64, bytes: 1024 * 1024 };

const nothing = Buffer.alloc(0);
const unbounded = { bytes: Infinity, items: Infinity };

/** The JSON object in a frame. */
export type Message = Record<string, unknown>;

/** What the next message may be. */
export interface MessageBounds {
  bytes: number;
  /** Objects, lists and fields of objects in it. */
  items: number;
}

/** Whom a reader tells. */
export interface ReaderEvents {
  message(message: Message): void;
  /** What the stream said is wrong with it, or a `protocol_error`, after which nothing more is read. */
  error(error: unknown): void;
  /** The stream ended. */
  close(): void;
}

/**
 * LSP base framing, with bounds. A frame that is too large is refused when its header is read, bytes that are no header
 * as soon as they cannot become one; and nothing more is read while the owner is behind.
 */
export class CappedMessageReader {
  /** Asked for each message, beside the cap. */
  bounds: () => MessageBounds = () => unbounded;
  readonly #input: Readable;
  readonly #maxBytes: number;
  #events: ReaderEvents | undefined;
  #stop: () => void = () => {};
  /** What is not taken apart yet: part of a header, or whole frames while held. */
  #rest: Buffer = nothing;
  /** The body that is under way, and how much of it is there. */
  #body: Buffer | undefined;
  #filled = 0;
  #ahead = 0;
  #aheadBytes = 0;
  #held = false;
  #disposed = false;

  constructor(input: Readable, maxBytes: number) {
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

  /** Reads no more. */
  dispose(): void {
    this.#stop();
    this.#disposed = true;
  }

  /** To be called once for each message that was handed over. */
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
      // Memory that nobody has written to costs nothing, and many small chunks cost no more than one.
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

/** Bytes that wait for a peer that does not read: one message of any size, and as much again. */
const maxUnread = 2 * maxFrameBytes;

/** Writes each message as one frame. */
export class CappedMessageWriter {
  readonly #output: Writable;
  readonly #maxBytes: number;
  #events: Pick<ReaderEvents, 'error' | 'close'> | undefined;

  constructor(output: Writable, maxBytes: number) {
    this.#output = output;
    this.#maxBytes = maxBytes;
  }

  /** Tells what goes wrong with the stream, and its end. */
  listen(events: Pick<ReaderEvents, 'error' | 'close'>): void {
    this.#events = events;
    this.#output.on('error', (error) => events.error(error)).on('close', () => events.close());
  }

  /**
   * @throws {SandboxError} `invalid_request` for a frame over the cap, before a byte of it is written; `protocol_error`,
   *   which is also told, for a peer that does not read
   */
  write(message: object): void {
    const body = JSON.stringify(message);
    const bytes = Buffer.byteLength(body);
    if (bytes > this.#maxBytes) {
      throw new SandboxError('invalid_request', `A message of ${bytes} bytes exceeds the cap of ${this.#maxBytes}.`);
    }
    // A reply to a peer that is gone: its end has been told already.
    if (!this.#output.writable) return;
    if (this.#output.writableLength > maxUnread) {
      const error = new SandboxError('protocol_error', `The peer has left ${maxUnread} bytes unread.`);
      this.#events?.error(error);
      throw error;
    }
    this.#output.write(frameOf(body, bytes));
  }
}

/** About from here on, joining two strings and encoding the result takes longer than encoding both into a buffer. */
const longBody = 16 * 1024;

function frameOf(body: string, bytes: number): string | Buffer {
  const header = `Content-Length: ${bytes}${headerEnd}`;
  if (bytes < longBody) return header + body;
  const frame = Buffer.allocUnsafe(header.length + bytes);
  frame.write(header, 'latin1');
  frame.write(body, header.length);
  return frame;
}

/** Whole header lines, and the beginning of one more or of the empty line after them. */
const headerSoFar = /^(?:[\w-]+: *[^\r\n]*\r\n)*(?:[\w-]+(?:: *[^\r\n]*\r?)?|\r)?$/;

/** The two headers there are; the encoding can only be UTF-8. */
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

/** A shorter message can neither nest so deep nor hold so much that it need be looked at first; and most are. */
const shortBody = 2 * maxMessageDepth;

function parseBody(body: Buffer, maxItems: number): Message {
  if (body.length > shortBody) assertShape(body, maxItems);
  const message = isUtf8(body) ? parseJson(body.toString()) : undefined;
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

const [quoteMark, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Looks at the bytes, before they are parsed: V8 parses any depth, and what walks the value afterwards would overflow
 * the stack; and many fields take long to parse, in which the host does nothing else. 10 MB take 6 ms.
 *
 * @throws {SandboxError} `protocol_error`
 */
function assertShape(body: Buffer, maxItems: number): void {
  let depth = 0;
  let deepest = 0;
  let items = 0;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (byte === quoteMark) index = endOfString(body, index);
    else if (byte === openList || byte === openObject) {
      items++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === closeList || byte === closeObject) depth--;
    else if (byte === colon) items++;
  }
  if (deepest > maxMessageDepth) {
    throw new SandboxError('protocol_error', `A message nests deeper than ${maxMessageDepth} levels.`);
  }
  if (items > maxItems) {
    throw new SandboxError('protocol_error', `A message of ${items} fields, lists and objects exceeds ${maxItems}.`);
  }
}

/** The index of the mark that ends it, or the end of the bytes. */
function endOfString(body: Buffer, start: number): number {
  let index = start + 1;
  for (; index < body.length && body[index] !== quoteMark; index++) {
    if (body[index] === backslash) index++;
  }
  return index;
}

function notAFrame(head: string): SandboxError {
  return new SandboxError(
    'protocol_error',
    `Expected a "Content-Length: <bytes>" header and a JSON-RPC message, got: ${preview(head)}`,
  );
}

/** The start of foreign bytes, often what a program printed: safe to show, and where it lies on the disk left out. */
function preview(text: string): string {
  return quote(withoutPaths(text.slice(0, 80)));
}
