import type { Socket } from 'node:net';
import { isProxy, networkOf } from './gate.ts';

/** How many connections without a token there may be. */
export interface StrangerBounds {
  /** From one address. When clients behind one router all come back at once, they are more than a few. */
  perAddress: number;
  /** Addresses that only `inAll` bounds, because all clients behind a proxy share its address. */
  proxies: readonly string[];
  inAll: number;
}

type Connected = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>;

/**
 * The connections that have not shown a token yet. When there are too many, the one that has been silent for longest is
 * closed. A client with a token shows it at once, so it gets in however many others say nothing.
 */
export class Strangers {
  readonly #bounds: StrangerBounds;
  readonly #all = new Map<string, Socket>();
  readonly #byAddress = new Map<string, Set<string>>();
  /** The tenant of each connection that showed a token. */
  readonly #known = new Map<string, string>();

  constructor(bounds: StrangerBounds) {
    this.#bounds = bounds;
  }

  /** @param socket as it was accepted, before TLS */
  came(socket: Socket): void {
    const key = keyOf(socket);
    // It is gone already, or it is a Unix socket, which only this user can open.
    if (key === undefined) return;
    const address = networkOf(socket.remoteAddress);
    const same = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, same);
    const isBounded = !isProxy(socket.remoteAddress, this.#bounds.proxies);
    if (isBounded && same.size >= this.#bounds.perAddress) this.#close(same);
    if (this.#all.size >= this.#bounds.inAll) this.#close(this.#all.keys());
    same.add(key);
    this.#all.set(key, socket);
    socket.once('close', () => {
      this.#forget(key, address);
      this.#known.delete(key);
    });
  }

  /** Call this when the token of `tenant` came over this connection. */
  knows(socket: Connected, tenant: string): void {
    const key = keyOf(socket);
    if (key === undefined || (!this.#all.has(key) && !this.#known.has(key))) return;
    this.#forget(key, networkOf(socket.remoteAddress));
    this.#known.set(key, tenant);
  }

  /** The tenant whose token came over this connection before. */
  tenantOf(socket: Connected): string | undefined {
    const key = keyOf(socket);
    return key === undefined ? undefined : this.#known.get(key);
  }

  #close(keys: Iterable<string>): void {
    for (const key of keys) {
      const socket = this.#all.get(key);
      if (socket === undefined) continue;
      this.#forget(key, networkOf(socket.remoteAddress));
      socket.destroy();
      return;
    }
  }

  #forget(key: string, address: string): void {
    this.#all.delete(key);
    const same = this.#byAddress.get(address);
    same?.delete(key);
    if (same?.size === 0) this.#byAddress.delete(address);
  }
}

/** A TCP connection and the TLS connection over it have the same key. */
function keyOf({ localAddress, localPort, remoteAddress, remotePort }: Connected): string | undefined {
  if (remotePort === undefined) return undefined;
  return [localAddress, localPort, remoteAddress, remotePort].join();
}
