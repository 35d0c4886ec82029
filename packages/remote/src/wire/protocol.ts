import {
  engineSchema,
  errorDataSchema,
  isErrorCode,
  limitOptionsSchema,
  maxErrorText,
  notifications,
  requests,
  scopeSchema,
  type ErrorCode,
  type Protocol,
} from '@mustard-sandbox/protocol';
import * as z from 'zod/mini';
import { artifactSchema } from './artifact.ts';
import { fileInputSchema, fileWrapperSchema, folderWrapperSchema, maxWrappers, missingFiles } from './files.ts';

/**
 * The two dialects, as subprotocols of the WebSocket. The first one is what a sidecar speaks on its pipe. The second one
 * adds files, events and several runs at a time.
 */
export const dialects = { plain: 'mustard-sandbox.1', remote: 'mustard-sandbox.1.remote' } as const;

/** Where the WebSocket is. */
export const socketPath = '/v1/sandbox';

/**
 * With this code a server closes the connection of a client that does nothing, when another client of the same token
 * waits for one. What arrives on it from then on is not run.
 */
export const gaveWayCode = 4001;

const MiB = 1024 * 1024;
/** What may ride in one message, before it is written as base64. A larger file is uploaded over HTTP. */
export const maxInlineBytes = 32 * MiB;
/** The largest frame of either dialect: inline content as base64, and what is beside it. */
export const maxFrameBytes = 48 * MiB;

const text = (length: number): z.ZodMiniString<string> => z.string().check(z.maxLength(length));
const count = z.int().check(z.gte(0));
const duration = z.number().check(z.gte(0));
/** Names of features, both ways. A name that is not known is ignored. */
const capabilities = z._default(z.array(text(64)).check(z.maxLength(64)), []);

/** A server that may have a file in place asks the client for the hashes of files of up to `maxComparedBytes`. */
export const comparesInPlace = 'compares_in_place';

/**
 * What this release can do beyond the dialect itself. `starts_in_results`: the client takes the start of a short run from
 * its result. `sparse_runs`: the server takes runs without scope and limits. `gives_way`: the client knows what
 * `gaveWayCode` means. A server also says what it knows by name.
 */
export const ownCapabilities: readonly string[] = [
  'artifacts',
  'trees',
  'unhashed_uploads',
  'profile_artifacts',
  'starts_in_results',
  'sparse_runs',
  'gives_way',
];

const { deny, builtins, maxReadBytes, maxTotalReadBytes } = scopeSchema.shape;
/** Nothing is filled in: the sidecar does that, and what is left out need not be sent to it. */
const remoteScopeSchema = z.strictObject({
  /** A path of the server, as a text; or a folder of the client, wrapped. */
  root: z.optional(z.union([text(4096), folderWrapperSchema])),
  attachments: z.optional(
    z
      .array(
        z.strictObject({
          name: text(255),
          path: z.union([text(4096), fileWrapperSchema]),
          noLinks: z.optional(z.boolean()),
        }),
      )
      .check(z.maxLength(maxWrappers)),
  ),
  deny: z.optional(deny.def.innerType),
  builtins: z.optional(builtins.def.innerType),
  maxReadBytes: z.optional(maxReadBytes.def.innerType),
  maxTotalReadBytes: z.optional(maxTotalReadBytes.def.innerType),
});

const run = requests['sandbox/run'];
const { value, profile, residentBytes: _, ...runResultShape } = run.result.shape;

/** What is known of the sandbox of a token. Its paths stay at the server. */
const statsSchema = z.object({
  state: z.enum(['idle', 'running', 'backing_off', 'unavailable', 'closed']),
  processes: z
    .array(
      z.object({
        sidecar: count,
        state: z.enum(['starting', 'ready', 'busy', 'stopping', 'exited']),
        runs: count,
        residentBytes: count,
      }),
    )
    .check(z.maxLength(10_000)),
  queued: count,
  isolation: z.object({
    requested: z.enum(['process', 'jail', 'auto']),
    active: z.optional(z.enum(['process', 'jail'])),
    by: z.optional(text(256)),
    reason: z.optional(text(maxErrorText)),
    degraded: z.optional(z.literal(true)),
  }),
  quarantinedScripts: count,
});
/** What is known of the sandbox of a token. */
export type RemoteStats = z.output<typeof statsSchema>;

