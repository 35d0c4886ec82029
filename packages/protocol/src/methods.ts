import * as z from 'zod/mini';
import { engineChoices, engineNames } from './engines.ts';
import { limitsSchema, limitTable, maxAttachmentsRead, maxConsoleCharacters, maxRoots, type Limits } from './limits.ts';
import { diagnosticSchema, maxProblems, maxWarnings, warningSchema } from './messages/diagnostics.ts';
import {
  functionName,
  hostErrorSchema,
  mostPending,
  pendingCallSchema,
  segmentAnswerSchema,
  snapshotSchema,
  wireValueSchema,
} from './messages/host-calls.ts';
import { defaultScope, scopeSchema } from './messages/scope.ts';
import { runStatsShape, spentSchema } from './messages/stats.ts';
import { maxHostFunctions } from './names.ts';
import { runProfileSchema } from './profile.ts';
import { count, duration, text } from './scalars.ts';

/**
 * Each side refuses any other version with an error that names both. Raise it with every incompatible change of this
 * file or of what it uses from `messages`.
 */
export const protocolVersion = 2;

/** Identifies the run in console lines and capability calls. The client chooses it. */
const runId = text(64);
/** Made once, as the default of the scope. */
const defaultLimits: Readonly<Limits> = Object.freeze(z.parse(limitsSchema, {}));

/** How much the sidecar writes to stderr. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
/** The function of the console that the script called. */
export const consoleLevels = ['log', 'warn', 'error'] as const;
/** The name of a function of the console. */
export type ConsoleLevel = (typeof consoleLevels)[number];

/** The engine MustardScript, and whether it could be loaded. Without it every script runs in QuickJS. */
export const engineSchema = z.strictObject({
  /** `mustardscript`. */
  name: text(128),
  /** Its version. Absent when it was not found. */
  version: z.optional(text(64)),
  /** Whether it can run scripts. If not, a run that asks for MustardScript by name fails with `engine_unavailable`. */
  available: z.boolean(),
  /** The path of the binding's file. Absent when it was not found. */
  path: z.optional(text(4096)),
  /** Why it is not available. The text names the platform, the package and the cause. */
  reason: z.optional(text(4096)),
});
/** The engine MustardScript, as a sidecar found it. */
export type EngineInfo = z.output<typeof engineSchema>;

const limitNumbers = z.record(z.string(), z.number());

const runParamsShape = {
  runId,
  /** Source text. The value of its last statement is the result. */
  script: text(limitTable.scriptBytes.ceiling),
  /** An object; each key becomes a global variable of the script. */
  inputs: z.optional(wireValueSchema),
  /**
   * What the script may read.
   *
   * @defaultValue the default of each field
   */
  scope: z._default(scopeSchema, () => defaultScope),
  /**
   * What the script may use.
   *
   * @defaultValue the default of each limit
   */
  limits: z._default(limitsSchema, () => defaultLimits),
  /**
   * Names of functions that the client serves. Each is a global of the script, or is in a namespace, as
   * `github.search_issues`.
   */
  hostFunctions: z._default(z.array(functionName).check(z.maxLength(maxHostFunctions)), []),
  /** Which engine runs the script. `auto` chooses by the text of the script alone. */
  engine: z._default(z.enum(engineChoices), 'auto'),
};

const segmentResultShape = {
  /** The engine that ran the segment. */
  engine: z.enum(engineNames),
  /**
   * The numbers count from the start of the run, except for `heapBytesUsed`, which is that of the segment that used
   * most.
   */
  ...runStatsShape,
  /** As in the result of `sandbox/run`. */
  warnings: z.optional(z.array(warningSchema).check(z.maxLength(maxWarnings))),
  /** As in the result of `sandbox/run`, but for all segments so far. */
  attachmentsRead: z.optional(z.array(text(255)).check(z.maxLength(maxAttachmentsRead))),
  /** As in the result of `sandbox/run`. */
  residentBytes: count,
};

