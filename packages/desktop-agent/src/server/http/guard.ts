import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is turned away. */
export interface Refusal {
  status: 403 | 421;
  message: string;
}

/** How long a ticket is valid. A browser may have to start first. */
const ticketMs = 5 * 60_000;

/** Checks each request and each upgrade before anything is done for it. */
export class Guard {
  /** 32 random bytes. Whoever has it may do everything. */
  readonly token = randomToken();
  readonly #tokenDigest = digest(this.token);
  readonly #tickets = new Set<string>();
  #port = 0;

  /** Called once the server listens, because the port is not known before. */
  setPort(port: number): void {
    this.#port = port;
  }

  /**
   * With DNS rebinding, a page's own name points here, and the browser sends this name in `Host`. For a page of another
   * origin it sends that origin in `Origin`, and adds `Sec-Fetch-Site`. A browser lets no page forge these headers.
   */
  refuse({ headers }: IncomingMessage): Refusal | undefined {
    const hosts = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
    if (headers.host === undefined || !hosts.includes(headers.host)) {
      return { status: 421, message: 'This server is not known by that name.' };
    }
    // `Origin` must name the same host as `Host`: localhost and 127.0.0.1 are two origins for a browser.
    if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
      return { status: 403, message: 'Another page may not use this server.' };
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return { status: 403, message: 'Another page may not use this server.' };
    }
    return undefined;
  }

  /** Compares in constant time, also where the lengths differ. */
  knows(token: string): boolean {
    return timingSafeEqual(digest(token), this.#tokenDigest);
  }

  /** Makes a ticket that opens one socket within five minutes. */
  makeTicket(): string {
    const ticket = randomToken();
    this.#tickets.add(ticket);
    setTimeout(() => this.#tickets.delete(ticket), ticketMs).unref();
    return ticket;
  }

  /** Takes a ticket once. The look-up need not be in constant time, because a ticket is of no use a second time. */
  takeTicket(ticket: string): boolean {
    return this.#tickets.delete(ticket);
  }

  /** Whether `Authorization: Bearer` has the token. */
  authorizes({ headers }: IncomingMessage): boolean {
    const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    return token !== undefined && this.knows(token);
  }
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
