import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { invalidRequest, parse } from '@mustard-sandbox/protocol';
import type { SandboxOptions } from '@mustard-sandbox/client';
import * as z from 'zod/mini';
import { cacheFolder } from '../wire/cache-folder.ts';
import { parseAddress, type ListenAddress } from './listen.ts';

const GiB = 1024 ** 3;
const text = z.string().check(z.minLength(1));
const positive = z.int().check(z.gte(1), z.lte(Number.MAX_SAFE_INTEGER));

/** It is a folder of the store, beside files of the server. */
const tenantName = z.string().check(
  z.regex(/^\w(?:[\w.-]{0,62}\w)?$/, 'must be 1 to 64 letters, digits, _, - and ., with no - or . at either end'),
  z.refine((name) => !/^(?:pid|boot-id)$/i.test(name), 'is a name that the store uses itself'),
);

const serverOptionsSchema = z.strictObject({
  /**
   * Address and port, such as `127.0.0.1:7777` or `[::1]:0`; port 0 is any that is free. Or `unix:/PATH`, a socket that
   * only this user can open.
   */
  listen: z._default(text, '127.0.0.1:7777'),
  /**
   * Who may come. Each token has a sandbox, a store and limits of its own. Without any, whoever reaches a loopback
   * address may; another address needs one, with at least 32 characters that nobody can guess.
   */
  tokens: z._default(z.array(z.strictObject({ name: z.optional(tenantName), token: text })), []),
  /** Certificate and key, as PEM. Without them the server speaks plain HTTP. */
  tls: z.optional(z.strictObject({ cert: text, key: text })),
  /**
   * Folders of this machine whose files clients may name. They are read in place, without those that no script may read
   * (docs/denied-names.md). None may hold the store, or one of `privateFiles`.
   */
  allowRoots: z._default(z.array(text).check(z.maxLength(100)), []),
  /** Files of this machine that no client may read, such as the one with the tokens. */
  privateFiles: z._default(z.array(text), []),
  /** Names by which clients reach this server, besides its addresses and `localhost`. */
  allowHosts: z._default(z.array(text), []),
  /**
   * Addresses of proxies before this server. Each must add the address of its client to `X-Forwarded-For`: what is counted
   * by address is then counted by that one, and not by that of the proxy, which all clients share.
   */
  proxies: z._default(
    z.array(z.string().check(z.refine((address) => isIP(address) !== 0, 'must be an address, such as 10.0.0.2'))),
    [],
  ),
  /**
   * Where uploads are kept. One server at a time uses a folder.
   *
   * @defaultValue a folder for this port in the user's cache folder
   */
  store: z.optional(text),
  /** What the uploads of one token may take, in bytes. */
  storeBytes: z._default(positive, 64 * GiB),
  /** Options of each token's sandbox, as `createSandbox` takes them, without `roots`. */
  sandbox: z._default(
    z.custom<Omit<SandboxOptions, 'roots' | 'command'>>((value) => typeof value === 'object' && value !== null),
    {},
  ),
  /** Connections that one token may have at a time. One more takes the place of one that does nothing, or waits. */
  maxConnections: z._default(positive, 64),
  /** How long it waits, in ms, before it is refused. A client tries again for its `connectTimeoutMs`. */
  connectionWaitMs: z._default(z.int().check(z.gte(0), z.lte(10 * 60_000)), 4_000),
  /**
   * What messages of one token may hold in memory, in bytes: as much for those that have not arrived whole, where a
   * connection beyond that is closed, as for those of runs that are not answered, where a run beyond that is refused.
   */
  maxMessageBytes: z._default(positive, GiB / 2),
  /** HTTP requests that one token may have at a time. A client makes no more than four. */
  maxRequests: z._default(positive, 256),
  /** HTTP requests a second of one token, over ten seconds. */
  requestsPerSecond: z._default(positive, 1000),
  /** Connections at a time that have shown no token yet, from one address. One more closes the oldest of them. */
  maxStrangersPerAddress: z._default(positive, 256),
  /** Connections at a time that have shown no token yet, from all addresses. One more closes the oldest of them. */
  maxStrangers: z._default(positive, 1024),
  /** A result with more bytes of JSON than this is fetched over HTTP. */
  spillBytes: z._default(positive, 1024 * 1024),
  /** How long runs may go on once the server is told to end, in ms. */
  drainMs: z._default(z.int().check(z.gte(0), z.lte(10 * 60_000)), 30_000),
  /** What is logged, as JSON lines on stderr. No line holds a script, a file or a path of a client. */
  logLevel: z._default(z.enum(['silent', 'error', 'warn', 'info', 'debug']), 'info'),
  /** Ends the server as `close` does. */
  signal: z.optional(z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')),
});

/** Options of `serveSandboxes`. Sizes in bytes, times in ms. Unknown keys are refused. */
export type ServerOptions = z.input<typeof serverOptionsSchema>;

export interface ResolvedServerOptions extends Omit<z.output<typeof serverOptionsSchema>, 'store'> {
  address: ListenAddress;
  store: string;
}

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseServerOptions(options: ServerOptions): ResolvedServerOptions {
  const parsed = parse(serverOptionsSchema, options, 'serveSandboxes()');
  const address = parseAddress(parsed.listen, 'serveSandboxes()');
  if ('path' in address && parsed.tls !== undefined)
    throw invalidRequest('serveSandboxes()', 'listen', 'a Unix socket has no TLS');
  const name = 'path' in address ? createHash('sha256').update(address.path).digest('hex').slice(0, 16) : address.port;
  return { ...parsed, address, store: parsed.store ?? join(cacheFolder(), 'mustard-sandbox', `server-${name}`) };
}
