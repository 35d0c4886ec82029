import { availableParallelism } from 'node:os';
import {
  defaultMaxTimeoutMs,
  engineChoices,
  hostErrorSchema,
  limitOptionsSchema,
  limitTable,
  logLevels,
  maxRoots,
  parse,
  scopeSchema,
} from '@mustard-sandbox/protocol';
import * as z from 'zod/mini';
import { outputsSchema } from './outputs/options.ts';

const MiB = 1024 * 1024;
const never = Number.MAX_SAFE_INTEGER;
const ms = z.int().check(z.gte(0), z.lte(2 ** 31 - 1));
const count = z.int().check(z.gte(0), z.lte(never));
const positive = z.int().check(z.gte(1), z.lte(never));

export const sandboxOptionsSchema = z.strictObject({
  /**
   * Scripts that run at the same time, each in a process of its own.
   *
   * @defaultValue the number of processors, at most 4
   */
  maxProcesses: z._default(z.int().check(z.gte(1), z.lte(256)), Math.min(4, availableParallelism())),
  /**
   * How deep runs may nest, when a host function runs a script in the sandbox that called it. Each level has its own
   * `maxProcesses`. A run that is deeper fails with `limit_exceeded`.
   */
  maxNesting: z._default(z.int().check(z.gte(0), z.lte(16)), 4),
  /** How many processes are kept ready in addition to the busy ones, so that no run waits for a start after a crash. */
  spares: z._default(z.int().check(z.gte(0), z.lte(16)), 1),
  /** How many runs may wait for a process. A further run fails with `queue_full`. */
  maxQueue: z._default(count, 64),
  /**
   * How long a run may wait for a process before it fails with `queue_full`. Without this option it waits for its turn.
   */
  queueTimeoutMs: z.optional(ms),
  /** How long a process may be idle before it ends. */
  idleTimeoutMs: z._default(ms, 60_000),
  /** How many runs a process does before it is replaced. */
  recycleRuns: z._default(positive, 10_000),
  /** A process is replaced when its resident memory stays above this. */
  recycleBytes: z._default(positive, 256 * MiB),
  /** How long a process may take to start and answer `initialize`. Each of `roots` adds 20 ms. */
  startTimeoutMs: z._default(ms, 10_000),
  /** How long the sidecar may take to stop by itself after a deadline or an abort. After that it is killed. */
  graceMs: z._default(ms, 75),
  /** How much memory one sidecar may hold. */
  memoryBytes: z._default(z.int().check(z.gte(128 * MiB), z.lte(never)), 512 * MiB),
  /**
   * How many deaths at start-up or while idle, within `crashWindowMs`, make runs fail at once with
   * `sidecar_unavailable`.
   */
  maxCrashes: z._default(positive, 5),
  /** How long such a death counts. */
  crashWindowMs: z._default(ms, 60_000),
  /** How long runs fail at once before a start is tried again. */
  cooldownMs: z._default(ms, 30_000),
  /**
   * How many crashes and kills by one script, within `quarantineWindowMs`, make its runs fail at once with
   * `quarantined`.
   */
  quarantineAfter: z._default(positive, 2),
  /** How long such a crash counts, and how long the script is refused. */
  quarantineWindowMs: z._default(ms, 10 * 60_000),
  /** The most `timeoutMs` that a run may ask for. Default: 10,000, or that of `limits` if it is higher. */
  maxTimeoutMs: z.optional(z.int().check(z.gte(1), z.lte(limitTable.timeoutMs.ceiling))),
  /**
   * The engine for runs that do not name one. `quickjs` runs JavaScript. `mustardscript` runs a subset of it and starts
   * sooner, but some scripts mean something else there: docs/mustardscript.md. `auto` chooses by the text of the script, and
   * gives MustardScript only scripts that mean the same in both.
   */
  engine: z._default(z.enum(engineChoices), 'auto'),
  /** Limits for runs that do not set their own. */
  limits: z.optional(limitOptionsSchema),
  /** What a sidecar writes to its stderr, which goes into `details.stderr` when it dies. */
  logLevel: z._default(z.enum(logLevels), 'warn'),
  /**
   * How sidecars are confined. `process`: each is a process of its own. `jail`: the operating system also lets it read
   * `roots` and nothing else; if that is not possible, runs fail. `auto`: a jail if it works, otherwise `process`;
   * `stats().isolation` says which, and why.
   */
  isolation: z._default(z.enum(['process', 'jail', 'auto']), 'auto'),
  /**
   * The folders and files that the scope of a run may name; it may also name anything inside them. They must exist.
   * Without `roots`, a scope may name anything, and there is no jail.
   */
  roots: z.optional(z.array(z.string()).check(z.maxLength(maxRoots))),
  /**
   * The folder where scripts keep files by `save`, or `{ folder, maxBytes, maxFiles }` with limits for each run. The
   * default limits are 256 MiB and 100 files. Later scripts of this process read those files as `outputs:<name>`. With
   * `roots` the folder becomes one of them, so keep nothing else in it. Without `outputs`, scripts can save nothing.
   */
  outputs: z.optional(outputsSchema),
  /**
   * A command that speaks the protocol on its stdio, instead of the bundled daemon on this machine. It is started
   * without the launcher that sets the process limits, and never in a jail.
   */
  command: z.optional(z.array(z.string()).check(z.minLength(1))),
});

/** Options of `createSandbox`. Times in ms, sizes in bytes. Unknown keys are refused. */
export type SandboxOptions = z.input<typeof sandboxOptionsSchema>;
export type ResolvedOptions = z.output<typeof sandboxOptionsSchema> & { maxTimeoutMs: number };

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseSandboxOptions(options: unknown): ResolvedOptions {
  const parsed = parse(sandboxOptionsSchema, options, 'createSandbox()');
  const { limits, maxTimeoutMs = Math.max(defaultMaxTimeoutMs, limits?.timeoutMs ?? 0) } = parsed;
  return { ...parsed, maxTimeoutMs };
}

const callback = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', 'must be a function');

/**
 * Fields that the host leaves out stay out, and the sidecar fills in its own defaults. A sidecar of an older release,
 * such as one at a server, would refuse the name of a newer built-in.
 */
const hostsScopeSchema = z.extend(scopeSchema, { builtins: z.optional(scopeSchema.shape.builtins.def.innerType) });

const runShape = {
  script: z.string(),
  inputs: z.optional(z.unknown()),
  scope: z.optional(hostsScopeSchema),
  limits: z.optional(limitOptionsSchema),
  engine: z.optional(z.enum(engineChoices)),
  signal: z.optional(z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')),
  onStart: z.optional(callback),
  onConsole: z.optional(callback),
  onProgress: z.optional(callback),
};

/** Options of `run`. */
export const runOptionsSchema = z.strictObject({
  ...runShape,
  hostFunctions: z._default(
    z.record(
      z.string(),
      z.union([callback, z.strictObject({ handler: callback, timeoutMs: z.optional(ms) })], {
        error: 'must be a function, or { handler, timeoutMs }',
      }),
    ),
    {},
  ),
  profile: z.optional(z.boolean()),
  outputs: z.optional(outputsSchema),
});

const answerSchema = z.union([
  z.strictObject({ id: count, value: z.unknown() }),
  z.strictObject({ id: count, error: hostErrorSchema }),
]);

/** Options of `runSegment`. */
export const segmentOptionsSchema = z.strictObject({
  ...runShape,
  hostFunctions: z._default(z.array(z.string()), []),
  from: z.optional(
    z.strictObject({
      snapshot: z.instanceof(Uint8Array),
      answers: z.array(answerSchema).check(z.minLength(1)),
    }),
  ),
});
