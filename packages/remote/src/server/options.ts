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

/** It is the name of a folder in the store, beside files of the server. */
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
   * The tokens of clients. Each token has a sandbox, a store and limits of its own. Without tokens, everybody who can
   * reach a loopback address may connect. Any other address needs tokens of at least 32 characters that nobody can
   * guess.
   */
  tokens: z._default(z.array(z.strictObject({ name: z.optional(tenantName), token: text })), []),
  /** Certificate and key, as PEM. Without them the server speaks plain HTTP. */
  tls: z.optional(z.strictObject({ cert: text, key: text })),
  /**
   * Folders of this machine whose files clients may name. Files are read in place, except those that no script may read
   * (docs/denied-names.md). No folder may hold the store, or one of `privateFiles`.
   */
  allowRoots: z._default(z.array(text).check(z.maxLength(100)), []),
  /** Files of this machine that no client may read, such as the one with the tokens. */
  privateFiles: z._default(z.array(text), []),
  /** Names by which clients reach this server, in addition to its addresses and `localhost`. */
  allowHosts: z._default(z.array(text), []),
  /**
   * Addresses of proxies before this server. Each must add the address of its client to `X-Forwarded-For`. Counts by
   * address then use that address, and not that of the proxy, which all clients share.
   */
  proxies: z._default(
    z.array(z.string().check(z.refine((address) => isIP(address) !== 0, 'must be an address, such as 10.0.0.2'))),
    [],
  ),
  /**
   * Where uploads are kept. Only one server at a time may use a folder.
   *
   * @defaultValue a folder for this port in the user's cache folder
   */
  store: z.optional(text),
  /** How many bytes the uploads of one token may take. */
  storeBytes: z._default(positive, 64 * GiB),
  /** Options of each token's sandbox, as for `createSandbox`, without `roots`. */
  sandbox: z._default(
    z.custom<Omit<SandboxOptions, 'roots' | 'command'>>((value) => typeof value === 'object' && value !== null),
    {},
  ),
  /**
   * How many connections one token may have at a time. A further one replaces a connection that does nothing, or waits.
   */
  maxConnections: z._default(positive, 64),
  /** How long it waits before it is refused, in ms. The client tries again for its `connectTimeoutMs`. */
  connectionWaitMs: z._default(z.int().check(z.gte(0), z.lte(10 * 60_000)), 4_000),
  /**
   * How much memory the messages of one token may take, in bytes. The bound holds once for messages that have not
   * arrived completely, where a connection beyond it is closed. It holds once more for messages of runs without an
   * answer, where a run beyond it is refused.
   */
  maxMessageBytes: z._default(positive, GiB / 2),
  /** How many HTTP requests one token may have at a time. A client makes at most four. */
  maxRequests: z._default(positive, 256),
  /** How many HTTP requests a second one token may make, over ten seconds. */
  requestsPerSecond: z._default(positive, 1000),
  /** How many connections from one address may have shown no token yet. A further one closes the oldest of them. */
  maxStrangersPerAddress: z._default(positive, 256),
  /** How many connections from all addresses may have shown no token yet. A further one closes the oldest of them. */
  maxStrangers: z._default(positive, 1024),
  /** A result with more bytes of JSON than this is fetched over HTTP. */
  spillBytes: z._default(positive, 1024 * 1024),
  /** How long runs may continue after the server is told to end, in ms. */
  drainMs: z._default(z.int().check(z.gte(0), z.lte(10 * 60_000)), 30_000),
  /** What is logged, as JSON lines on stderr. No line holds a script, a file or a path of a client. */
  logLevel: z._default(z.enum(['silent', 'error', 'warn', 'info', 'debug']), 'info'),
  /** Ends the server like `close`. */
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
