import { EventEmitter } from 'node:events';
import { readSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { ByteSink, ByteSource } from '@mustard-sandbox/protocol/sidecar';

/** Node's undocumented handle, which can make a pipe block. */
interface Blockable {
  _handle?: { setBlocking?(blocking: boolean): void };
}

const readBytes = 64 * 1024;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread. */
function sleep(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/**
 * Standard input. The event loop reads it while no script runs. While a script runs, the main thread is inside the
 * engine and reads what has arrived by itself. A thread for the pipe would take 30 ms of each start and 70 µs of each
 * call.
 */
export class StandardInput extends EventEmitter implements ByteSource {
  readonly #stream: Socket;
  readonly #buffer = Buffer.allocUnsafe(readBytes);
  /** Whether the host has closed the pipe. */
  isOver = false;

  constructor(stream: Socket) {
    super();
    this.#stream = stream;
    stream
      .on('data', (chunk: Buffer) => this.emit('data', chunk))
      .on('end', () => this.#end())
      .on('close', () => this.emit('close'))
      .on('error', (error) => this.emit('error', error));
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Reads what has arrived, without waiting. Returns whether there was something. */
  readNow(): boolean {
    if (this.isOver) return false;
    const waiting = this.#stream.readableLength > 0 ? (this.#stream.read() as Buffer | null) : null;
    if (waiting !== null) this.emit('data', waiting);
    const count = this.#readPipe();
    if (count === undefined) return waiting !== null;
    if (count === 0) this.#end();
    // This is a copy, because the listener may keep it.
    else this.emit('data', Buffer.from(this.#buffer.subarray(0, count)));
    return true;
  }

  /** Reads what has arrived, and waits if nothing has. The system wakes this thread as soon as something arrives. */
  waitAndRead(): void {
    if (this.readNow() || this.isOver) return;
    const { _handle: handle } = this.#stream as Blockable;
    if (handle?.setBlocking === undefined) return sleep(1);
    handle.setBlocking(true);
    try {
      this.readNow();
    } finally {
      handle.setBlocking(false);
    }
  }

  /** `undefined` when nothing has arrived. */
  #readPipe(): number | undefined {
    // An error with a stack takes three times as long to make.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return readSync(0, this.#buffer);
    } catch (error) {
      return codeOf(error) === 'EAGAIN' ? undefined : 0;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  #end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.emit('end');
  }
}

/**
 * Standard output. Everything is written at once and completely, because a script that waits for an answer keeps the
 * event loop from sending the rest. A client that does not read blocks its sidecar, which harms nobody else.
 */
export class StandardOutput extends EventEmitter implements ByteSink {
  writable = true;
  readonly writableLength = 0;

  /** @param stream of the same descriptor. It makes the pipe block, and is not written to */
  constructor(stream: Blockable) {
    super();
    stream._handle?.setBlocking?.(true);
  }

  write(chunk: Uint8Array | string, encoding?: 'latin1' | 'utf8'): boolean {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    for (let at = 0; at < bytes.length && this.writable;) at += this.#writeSome(bytes, at);
    return true;
  }

  #writeSome(bytes: Uint8Array, at: number): number {
    try {
      return writeSync(1, bytes, at);
    } catch (error) {
      // A host may give a pipe that does not block.
      if (codeOf(error) === 'EAGAIN') sleep(1);
      else {
        this.writable = false;
        this.emit('error', error);
      }
      return 0;
    }
  }
}
