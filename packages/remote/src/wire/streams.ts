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
  /** What came though nothing was asked for. */
  #held: Buffer[] | undefined;
  #corked = false;

  /** @param raw what the WebSocket writes to */
  constructor(socket: WebSocket, raw: Duplex) {
    super();
    this.#socket = socket;
    this.#raw = raw;
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
    // Of bytes that have arrived already, `ws` goes on to make messages.
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
  write(chunk: string | Buffer): void {
    if (!this.#corked) {
      this.#corked = true;
      this.#raw.cork();
      process.nextTick(this.#uncork);
    }
    this.#socket.send(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, ignoreError);
  }

  readonly #uncork = (): void => {
    this.#corked = false;
    this.#raw.uncork();
  };
}

/** The end of the socket tells it. */
function ignoreError(): void {}
