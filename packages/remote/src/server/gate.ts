import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Why a request is refused. */
export interface Refusal {
  status: number;
  message: string;
}

/** Which requests of browsers are accepted, if any. */
export interface PagePolicy {
  /** Names by which clients reach this server, in addition to its addresses and `localhost`. */
  allowHosts: readonly string[];
  /** Whether a request may name this very server as its origin. Some clients that are not browsers do. */
  allowsSameOrigin?: boolean;
}

/**
 * Refuses requests that a browser makes for a page. A page of another origin names that origin. A page whose name was
 * made to lead here (DNS rebinding) sends that name as `Host`. An address is not a name, so it cannot be made to lead
 * elsewhere.
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

/** Allows a number of requests a second, and for a moment ten times as many. */
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

  /** Whether one more request is allowed. */
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

/** How many wrong tokens one address may send a second, so that nobody can try many. */
const wrongTokensPerSecond = 2;
const mostAddresses = 10_000;

/** Counts wrong tokens by address. For a while, no token is checked of an address that sent too many. */
export class WrongTokens {
  readonly #byAddress = new Map<string, Rate>();

  /** Whether requests from there are refused now, even with a valid token. */
  isOver(remoteAddress: string | undefined): boolean {
    return this.#byAddress.get(networkOf(remoteAddress))?.hasRoom === false;
  }

  count(remoteAddress: string | undefined): void {
    const address = networkOf(remoteAddress);
    const rate = this.#byAddress.get(address) ?? new Rate(wrongTokensPerSecond);
    // The address with the latest wrong token is forgotten last.
    this.#byAddress.delete(address);
    this.#byAddress.set(address, rate);
    rate.take();
    if (this.#byAddress.size <= mostAddresses) return;
    const [oldest] = this.#byAddress.keys();
    this.#byAddress.delete(oldest as string);
  }
}

/**
 * The address of a client behind trusted proxies. Each proxy adds the address of its client to `X-Forwarded-For`.
 * Everything before the last entry that is not a proxy may be made up.
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

/** The usual form of an IPv4 address, which a socket for both versions maps into IPv6. */
function withoutMapping(address: string): string {
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1] ?? address;
}

/** What counts as one address. For IPv6 it is the network, because the owner of one address has 2⁶⁴ of them. */
export function networkOf(remoteAddress: string | undefined): string {
  const address = withoutMapping(remoteAddress ?? '');
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const front = head.split(':').filter((group) => group !== '');
  const back = (tail ?? '').split(':').filter((group) => group !== '');
  const between = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...between, ...back].slice(0, 4).join(':');
}
