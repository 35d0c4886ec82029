import { problemOfKeys, type Key } from '@mustard-sandbox/client/seal';
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
import { folderStore } from '../files/folder.ts';
import { s3StoreOf } from '../files/s3.ts';
import type { ObjectStore } from '../files/store.ts';
import { checkConnection, connectionSchema } from '../hub/hub.ts';
import type { TracerLike } from '../tracing.ts';
import { tenantPattern } from '../wire/names.ts';

const ms = z.int().check(z.gte(1), z.lte(2 ** 31 - 1));

export const keySchema = z.strictObject({
  id: z.string(),
  key: z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'must be a Uint8Array'),
});

export const tenantNameSchema = z
  .string()
  .check(z.regex(tenantPattern, 'must have 1 to 32 lower-case letters, digits and hyphens between them'));

/** A folder that all machines share, a bucket as `s3://BUCKET/PREFIX`, or a store of the caller's. */
export const filesSchema = z.union(
  [
    z.string().check(z.minLength(1)),
    z.custom<ObjectStore>((value) =>
      ['has', 'put', 'get'].every(
        (name) => typeof (value as unknown as Record<string, unknown> | null)?.[name] === 'function',
      ),
    ),
  ],
  { error: 'must be a folder, s3://BUCKET, or an object with has, put and get' },
);

/** A `Tracer` of OpenTelemetry. It takes the package @opentelemetry/api. */
export const tracerSchema = z.optional(
  z.custom<TracerLike>(
    (value) => typeof (value as TracerLike | null)?.startSpan === 'function',
    'must be a Tracer of OpenTelemetry',
  ),
);

export const prefixSchema = z._default(z.string().check(z.regex(/^[\w.-]{1,64}$/)), 'mustard');

const fleetOptionsSchema = z.strictObject({
  /**
   * Where the queue is: `redis://HOST:6379`, `rediss://` for TLS, `unix:/PATH`; options of ioredis, such as
   * `{ host, port, username, password, tls: { ca } }`; or `postgres://HOST/DATABASE`, which takes the package pg.
   */
  connection: connectionSchema,
  /** Who this client is for the workers: 1 to 32 lower-case letters, digits and hyphens. */
  tenant: z._default(tenantNameSchema, 'default'),
  /** The keys of the tenant, which the workers have too. The first seals what is sent, and all of them open. */
  keys: z.array(keySchema),
  /**
   * Where files of runs go: a folder that the workers share, `s3://BUCKET/PREFIX?region=REGION&endpoint=URL`, or a store.
   * Without it, runs have no files.
   */
  files: z.optional(filesSchema),
  /** Whether the files of `scope.root` are put into the store: what a script could read there, and nothing else. */
  uploadDirectories: z._default(z.boolean(), false),
  /**
   * Every folder and file of this machine that a run's scope may name, or something inside them. They must exist.
   * Without them, a scope may name anything.
   */
  roots: z.optional(z.array(z.string()).check(z.maxLength(maxRoots))),
  /** Limits for runs that do not bring their own. */
  limits: z.optional(limitOptionsSchema),
  /** The most `timeoutMs` that a run may ask for. The workers have a bound of their own. */
  maxTimeoutMs: z._default(z.int().check(z.gte(1), z.lte(limitTable.timeoutMs.ceiling)), defaultMaxTimeoutMs),
  /** Which engine runs scripts that do not say: as for `createSandbox`. */
  engine: z._default(z.enum(engineChoices), 'auto'),
  /** Which runs of the tenant come first. Tenants never overtake each other by it. */
  priority: z._default(z.enum(['urgent', 'normal', 'background']), 'normal'),
  /** How many runs of the tenant may wait for a worker. One more fails with `queue_full`. Several clients may pass it by a few. */
  maxQueued: z._default(z.int().check(z.gte(1), z.lte(10_000_000)), 10_000),
  /** How long a run may take from its submission to its result, with all waiting, but without the time of host functions. */
  maxWaitMs: z._default(ms, 10 * 60_000),
  /** Makes a span for each job. Workers that have a tracer go on with it. */
  tracer: tracerSchema,
  /** How long a call tries to reach the queue before it fails with `sidecar_unavailable`. */
  connectTimeoutMs: z._default(ms, 10_000),
  /** What all names in Redis begin with, or the schema in PostgreSQL: the same for clients and workers. */
  prefix: prefixSchema,
});

/** Options of `connectFleet`. Times in ms. Unknown keys are refused. */
export type FleetOptions = z.input<typeof fleetOptionsSchema>;

export interface ResolvedFleetOptions extends Omit<z.output<typeof fleetOptionsSchema>, 'files'> {
  files: ObjectStore | undefined;
}

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseFleetOptions(options: FleetOptions): ResolvedFleetOptions {
  const { files, ...parsed } = parse(fleetOptionsSchema, options, 'connectFleet()');
  checkConnection(parsed.connection, parsed.prefix, 'connectFleet()');
  checkKeys(parsed.keys, 'connectFleet()');
  return { ...parsed, files: storeOf(files) };
}

/** @throws {SandboxError} `invalid_request` */
export function checkKeys(keys: readonly Key[], ...what: string[]): void {
  const problem = problemOfKeys(keys);
  if (problem !== undefined) throw invalidRequest(...what, problem.replace(/\.$/, ''));
}

export function storeOf(files: z.output<typeof filesSchema> | undefined): ObjectStore | undefined {
  if (typeof files !== 'string') return files;
  return files.startsWith('s3://') ? s3StoreOf(files) : folderStore(files);
}
