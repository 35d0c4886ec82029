import * as z from 'zod/mini';
import { isErrorCode, type ErrorCode } from './errors.ts';
import { limitsSchema, limitTable, maxConsoleBytes, readLimitsShape } from './limits.ts';
import { maxRoots } from './roots.ts';
import type { WireValue } from './values.ts';

/** Both sides refuse any other version, naming both. Raise it with every incompatible change of this file. */
export const protocolVersion = 2;

/** The read-only capabilities that live in the sidecar. Host capabilities cannot take these names. */
export const builtinCapabilities = ['read_file', 'list_files', 'file_stats'] as const;
export type BuiltinCapability = (typeof builtinCapabilities)[number];

/** Names that a host capability or an input may have: identifiers of the script language. */
export const identifierPattern = /^[A-Za-z_$][\w$]{0,63}$/;

const text = (bytes: number): z.ZodMiniString<string> => z.string().check(z.maxLength(bytes));
const identifier = z.string().check(z.regex(identifierPattern));
const runId = text(64);
const count = z.int().check(z.gte(0));

const wireValueSchema = z.union([
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ tagged: z.unknown() }),
]) as z.ZodMiniType<WireValue, WireValue>;

export const scopeSchema = z.strictObject({
  /** Absolute path of the folder the script may read in; none: no folder. */
  root: z.optional(text(4096)),
  /** Files the script may read as `attachments:<name>`, by absolute path, wherever they are. */
  attachments: z._default(
    z.array(z.strictObject({ name: text(255), path: text(4096) })).check(z.maxLength(10_000)),
    [],
  ),
  /** More patterns to refuse, in addition to the denylist, which nothing shortens. */
  deny: z._default(z.array(text(1024)).check(z.maxLength(1000)), []),
  /** The built-in capabilities the script may call. */
  capabilities: z._default(z.array(z.enum(builtinCapabilities)), [...builtinCapabilities]),
  ...readLimitsShape,
});

/** What one run may read. All sizes in bytes. */
export type Scope = z.output<typeof scopeSchema>;
export type ScopeOptions = z.input<typeof scopeSchema>;

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export const consoleLevels = ['log', 'warn', 'error'] as const;
export type ConsoleLevel = (typeof consoleLevels)[number];

const engineSchema = z.strictObject({
  name: z.string(),
  version: z.optional(z.string()),
  available: z.boolean(),
  /** The binding's file, where it was found. */
  path: z.optional(z.string()),
  /** Why it is not available: names the platform, the package and the reason. */
  reason: z.optional(z.string()),
});
export type EngineInfo = z.output<typeof engineSchema>;

const limitNumbers = z.record(z.string(), z.number());

const diagnosticSchema = z.strictObject({
  code: z.string() as unknown as z.ZodMiniType<ErrorCode, ErrorCode>,
  message: z.string(),
  location: z.optional(
    z.strictObject({
      line: count,
      column: count,
      endLine: count,
      endColumn: count,
      precision: z.enum(['statement', 'function']),
      functionName: z.optional(z.string()),
    }),
  ),
  frame: z.optional(z.string()),
});
export type Diagnostic = z.output<typeof diagnosticSchema>;

/** What the engine and the file system did for one run. */
const runStatsShape = {
  /** Wall time in the sidecar, in ms, without the time that host functions took. */
  executionMs: z.number().check(z.gte(0)),
  /** Bytecode instructions, as the engine counts them. */
  instructionsUsed: count,
  /** Growth of the sidecar's peak resident memory over its level before the run, in bytes. */
  heapBytesUsed: count,
  /** Capability calls, built-in and host; console calls are not counted. */
  hostCalls: count,
  /** Bytes read from files. */
  bytesRead: count,
};
const runStatsSchema = z.strictObject(runStatsShape);
export type RunStats = z.output<typeof runStatsSchema>;

