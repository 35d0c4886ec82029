import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Why a request is turned away. */
export interface Refusal {
  status: number;
  message: string;
}

/**
 * Turns away what a browser sends for a page. A page of another origin names that origin; a page whose name was made to
 * lead here (DNS rebinding) sends that name as `Host`. An address is no name, so it cannot be made to lead elsewhere.
 */
export function refusalOf(headers: IncomingHttpHeaders, allowHosts: readonly string[]): Refusal | undefined {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    return { status: 403, message: 'Browsers are not served here.' };
  }
  const name = hostName(headers.host);
  if (name !== undefined && (name === 'localhost' || isIP(name) !== 0 || allowHosts.includes(name))) return undefined;
  return { status: 421, message: 'This server is not known by that name. Add it with --allow-host.' };
}

function hostName(host: string | undefined): string | undefined {
  const [, name] = /^(\[[^\]]+\]|[^:]+)(?::\d{1,5})?$/.exec(host ?? '') ?? [];
  return name?.toLowerCase().replace(/^\[|\]$/g, '');
}

/** So many a second, and for a moment ten times as many. */
export class Rate {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#most = 10 * perSecond;
    this.#left = this.#most;
  }

  /** Whether there is room for one more. */
  take(): boolean {
    const now = performance.now();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

/** Wrong tokens from one address, so that nobody can try many. */
const wrongTokensPerSecond = 2;
const mostAddresses = 10_000;

/** Counts wrong tokens by address. */
export class WrongTokens {
  readonly #byAddress = new Map<string, Rate>();

  /** Whether this address may try again. Each call counts as a wrong token. */
  mayTryAgain(request: IncomingMessage): boolean {
    const address = request.socket.remoteAddress ?? '';
    const rate = this.#byAddress.get(address) ?? new Rate(wrongTokensPerSecond);
    if (this.#byAddress.size >= mostAddresses) this.#byAddress.clear();
    this.#byAddress.set(address, rate);
    return rate.take();
  }
}
