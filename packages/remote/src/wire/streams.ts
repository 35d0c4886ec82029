import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/**
 * The bytes of a WebSocket, with back pressure: what is not read holds up the peer.
 *
 * Not the stream that `ws` makes of one: its buffers and their turns were a third of what a small run takes of either
 * end. Here a message is handed on as it comes, and what is written in one turn of the event loop goes out at once.
 */
export class SocketBytes extends EventEmitter {
  readonly #socket: WebSocket;
  readonly #raw: Duplex;
  readonly #isServer: boolean;
  /** What came though nothing was asked for. */
  #held: Buffer[] | undefined;
  #corked = false;

  /**
   * @param raw what the WebSocket writes to
   * @param end what a client writes is masked
   */
  constructor(socket: WebSocket, raw: Duplex, end: 'client' | 'server') {
    super();
    this.#socket = socket;
    this.#raw = raw;
    this.#isServer = end === 'server';
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data: Buffer) => {
      if (this.#held === undefined) this.emit('data', data);
      else this.#held.push(data);
    });
    socket.on('error', (error) => this.emit('error', error));
    socket.on('close', () => this.emit('close'));
    // Without a listener it would end the process. Its end is noticed by the connection.
    this.on('error', () => {});
  }

  get writable(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get writableLength(): number {
    return this.#socket.bufferedAmount;
  }

  pause(): this {
    // After `pause`, `ws` still makes messages of bytes that have arrived already; they are held here.
    this.#held ??= [];
    this.#socket.pause();
    return this;
  }

  resume(): this {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#socket.resume();
    if (held.length > 0) this.emit('data', Buffer.concat(held));
    return this;
  }

  /** A note and the answer after it wake the peer once. */
  write(chunk: string | Uint8Array): void {
    if (!this.#corked) {
      this.#corked = true;
      this.#raw.cork();
      process.nextTick(this.#uncork);
    }
    if (!this.writable) return;
    if (this.#isServer && chunk.length <= longMessage) this.#raw.write(plainFrame(chunk));
    else this.#socket.send(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, ignoreError);
  }

  readonly #uncork = (): void => {
    this.#corked = false;
    this.#raw.uncork();
  };
}

/** From here on `ws` writes head and content apart, which copies less. */
const longMessage = 16 * 1024;
const [binary, lengthIn16, lengthIn8] = [0x82, 126, 125];

/** One message as one frame, as a server writes it: `ws` would write its head apart, which takes twice as long. */
function plainFrame(chunk: string | Uint8Array): Buffer {
  const length = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
  const isShort = length <= lengthIn8;
  const head = isShort ? 2 : 4;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = binary;
  frame[1] = isShort ? length : lengthIn16;
  if (!isShort) frame.writeUInt16BE(length, 2);
  if (typeof chunk === 'string') frame.write(chunk, head, 'utf8');
  else frame.set(chunk, head);
  return frame;
}

/** The end of the socket tells it. */
function ignoreError(): void {}