/** Every request, by its method name: the schemas of its params and of its result. */
export const requests = {
  /**
   * client → sidecar. Must be the first request, and is sent once. `protocolVersion` is checked before the other
   * params. Before `initialize` the sidecar answers only `ping` and `shutdown`, and refuses every other request with
   * `protocol_error`.
   */
  initialize: {
    params: z.strictObject({
      /** The version that the client speaks. */
      protocolVersion: z.int(),
      /** Who is calling; for the log. */
      client: z.strictObject({ name: text(128), version: text(64) }),
      /** How much the sidecar writes to stderr. */
      logLevel: z._default(z.enum(logLevels), 'warn'),
      /** The pid of the host. The sidecar kills itself when it is no longer a child of this process. */
      hostPid: z.optional(count),
      /** How long a run may take to end by itself after its time is up, in ms. After that the sidecar kills itself. */
      graceMs: z._default(count, 75),
      /** The sidecar kills itself when its resident memory exceeds this many bytes. */
      maxResidentBytes: z.optional(count),
      /**
       * Whether to send `sandbox/progress`. The client needs it to report what a run had used when its sidecar dies.
       */
      progress: z.optional(z.boolean()),
      /** Absolute paths without links. When given, the root and the attachments of every run must lie inside them. */
      roots: z.optional(z.array(text(4096)).check(z.maxLength(maxRoots))),
    }),
    result: z.strictObject({
      /** The version that the sidecar speaks. It equals that of the client. */
      protocolVersion: z.int(),
      /** The package of the sidecar. The version is used in messages only. */
      server: z.strictObject({ name: z.string(), version: z.string() }),
      /** The pid of the process that the client kills when it must. */
      pid: count,
      engine: engineSchema,
      /** The default of each limit, by its name. */
      limits: limitNumbers,
      /** The ceiling of each limit, by its name. */
      ceilings: limitNumbers,
    }),
  },
  /**
   * client → sidecar. Runs one script. A sidecar runs one script at a time. During a run it reads cancellations and the
   * answers to the run's calls; it answers other requests after the run. A second run begins after the answer to the
   * first one was written.
   */
  'sandbox/run': {
    params: z.strictObject({
      ...runParamsShape,
      /** Whether to measure every capability call. Costs nothing when it is left out. */
      profile: z.optional(z.boolean()),
    }),
    result: z.strictObject({
      /** The result of the script. */
      value: wireValueSchema,
      /** The engine that ran it. */
      engine: z.enum(engineNames),
      ...runStatsShape,
      /** Parts of the script that may do something else here than in JavaScript. Absent when there are none. */
      warnings: z.optional(z.array(warningSchema).check(z.maxLength(maxWarnings))),
      /** Names of the attachments that `read_file` read from. Absent when there are none. */
      attachmentsRead: z.optional(z.array(text(255)).check(z.maxLength(maxAttachmentsRead))),
      /** The profile of a run with `profile`. A run that fails after it began has it in its error's `details`. */
      profile: z.optional(runProfileSchema),
      /** Resident memory of the sidecar in bytes: measured after a large run, else the last value measured. */
      residentBytes: count,
    }),
  },
  /**
   * client → sidecar. Runs a script until it ends, or until it can do nothing but wait for its host functions. Then the
   * segment is over, and keeps nothing in this process. The next segment begins with the snapshot and with answers, in
   * this sidecar or in another one. All other params must be the same, except that the limits may be higher.
   */
  'sandbox/runSegment': {
    params: z.strictObject({
      /** Where the run continues. Absent for the first segment. The snapshot holds the `inputs`. */
      from: z.optional(
        z.strictObject({
          /** The snapshot that the previous segment returned. */
          snapshot: snapshotSchema,
          /** The answers, in the order in which the script gets them. A call without an answer stays pending. */
          answers: z.array(segmentAnswerSchema).check(z.minLength(1), z.maxLength(mostPending)),
        }),
      ),
      ...runParamsShape,
    }),
    result: z.union([
      z.strictObject({
        /** `completed`: the script has ended. */
        state: z.literal('completed'),
        /** The result of the script. */
        value: wireValueSchema,
        ...segmentResultShape,
      }),
      z.strictObject({
        /** `waiting`: the script waits for its calls. */
        state: z.literal('waiting'),
        /** The waiting run. It is neither signed nor encrypted, and a sidecar trusts it. */
        snapshot: snapshotSchema,
        /** The version of the engine. No other version can continue from the snapshot. */
        engineVersion: text(128),
        /** All calls that it waits for, in the order in which the script made them. */
        calls: z.array(pendingCallSchema).check(z.minLength(1), z.maxLength(mostPending)),
        ...segmentResultShape,
      }),
    ]),
  },
  /** client → sidecar. Compiles a script and runs nothing. */
  'sandbox/validate': {
    params: z.strictObject({
      /** Source text. */
      script: text(limitTable.scriptBytes.ceiling),
      /** The engine that would run it. */
      engine: z._default(z.enum(engineChoices), 'auto'),
    }),
    result: z.strictObject({
      /** Empty for a script that compiles. */
      diagnostics: z.array(diagnosticSchema).check(z.maxLength(maxProblems)),
    }),
  },
  /**
   * sidecar → client. The script called a host function. If the script has no `await`, at most one call is pending. The
   * clock of `timeoutMs` stands still during the call, so the client bounds the time of its functions. When a function
   * fails, the request has a result with `error`.
   */
  'sandbox/callHostFunction': {
    params: z.strictObject({
      runId,
      /** One of the run's `hostFunctions`. */
      name: functionName,
      /** An array. */
      args: wireValueSchema,
      /** How much of `timeoutMs` the run has used, in ms by the sidecar's clock. It never decreases. */
      executionMs: duration,
    }),
    result: z.union([
      z.strictObject({
        /** What the function returned. */
        value: wireValueSchema,
      }),
      z.strictObject({ error: hostErrorSchema }),
    ]),
  },
  /** client → sidecar. Answered at once when no run is under way. */
  ping: { params: z.strictObject({}), result: z.strictObject({}) },
  /** client → sidecar. From now on the sidecar refuses new runs, but finishes the present one. Send `exit` after it. */
  shutdown: { params: z.strictObject({}), result: z.strictObject({}) },
} as const;

