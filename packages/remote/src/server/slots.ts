import type { Duplex } from 'node:stream';
import { refused } from '../store/problems.ts';

/** How many clients may wait for a connection at a time. */
const mostWaiting = 1000;

/** The connections that one token may have. When all are taken, further ones wait in turn. */
export class Slots {
  readonly #most: number;
  readonly #waitMs: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  /** How many connections were told to go and are not gone yet. */
  leaving = 0;

  constructor(most: number, waitMs: number) {
    this.#most = most;
    this.#waitMs = waitMs;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Whether more clients wait than places are being made for. */
  get isWanted(): boolean {
    return this.#waiting.size > this.leaving;
  }

  /**
   * Waits for a place, which is taken until `free` is called.
   *
   * @param socket of the client that waits; nothing is read of it before its turn
   * @throws {SandboxError} `invalid_request` (429) when no place became free in time
   */
  async take(socket: Duplex): Promise<void> {
    if (this.#taken < this.#most) {
      this.#taken++;
      return;
    }
    if (this.#waiting.size >= mostWaiting || !(await this.#turn(socket))) {
      throw refused(429, `This token already has ${this.#taken} connections (maxConnections), and all are in use.`);
    }
  }

  free(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken--;
    else next();
  }

  /** Whether its turn came. */
  #turn(socket: Duplex): Promise<boolean> {
    return new Promise((resolve) => {
      // A client says nothing before it is let in. Without a reader its end would not be noticed.
      const leave = (): void => void socket.destroy();
      const settle = (isIn: boolean): void => {
        this.#waiting.delete(enter);
        clearTimeout(timer);
        socket.off('data', leave).off('end', leave).off('close', gone);
        resolve(isIn);
      };
      const enter = (): void => settle(true);
      const gone = (): void => settle(false);
      const timer = setTimeout(gone, this.#waitMs).unref();
      this.#waiting.add(enter);
      socket.on('data', leave).on('end', leave).once('close', gone).resume();
    });
  }
}
