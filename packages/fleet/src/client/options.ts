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

/** A folder that all machines share, a bucket as `s3://BUCKET/PREFIX`, or a store of the caller. */
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

/** A `Tracer` of OpenTelemetry. It needs the package @opentelemetry/api. */
export const tracerSchema = z.optional(
  z.custom<TracerLike>(
    (value) => typeof (value as TracerLike | null)?.startSpan === 'function',
    'must be a Tracer of OpenTelemetry',
  ),
);

export const prefixSchema = z._default(z.string().check(z.regex(/^[\w.-]{1,64}$/)), 'mustard');

const fleetOptionsSchema = z.strictObject({
  /**
   * Where the queue is: `redis://HOST:6379`, `rediss://` for TLS, `unix:/PATH`; options of ioredis, such as `{ host,
   * port, username, password, tls: { ca } }`; or `postgres://HOST/DATABASE`, which needs the package pg.
   */
  connection: connectionSchema,
  /** The name of this client's tenant at the workers: 1 to 32 lower-case letters, digits and hyphens. */
  tenant: z._default(tenantNameSchema, 'default'),
  /** The keys of the tenant, which the workers have too. The first key seals what is sent, and every key opens. */
  keys: z.array(keySchema),
  /**
   * Where files of runs go: a folder that the workers share, `s3://BUCKET/PREFIX?region=REGION&endpoint=URL`, or a store.
   * Without it, runs have no files.
   */
  files: z.optional(filesSchema),
  /** Whether the files of `scope.root` are put into the store. Only files that a script could read there are put. */
  uploadDirectories: z._default(z.boolean(), false),
  /**
   * The folders and files of this machine that bound what a run's scope may name. They must exist. Without them, a
   * scope may name anything.
   */
  roots: z.optional(z.array(z.string()).check(z.maxLength(maxRoots))),
  /** Limits for runs that do not set their own. */
  limits: z.optional(limitOptionsSchema),
  /** The highest `timeoutMs` of a run. The workers have a bound of their own. */
  maxTimeoutMs: z._default(z.int().check(z.gte(1), z.lte(limitTable.timeoutMs.ceiling)), defaultMaxTimeoutMs),
  /** The engine for runs that do not name one, as for `createSandbox`. */
  engine: z._default(z.enum(engineChoices), 'auto'),
  /** Which runs of the tenant come first. It never lets a tenant overtake another. */
  priority: z._default(z.enum(['urgent', 'normal', 'background']), 'normal'),
  /**
   * How many runs of the tenant may wait for a worker. A further run fails with `queue_full`. Several clients together
   * may exceed it by a few.
   */
  maxQueued: z._default(z.int().check(z.gte(1), z.lte(10_000_000)), 10_000),
  /**
   * How long a run may take from its submission to its result, including all waiting, but without the time of host
   * functions.
   */
  maxWaitMs: z._default(ms, 10 * 60_000),
  /** Makes a span for each job. Workers with a tracer continue it. */
  tracer: tracerSchema,
  /** How long a call tries to reach the queue before it fails with `sidecar_unavailable`. */
  connectTimeoutMs: z._default(ms, 10_000),
  /** The prefix of all names in Redis, or the schema in PostgreSQL. It must be the same for clients and workers. */
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
