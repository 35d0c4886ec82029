import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/**
 * The bytes of a WebSocket, with back pressure: the peer must wait while nothing is read.
 *
 * It does not use the stream of `ws`, whose buffers and turns took a third of the time of a small run at either end.
 * Here a message is handed on as it arrives, and everything that is written in one turn of the event loop is sent at
 * once.
 */
export class SocketBytes extends EventEmitter {
  readonly #socket: WebSocket;
  readonly #raw: Duplex;
  readonly #isServer: boolean;
  /** Bytes that came although nothing was asked for. */
  #held: Buffer[] | undefined;
  #corked = false;

  /**
   * @param raw what the WebSocket writes to
   * @param end whose frames are written; those of a client are masked
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
    // Without a listener, an error would end the process. The connection notices the end of the socket.
    this.on('error', () => {});
  }

  get writable(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get writableLength(): number {
    return this.#socket.bufferedAmount;
  }

  pause(): this {
    // After `pause`, `ws` still turns bytes that have arrived into messages, which are held here.
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

  /** A notification and the answer after it wake the peer only once. */
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

/** From this length on `ws` writes head and content separately, which copies less. */
const longMessage = 16 * 1024;
const [binary, lengthIn16, lengthIn8] = [0x82, 126, 125];

/** One message as one frame of a server. `ws` would write its head separately, which takes twice as long. */
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

/** The end of the socket reports it. */
function ignoreError(): void {}
