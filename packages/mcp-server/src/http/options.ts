import { parseOptions } from '@mustard-sandbox/agent-tool/host';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { isLoopback, parseAddress, type ListenAddress } from '@mustard-sandbox/remote/door';
import * as z from 'zod';
import { parseMcpOptions, serveMcpOptionsSchema, type McpOptions } from '../options.ts';

const where = 'serveMcpHttp()';
/** The path for messages of the protocol. */
export const endpoint = '/mcp';

const GiB = 1024 ** 3;
const positive = z.int().positive();

/** OAuth needs TLS, except on this machine, where nobody can listen in between. */
const address = z.url().refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')));
}, 'must begin with https://');

const authorizationSchema = z.strictObject({
  /** The authorization server whose tokens are accepted, by its issuer identifier. */
  issuer: address,
  /**
   * The address of this server for clients, such as `https://scripts.example.com/mcp`. A token must have it as its
   * audience. Not needed on loopback.
   */
  resource: address.optional(),
  /** The scope that a token must have. */
  scope: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope')
    .default('mustard-sandbox'),
});

const optionsSchema = serveMcpOptionsSchema.omit({ mediaDir: true, sandbox: true, tools: true }).extend({
  /** Address and port, such as `127.0.0.1:7780` or `[::1]:0`; port 0 is any that is free. Or `unix:/PATH`. */
  listen: z.string().min(1).default('127.0.0.1:7780'),
  /** Who may connect. Without it, everybody who can reach a loopback address may. Any other address needs it. */
  authorization: authorizationSchema.optional(),
  /** Certificate and key, as PEM. Without them the server speaks plain HTTP. */
  tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
  /** Names by which clients reach this server, in addition to its addresses, `localhost` and the name in `resource`. */
  allowHosts: z.array(z.string().min(1)).default([]),
  /** Addresses of proxies before this server, each of which adds the address of its client to `X-Forwarded-For`. */
  proxies: z.array(z.union([z.ipv4(), z.ipv6()])).default([]),
  /** Where uploads and outputs are kept. Default: a temporary folder, which is removed when the server ends. */
  store: z.string().min(1).optional(),
  /** How many bytes the files of one user may take. */
  storeBytes: positive.default(4 * GiB),
  /** How many sessions one user may have at a time. A further one ends the session that has been idle for longest. */
  maxSessions: positive.default(1_000),
  /** How long a session without a request stays, in ms. */
  sessionIdleMs: positive.default(30 * 60_000),
  /** How many requests one user may have at a time, including open streams. */
  maxRequests: positive.default(1_000),
  /** How many requests a second one user may make, over ten seconds. */
  requestsPerSecond: positive.default(1_000),
  /** How much memory incomplete messages of one user may take, in bytes. */
  maxMessageBytes: positive.default(GiB / 4),
  /** How many connections from one address may have shown no token yet. A further one closes the oldest of them. */
  maxStrangersPerAddress: positive.default(256),
  /** How many connections from all addresses may have shown no token yet. A further one closes the oldest of them. */
  maxStrangers: positive.default(1_024),
  /** How long requests may continue after the server is told to end, in ms. */
  drainMs: z.int().nonnegative().default(10_000),
  /** What is logged, as JSON lines on stderr. No line holds a script, a file, a path or a token. */
  logLevel: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
});

/** Options of `serveMcpHttp`. Paths may be relative to the working directory. Unknown keys are refused. */
export type ServeMcpHttpOptions = z.input<typeof optionsSchema>;

export interface HttpOptions extends Omit<z.output<typeof optionsSchema>, keyof McpOptions> {
  address: ListenAddress;
  /** The options that serve all users. */
  server: McpOptions;
  signal: AbortSignal | undefined;
}

/**
 * @throws {SandboxError} `invalid_request` naming every wrong option; for an address that others can reach without
 *   authorization
 */
export function parseHttpOptions(options: ServeMcpHttpOptions): HttpOptions {
  const parsed = parseOptions(optionsSchema, options, where);
  const { root, attachments, consent, engine, limits, instructions, version, signal, onProblem, ...rest } = parsed;
  const { recipes, ...http } = rest;
  const server = parseMcpOptions({
    ...(root !== undefined && { root }),
    ...(engine !== undefined && { engine }),
    ...(instructions !== undefined && { instructions }),
    ...(onProblem !== undefined && { onProblem }),
    ...(recipes !== undefined && { recipes }),
    ...{ attachments, consent, limits, version, mediaDir: 'files' },
  });
  const listening = parseAddress(http.listen, where);
  assertSafe(listening, http);
  return { ...http, address: listening, server, signal };
}

function assertSafe(
  listening: ListenAddress,
  { authorization, tls }: Pick<z.output<typeof optionsSchema>, 'authorization' | 'tls'>,
): void {
  if ('path' in listening) {
    if (tls !== undefined) throw invalidRequest(where, 'listen', 'a Unix socket has no TLS');
    if (authorization !== undefined && authorization.resource === undefined) throw resourceMissing('a Unix socket');
    return;
  }
  const { host } = listening;
  if (isLoopback(host)) return;
  if (authorization === undefined) {
    throw invalidRequest(
      where,
      `${host} can be reached from other machines, so authorization is needed: name the authorization server whose tokens are taken (--issuer), or listen at 127.0.0.1`,
    );
  }
  if (authorization.resource === undefined) throw resourceMissing(host);
}

function resourceMissing(place: string): Error {
  return invalidRequest(
    where,
    `authorization at ${place} needs the address that clients have of this server, such as https://scripts.example.com/mcp (--resource): tokens must be for it`,
  );
}