/**
 * Every notification, by its method name: the schema of its params. A request is cancelled by the usual
 * `$/cancelRequest` of JSON-RPC.
 */
export const notifications = {
  /** sidecar → client. A console call of the script, as it happens and always before the run's result. */
  'sandbox/console': z.strictObject({
    runId,
    /** Which of the console's functions the script called. */
    level: z.enum(consoleLevels),
    /** The arguments as one text for people. Objects are written in the manner of Node's `util.inspect`. */
    text: text(2 * maxConsoleCharacters),
  }),
  /**
   * sidecar → client. What a run has used so far. It is sent only when `initialize` asked for it: after 2 ms, after
   * twice that and so on, then every 50 ms, each time at a call of a capability or while a built-in works. Calls of
   * host functions under 2 ms do not count. A process that dies sends no last one.
   */
  'sandbox/progress': z.strictObject({
    runId,
    /** As in the `details` of a run that failed. */
    spent: spentSchema,
  }),
  /** client → sidecar. Ends the process at once, with exit code 0. */
  exit: z.strictObject({}),
} as const;

/** The name of a request. */
export type RequestMethod = keyof typeof requests;
/** The name of a notification. */
export type NotificationMethod = keyof typeof notifications;
/** Params as the sender writes them: fields with a default may be left out. */
export type ParamsIn<M extends RequestMethod> = z.input<(typeof requests)[M]['params']>;
/** Params as the handler gets them: defaults filled in. */
export type Params<M extends RequestMethod> = z.output<(typeof requests)[M]['params']>;
/** The result of a request. */
export type Result<M extends RequestMethod> = z.output<(typeof requests)[M]['result']>;
/** The params of a notification. */
export type Notice<M extends NotificationMethod> = z.output<(typeof notifications)[M]>;
