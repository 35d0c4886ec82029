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
 * The two dialects, as subprotocols of the WebSocket. The first one is the protocol of a sidecar. The second one adds
 * files, events and several runs at a time.
 */
export const dialects = { plain: 'mustard-sandbox.1', remote: 'mustard-sandbox.1.remote' } as const;

/** The path of the WebSocket. */
export const socketPath = '/v1/sandbox';

/**
 * The code with which a server closes the connection of an idle client when another client of the same token waits for
 * one. What arrives on it from then on is not run.
 */
export const gaveWayCode = 4001;

const MiB = 1024 * 1024;
/** How many bytes of content one message may hold, before base64. A larger file is uploaded over HTTP. */
export const maxInlineBytes = 32 * MiB;
/** The largest frame of either dialect: inline content as base64, and the fields around it. */
export const maxFrameBytes = 48 * MiB;

const text = (length: number): z.ZodMiniString<string> => z.string().check(z.maxLength(length));
const count = z.int().check(z.gte(0));
const duration = z.number().check(z.gte(0));
/** Names of features, in both directions. An unknown name is ignored. */
const capabilities = z._default(z.array(text(64)).check(z.maxLength(64)), []);

/** A server that may have a file in place asks the client for the hashes of files of up to `maxComparedBytes`. */
export const comparesInPlace = 'compares_in_place';

/**
 * What this release can do in addition to the dialect itself. `starts_in_results`: the client takes the start of a
 * short run from its result. `sparse_runs`: the server accepts runs without scope and limits. `gives_way`: the client
 * knows the meaning of `gaveWayCode`. A server also lists the names that it knows.
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
/** No defaults are filled in, because the sidecar does that, and a field that is left out need not be sent. */
const remoteScopeSchema = z.strictObject({
  /** A path of the server as a text, or a folder of the client, wrapped. */
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

/** The statistics of a token's sandbox. Its paths stay at the server. */
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
/** The statistics of a token's sandbox. */
export type RemoteStats = z.output<typeof statsSchema>;

/** The events of sidecars that a client gets. */
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
  /** client → server. The first request, as in the plain dialect. Unknown fields are ignored in both directions. */
  initialize: {
    params: z.object({ ...requests.initialize.params.shape, capabilities }),
    result: z.object({
      ...requests.initialize.result.shape,
      capabilities,
      /** The parameters that are paths of the client. */
      fileInputs: z.array(fileInputSchema).check(z.maxLength(64)),
      /** The most bytes of content in one message. */
      maxInlineBytes: count,
      /** The largest file that it accepts, over HTTP. */
      maxFileBytes: count,
      stats: statsSchema,
      /** Over a Unix socket: where artifacts lie, by their ids. A client that can read them there copies none. */
      artifactsFolder: z.optional(text(4096)),
    }),
  },
  /** client → server. Several may be open at a time. A run that names missing files fails before anything is run. */
  'sandbox/run': {
    params: z.extend(run.params, {
      scope: z.optional(remoteScopeSchema),
      limits: z.optional(limitOptionsSchema),
      /** The run whose host function starts this one, if any. */
      within: z.optional(text(64)),
    }),
    result: z.strictObject({
      ...runResultShape,
      /** The result, or a handle with which to fetch it. */
      value: z.union([value, handleSchema]),
      /** The profile, or a handle with which to fetch it for a client with the capability `profile_artifacts`. */
      profile: z.optional(z.union([profile.def.innerType, handleSchema])),
      queueMs: duration,
      /**
       * The process that took the run, if that was not reported before; for a client with the capability
       * `starts_in_results`.
       */
      sidecar: z.optional(count),
    }),
  },
  'sandbox/validate': requests['sandbox/validate'],
  /** client → server. Starts a sidecar. */
  'sandbox/warm': { params: z.strictObject({}), result: z.strictObject({ engine: engineSchema }) },
  'sandbox/callHostFunction': requests['sandbox/callHostFunction'],
  ping: requests.ping,
  shutdown: requests.shutdown,
  /** client → server. Whether a file is there, and where. It does not fail for a missing file. */
  'files/probe': {
    params: z.strictObject({ file: z.union([fileWrapperSchema, folderWrapperSchema]) }),
    result: z.strictObject({ there: z.boolean(), how: z.enum(['in_place', 'stored', 'missing']) }),
  },
} as const;

const remoteNotifications = {
  ...notifications,
  /** server → client. A process took the run. */
  'sandbox/started': z.strictObject({ runId: text(64), sidecar: count, queueMs: duration }),
  /** server → client. Something happened to the processes of this token. */
  'sandbox/event': z.object({ event: text(64), facts: z.record(text(64), z.unknown()) }),
  /** server → client. The present statistics. */
  'sandbox/stats': statsSchema,
} as const;

/** A server may send codes that a sidecar may not, because it is a client of sidecars. */
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
      /** As in HTTP: 404 for content that the server does not have, 422 for something that it cannot get by itself. */
      status: z.optional(z.int()),
      /** Files that must be sent before the same request can succeed. */
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
/** The type of `remoteProtocol`. */
export type RemoteProtocol = typeof remoteProtocol;