/** What a client is told of the processes that run its scripts. */
export const forwardedEvents = [
  'spawned',
  'ready',
  'crashed',
  'killed',
  'retired',
  'isolation_degraded',
  'backing_off',
  'unavailable',
  'recovered',
  'quarantined',
] as const;

const handleSchema = z.strictObject({ artifact: artifactSchema });

const remoteRequests = {
  /** client → server. The first request, as in the plain dialect. Further fields are ignored, both ways. */
  initialize: {
    params: z.object({ ...requests.initialize.params.shape, capabilities }),
    result: z.object({
      ...requests.initialize.result.shape,
      capabilities,
      /** The parameters that are paths of the client. */
      fileInputs: z.array(fileInputSchema).check(z.maxLength(64)),
      /** The most content that one message may carry. */
      maxInlineBytes: count,
      /** The largest file that it takes, over HTTP. */
      maxFileBytes: count,
      stats: statsSchema,
      /** Over a Unix socket: where artifacts lie, by their ids. A client that can read them there copies none. */
      artifactsFolder: z.optional(text(4096)),
    }),
  },
  /** client → server. Several may be under way. One that names files which are not there fails before anything is run. */
  'sandbox/run': {
    params: z.extend(run.params, {
      scope: z.optional(remoteScopeSchema),
      limits: z.optional(limitOptionsSchema),
      /** The run whose host function starts this one, if any. */
      within: z.optional(text(64)),
    }),
    result: z.strictObject({
      ...runResultShape,
      /** The result, or where to fetch it. */
      value: z.union([value, handleSchema]),
      /** The profile, or where to fetch it for a client with the capability `profile_artifacts`. */
      profile: z.optional(z.union([profile.def.innerType, handleSchema])),
      queueMs: duration,
      /**
       * The process that took up the run, where that was not told before; for a client with the capability
       * `starts_in_results`.
       */
      sidecar: z.optional(count),
    }),
  },
  'sandbox/validate': requests['sandbox/validate'],
  /** client → server. Has a sidecar started. */
  'sandbox/warm': { params: z.strictObject({}), result: z.strictObject({ engine: engineSchema }) },
  'sandbox/callHostFunction': requests['sandbox/callHostFunction'],
  ping: requests.ping,
  shutdown: requests.shutdown,
  /** client → server. Whether a file is there, and how. Never fails for one that is not. */
  'files/probe': {
    params: z.strictObject({ file: z.union([fileWrapperSchema, folderWrapperSchema]) }),
    result: z.strictObject({ there: z.boolean(), how: z.enum(['in_place', 'stored', 'missing']) }),
  },
} as const;

const remoteNotifications = {
  ...notifications,
  /** server → client. A process took up the run. */
  'sandbox/started': z.strictObject({ runId: text(64), sidecar: count, queueMs: duration }),
  /** server → client. Something happened to the processes of this token. */
  'sandbox/event': z.object({ event: text(64), facts: z.record(text(64), z.unknown()) }),
  /** server → client. What there is now. */
  'sandbox/stats': statsSchema,
} as const;

/** A server may say what only a client of sidecars can know. */
const anyCode = z.string().check(z.refine(isErrorCode, 'no error code')) as unknown as z.ZodMiniType<
  ErrorCode,
  ErrorCode
>;

const plainDetails = errorDataSchema.shape.details.def.innerType;

const remoteErrorData = z.strictObject({
  code: anyCode,
  details: z.optional(
    z.extend(plainDetails, {
      reason: z.optional(z.enum(['out_of_memory', 'stack_overflow', 'abort', 'killed', 'exit'])),
      signal: z.optional(text(32)),
      exitCode: z.optional(z.int()),
      causeCode: z.optional(text(64)),
      scriptHash: z.optional(text(128)),
      crashes: z.optional(count),
      retryMs: z.optional(duration),
      /** As in HTTP: 404 for content that the server has not got, 422 for what it cannot get by itself. */
      status: z.optional(z.int()),
      /** Files to send before the same request can succeed. */
      missing: z.optional(missingFiles),
    }),
  ),
});

/** The remote dialect. */
export const remoteProtocol = {
  requests: remoteRequests,
  notifications: remoteNotifications,
  errorData: remoteErrorData,
} as const satisfies Protocol;
/** Its type. */
export type RemoteProtocol = typeof remoteProtocol;
