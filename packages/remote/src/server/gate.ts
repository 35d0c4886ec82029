import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Why a request is turned away. */
export interface Refusal {
  status: number;
  message: string;
}

/** Which requests of browsers may come in, if any. */
export interface PagePolicy {
  /** Names by which clients reach this server, besides its addresses and `localhost`. */
  allowHosts: readonly string[];
  /** Whether a request may name this very server as its origin. Some clients that are no browsers do. */
  allowsSameOrigin?: boolean;
}

/**
 * Turns away what a browser sends for a page. A page of another origin names that origin; a page whose name was made to
 * lead here (DNS rebinding) sends that name as `Host`. An address is no name, so it cannot be made to lead elsewhere.
 */
export function refusalOf(headers: IncomingHttpHeaders, policy: PagePolicy): Refusal | undefined {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isOwn = policy.allowsSameOrigin === true && (origin === undefined || isOriginOf(origin, host));
  if (isOwn ? site !== undefined && site !== 'same-origin' : origin !== undefined || site !== undefined) {
    return { status: 403, message: 'Browsers are not served here.' };
  }
  const name = hostName(host);
  if (name !== undefined && (name === 'localhost' || isIP(name) !== 0 || policy.allowHosts.includes(name))) {
    return undefined;
  }
  return { status: 421, message: 'This server is not known by that name. Add it with --allow-host.' };
}

function isOriginOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && /^https?:\/\//i.test(origin) && origin.replace(/^https?:\/\//i, '') === host;
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
  get hasRoom(): boolean {
    const now = performance.now();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    return this.#left >= 1;
  }

  /** Counts one more request. Returns false if there was no room for it. */
  take(): boolean {
    const { hasRoom } = this;
    if (hasRoom) this.#left--;
    return hasRoom;
  }
}

/** Wrong tokens from one address, so that nobody can try many. */
const wrongTokensPerSecond = 2;
const mostAddresses = 10_000;

/** Counts wrong tokens by address. An address that sent too many is not asked for its token for a while. */
export class WrongTokens {
  readonly #byAddress = new Map<string, Rate>();

  /** Whether nobody comes in from there now, not even with the right token. */
  isOver(remoteAddress: string | undefined): boolean {
    return this.#byAddress.get(networkOf(remoteAddress))?.hasRoom === false;
  }

  count(remoteAddress: string | undefined): void {
    const address = networkOf(remoteAddress);
    const rate = this.#byAddress.get(address) ?? new Rate(wrongTokensPerSecond);
    // The address that was wrong last is the last one to be forgotten.
    this.#byAddress.delete(address);
    this.#byAddress.set(address, rate);
    rate.take();
    if (this.#byAddress.size <= mostAddresses) return;
    const [oldest] = this.#byAddress.keys();
    this.#byAddress.delete(oldest as string);
  }
}

/**
 * The address of a client, behind the proxies that are trusted: each of them adds to `X-Forwarded-For` who asked it. What
 * stands before the last one that is no proxy may be made up.
 */
export function clientAddress(
  { remoteAddress }: { remoteAddress?: string | undefined },
  { 'x-forwarded-for': forwarded = '' }: IncomingHttpHeaders,
  proxies: readonly string[],
): string | undefined {
  let address = remoteAddress;
  const hops = [forwarded].flat().join().split(',');
  while (isProxy(address, proxies)) {
    const before = withoutPort(hops.pop()?.trim() ?? '');
    if (isIP(before) === 0) return address;
    address = before;
  }
  return address;
}

/** Whether an address is one of the proxies. */
export function isProxy(address: string | undefined, proxies: readonly string[]): boolean {
  return address !== undefined && proxies.includes(withoutMapping(address));
}

function withoutPort(hop: string): string {
  const [, address] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop) ?? /^([\d.]+):\d{1,5}$/.exec(hop) ?? [];
  return address ?? hop;
}

/** An address of IPv4 as a socket for both kinds has it, in its usual form. */
function withoutMapping(address: string): string {
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1] ?? address;
}

/** What counts as one address: of IPv6 the network, because whoever has one address of it has 2⁶⁴. */
export function networkOf(remoteAddress: string | undefined): string {
  const address = withoutMapping(remoteAddress ?? '');
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const front = head.split(':').filter((group) => group !== '');
  const back = (tail ?? '').split(':').filter((group) => group !== '');
  const between = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...between, ...back].slice(0, 4).join(':');
}
