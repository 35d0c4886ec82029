import { availableParallelism, homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { defaultMaxTimeoutMs, invalidRequest, limitTable, parse } from '@mustard-sandbox/protocol';
import * as z from 'zod/mini';
import {
  checkKeys,
  filesSchema,
  keySchema,
  prefixSchema,
  storeOf,
  tenantNameSchema,
  tracerSchema,
} from '../client/options.ts';
import type { ObjectStore } from '../files/store.ts';
import { checkConnection, connectionSchema } from '../hub/hub.ts';

const ms = z.int().check(z.gte(1), z.lte(2 ** 31 - 1));
const GiB = 1024 ** 3;

const tenantSchema = z.strictObject({
  /** The name that its clients use. */
  name: tenantNameSchema,
  /** The keys of its clients. Add a new key here before clients use it. */
  keys: z.array(keySchema),
  /** Its share of the workers, compared with other tenants that have waiting runs. */
  weight: z._default(z.number().check(z.gte(0.01), z.lte(100)), 1),
});

const workerOptionsSchema = z.strictObject({
  /** Where the queue is, as for `connectFleet`. */
  connection: connectionSchema,
  /** The tenants whose jobs this worker takes. It trusts nobody else. */
  tenants: z.array(tenantSchema).check(z.minLength(1)),
  /** Where the files of runs are, as for `connectFleet`. */
  files: z.optional(filesSchema),
  /**
   * Where fetched files are kept. Several workers of one machine may share it, because each takes a folder in it.
   *
   * @defaultValue `mustard-sandbox/fleet` in the user's cache folder
   */
  cacheFolder: z._default(
    z.string().check(z.minLength(1)),
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'mustard-sandbox', 'fleet'),
  ),
  /** How many bytes of fetched files are kept. */
  cacheBytes: z._default(z.int().check(z.gte(0), z.lte(1024 ** 5)), 10 * GiB),
  /**
   * How many jobs it does at the same time.
   *
   * @defaultValue the number of processors
   */
  slots: z._default(z.int().check(z.gte(1), z.lte(256)), availableParallelism()),
  /**
   * How sidecars are confined, as for `createSandbox`. Without a jail, a script that breaks its engine controls this
   * machine.
   */
  isolation: z._default(z.enum(['jail', 'process', 'auto']), 'jail'),
  /** The highest `timeoutMs` of a run. */
  maxTimeoutMs: z._default(z.int().check(z.gte(1), z.lte(limitTable.timeoutMs.ceiling)), defaultMaxTimeoutMs),
  /** After this silence a worker counts as dead, and others take its jobs. */
  lostAfterMs: z._default(ms.check(z.gte(1_000)), 10_000),
  /** How long the jobs of a closing worker may go on before it hands them back. */
  drainMs: z._default(z.int().check(z.gte(0), z.lte(2 ** 31 - 1)), 30_000),
  /** Makes spans for the work of the worker, below those of clients that have a tracer. */
  tracer: tracerSchema,
  /** Its name in the status of the fleet. */
  name: z._default(z.string().check(z.regex(/^[\w.:@-]{1,128}$/)), `${hostname()}:${process.pid}`),
  /** The prefix of all names in Redis, or the schema in PostgreSQL. It must be the same for clients and workers. */
  prefix: prefixSchema,
});

/** Options of `startWorker`. Times in ms, sizes in bytes. Unknown keys are refused. */
export type WorkerOptions = z.input<typeof workerOptionsSchema>;

export interface ResolvedWorkerOptions extends Omit<z.output<typeof workerOptionsSchema>, 'files'> {
  files: ObjectStore | undefined;
}

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseWorkerOptions(options: WorkerOptions): ResolvedWorkerOptions {
  const { files, ...parsed } = parse(workerOptionsSchema, options, 'startWorker()');
  checkConnection(parsed.connection, parsed.prefix, 'startWorker()');
  for (const { name, keys } of parsed.tenants) checkKeys(keys, 'startWorker()', `tenants: '${name}'`);
  if (new Set(parsed.tenants.map(({ name }) => name)).size < parsed.tenants.length) {
    throw invalidRequest('startWorker()', 'tenants', 'two of them have the same name');
  }
  return { ...parsed, files: storeOf(files) };
}
