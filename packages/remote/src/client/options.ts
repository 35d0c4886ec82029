import { join } from 'node:path';
import {
  defaultMaxTimeoutMs,
  engineChoices,
  invalidRequest,
  limitOptionsSchema,
  limitTable,
  maxRoots,
  parse,
} from '@mustard-sandbox/protocol';
import * as z from 'zod/mini';
import { maxInlineBytes } from '../wire/protocol.ts';
import { isLoopback, unixPathOf, wrongUnixPath } from '../wire/address.ts';
import { cacheFolder } from '../wire/cache-folder.ts';

const MiB = 1024 * 1024;
const ms = z.int().check(z.gte(0), z.lte(2 ** 31 - 1));
const count = z.int().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER));

/** The progress of an upload. */
export interface UploadProgress {
  /** The path of the file at the client. */
  path: string;
  /** How many bytes the server has. */
  sent: number;
  /** The size of the file. */
  total: number;
}

const connectOptionsSchema = z.strictObject({
  /** Where the server is, such as `http://127.0.0.1:7777`, `https://sandbox.example.com` or `unix:/run/sandbox.sock`. */
  url: z.string(),
  /** The token by which the server knows this client. */
  token: z.optional(z.string().check(z.regex(/^[\x21-\x7e]{1,4096}$/, 'must be printable ASCII without spaces'))),
  /** Certificates of further authorities to trust, as PEM. It is for a server with a certificate of its own. */
  ca: z.optional(z.string()),
  /**
   * The folders and files of this machine that bound what a run's scope may name. They must exist. Without them, a
   * scope may name anything.
   */
  roots: z.optional(z.array(z.string()).check(z.maxLength(maxRoots))),
  /** Limits for runs that do not set their own. */
  limits: z.optional(limitOptionsSchema),
  /** The highest `timeoutMs` of a run. The server has a bound of its own. */
  maxTimeoutMs: z._default(z.int().check(z.gte(1), z.lte(limitTable.timeoutMs.ceiling)), defaultMaxTimeoutMs),
  /** The engine for runs that do not name one, as for `createSandbox`. */
  engine: z._default(z.enum(engineChoices), 'auto'),
  /** How long a call tries to connect before it fails with `sidecar_unavailable`. */
  connectTimeoutMs: z._default(ms, 10_000),
  /** How long a run may wait at the server for a process. */
  maxWaitMs: z._default(ms, 10 * 60_000),
  /** How much later than its deadline the server may answer before the client gives up. */
  graceMs: z._default(ms, 5_000),
  /**
   * Whether to send folders that are not at the server: a script's `root`, without files that no script may read
   * (docs/denied-names.md) and without files that a `.gitignore` in it ignores. If false, such a run fails.
   */
  uploadDirectories: z._default(z.boolean(), false),
  /** Files up to this size are sent in the request as base64; at most 32 MiB. Larger ones are uploaded before it. */
  inlineBytes: z._default(z.int().check(z.gte(0), z.lte(maxInlineBytes)), 1 * MiB),
  /** Called with the progress of each upload. */
  onUpload: z.optional(
    z.custom<(progress: UploadProgress) => void>((value) => typeof value === 'function', 'must be a function'),
  ),
  /**
   * Where a result `{ path, content }` is written into the project: `root` is its folder, and `allow` has patterns of
   * paths below it that may be written. Without it, such a result is an ordinary value.
   */
  outputs: z.optional(
    z.strictObject({
      root: z.string().check(z.minLength(1)),
      allow: z._default(z.array(z.string().check(z.minLength(1))), ['**/.mustard/outputs/*.{txt,json,csv}']),
    }),
  ),
  /**
   * Where fetched results are kept.
   *
   * @defaultValue `mustard-sandbox/remote` in the user's cache folder
   */
  cacheDir: z._default(z.string(), join(cacheFolder(), 'mustard-sandbox', 'remote')),
  /** How long they are kept after their last use, in ms. */
  cacheMs: z._default(z.int().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER)), 7 * 24 * 60 * 60_000),
  /** The most bytes that are fetched for one run. */
  maxArtifactBytes: z._default(count, 64 * MiB),
});

/** Options of `connectSandbox`. Times in ms, sizes in bytes. Unknown keys are refused. */
export type ConnectOptions = z.input<typeof connectOptionsSchema>;

export interface ResolvedConnectOptions extends Omit<z.output<typeof connectOptionsSchema>, 'url'> {
  /** It has the scheme `http:` or `https:`, and neither query nor user. */
  url: URL;
  /** The Unix socket that replaces the host in `url`. */
  unixPath: string | undefined;
  /** The address for messages of errors. */
  address: string;
  /** Whether the server is on this machine, so that what is sent to it crosses no network. */
  isLocal: boolean;
}

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseConnectOptions(options: ConnectOptions): ResolvedConnectOptions {
  const parsed = parse(connectOptionsSchema, options, 'connectSandbox()');
  const unixPath = unixPathOf(parsed.url);
  if (unixPath !== undefined) {
    const why = wrongUnixPath(unixPath);
    if (why !== undefined) throw invalidRequest('connectSandbox()', 'url', why);
    return { ...parsed, url: new URL('http://localhost'), unixPath, address: parsed.url, isLocal: true };
  }
  const url = parseUrl(parsed.url);
  const isLocal = isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  return { ...parsed, url, unixPath, address: url.origin, isLocal };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text.replace(/^ws(s?):/i, 'http$1:')) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw invalidRequest(
      'connectSandbox()',
      'url',
      `${JSON.stringify(text.slice(0, 200))} is not http://HOST:PORT, https://HOST or unix:/PATH`,
    );
  }
  if (url.username !== '' || url.password !== '')
    throw invalidRequest('connectSandbox()', 'url', 'it must hold no user; give the token as `token`');
  if (url.search !== '' || url.hash !== '')
    throw invalidRequest('connectSandbox()', 'url', 'it must have nothing after the address or the path of a proxy');
  return url;
}