/** What a host function threw, as the script will see it. */
const hostErrorSchema = z.strictObject({
  name: text(256),
  message: text(16 * 1024),
  code: z.optional(text(256)),
});
export type HostError = z.output<typeof hostErrorSchema>;

/** Every request, by its method name: the schemas of its params and of its result. */
export const requests = {
  /** client → sidecar, first and once. `protocolVersion` is checked before anything else. */
  initialize: {
    params: z.strictObject({
      protocolVersion: z.int(),
      client: z.strictObject({ name: text(128), version: text(64) }),
      logLevel: z._default(z.enum(logLevels), 'warn'),
      /** Process to live and die with. The sidecar kills itself when it is no longer this process's child. */
      hostPid: z.optional(count),
      /** The sidecar kills itself when its resident memory passes this many bytes. */
      maxResidentBytes: z.optional(count),
      /** Link-free absolute paths. Given, every run's root and attachments must lie inside them. */
      roots: z.optional(z.array(text(4096)).check(z.maxLength(maxRoots))),
    }),
    result: z.strictObject({
      protocolVersion: z.int(),
      server: z.strictObject({ name: z.string(), version: z.string() }),
      pid: count,
      engine: engineSchema,
      limits: limitNumbers,
      ceilings: limitNumbers,
    }),
  },
  /** client → sidecar. One at a time. */
  'sandbox/run': {
    params: z.strictObject({
      runId,
      script: text(limitTable.scriptBytes.ceiling),
      /** An object; each key becomes a global variable of the script. */
      inputs: z.optional(wireValueSchema),
      scope: scopeSchema,
      limits: limitsSchema,
      hostCapabilities: z._default(z.array(identifier).check(z.maxLength(256)), []),
    }),
    result: z.strictObject({
      value: wireValueSchema,
      ...runStatsShape,
      /** Resident memory of the sidecar in bytes, as it was after the run before this one. */
      residentBytes: count,
    }),
  },
  /** client → sidecar. Compiles, runs nothing. */
  'sandbox/validate': {
    params: z.strictObject({ script: text(limitTable.scriptBytes.ceiling) }),
    result: z.strictObject({ diagnostics: z.array(diagnosticSchema) }),
  },
  /** sidecar → client, while a run that named the capability waits. `args` is an array. */
  'sandbox/callCapability': {
    params: z.strictObject({ runId, name: identifier, args: wireValueSchema }),
    result: z.union([z.strictObject({ value: wireValueSchema }), z.strictObject({ error: hostErrorSchema })]),
  },
  /** client → sidecar. Answered at once when no run is under way. */
  ping: { params: z.strictObject({}), result: z.strictObject({}) },
  /** client → sidecar. After the answer only `exit` may follow. */
  shutdown: { params: z.strictObject({}), result: z.strictObject({}) },
} as const;

/** Every notification, by its method name. Cancellation is JSON-RPC's usual `$/cancelRequest`. */
export const notifications = {
  /** sidecar → client, as it happens and always before the run's result. */
  'sandbox/console': z.strictObject({
    runId,
    level: z.enum(consoleLevels),
    text: text(2 * maxConsoleBytes),
  }),
  /** client → sidecar: end the process. */
  exit: z.strictObject({}),
} as const;

export type RequestMethod = keyof typeof requests;
export type NotificationMethod = keyof typeof notifications;
/** Params as the sender writes them: what has a default may be left out. */
export type ParamsIn<M extends RequestMethod> = z.input<(typeof requests)[M]['params']>;
/** Params as the handler gets them: defaults filled in. */
export type Params<M extends RequestMethod> = z.output<(typeof requests)[M]['params']>;
export type Result<M extends RequestMethod> = z.output<(typeof requests)[M]['result']>;
export type Notice<M extends NotificationMethod> = z.output<(typeof notifications)[M]>;

/** `data` of every JSON-RPC error response. */
export const errorDataSchema = z.object({
  code: z.string().check(z.refine(isErrorCode)),
  details: z.optional(z.record(z.string(), z.unknown())),
});
