import * as z from 'zod/mini';

const KiB = 1024;
const MiB = 1024 * KiB;

/** The units of limits, as `details.unit` names them. */
export const limitUnits = ['ms', 'bytes', 'instructions', 'allocations', 'calls', 'items', 'runs'] as const;
/** What a limit counts. */
export type LimitUnit = (typeof limitUnits)[number];

interface LimitRow {
  /** The value for a run that does not set it. */
  default: number;
  /** The most that a run may ask for. */
  ceiling: number;
  unit: LimitUnit;
  /** The name in `details.limit` of a `limit_exceeded` error. */
  name: string;
}

/**
 * Every limit of a run. The engine enforces heap, instructions, allocations and call depth. The sidecar enforces the
 * others. The client enforces `timeoutMs` once more, with SIGKILL.
 */
export const limitTable = {
  /**
   * Time to compute, in ms. The sidecar's processor time counts, but never more than the wall time. The clock stands
   * still while a host function is pending. A run that gets too little processor time ends after four times
   * `timeoutMs`.
   */
  timeoutMs: { default: 2_000, ceiling: 3_600_000, unit: 'ms', name: 'timeout_ms' },
  /** The script, in bytes of UTF-8. */
  scriptBytes: { default: 32 * KiB, ceiling: 128 * KiB, unit: 'bytes', name: 'script_bytes' },
  // 64 MiB is the default because with 16 MiB the collector of MustardScript takes all the time.
  /** The most memory that the script's values may hold at a time. */
  heapBytes: { default: 64 * MiB, ceiling: 256 * MiB, unit: 'bytes', name: 'heap_bytes' },
  /** Turns of loops and calls in QuickJS, bytecode instructions in MustardScript. */
  instructions: { default: 200e6, ceiling: 400e9, unit: 'instructions', name: 'instructions' },
  /** Objects, arrays and strings that the script makes. Only MustardScript counts them. */
  allocations: { default: 1e6, ceiling: 5e6, unit: 'allocations', name: 'allocations' },
  /** Depth of nested calls, in MustardScript. QuickJS has a stack of a fixed size. */
  callDepth: { default: 256, ceiling: 512, unit: 'calls', name: 'call_depth' },
  /** Capability calls that the script has begun and whose promises have not settled yet. */
  outstandingHostCalls: { default: 128, ceiling: 128, unit: 'calls', name: 'outstanding_host_calls' },
  /** Calls of host functions, in the whole run. */
  hostCalls: { default: 100_000, ceiling: 1_000_000, unit: 'calls', name: 'host_calls' },
  /** The result, as JSON on the wire. */
  outputBytes: { default: 10 * MiB, ceiling: 10 * MiB, unit: 'bytes', name: 'output_bytes' },
  // The ceiling leaves room for the answers: snapshot and answers must fit into one frame, as base64.
  /** The size of a snapshot, packed. */
  snapshotBytes: { default: 4 * MiB, ceiling: 6 * MiB, unit: 'bytes', name: 'snapshot_bytes' },
} as const satisfies Record<string, LimitRow>;

/** The name of one limit, as an option. */
export type LimitOption = keyof typeof limitTable;

const advice = {
  timeoutMs: 'Read less, use fewer passes over smaller texts and arrays',
  instructions: 'Do less per element, or read less',
  heapBytes: 'Keep only what the answer needs instead of whole files or large arrays',
  allocations: 'Create fewer objects and arrays in loops',
  callDepth: 'Turn the recursion into a loop',
  outstandingHostCalls: 'Await host calls in smaller groups',
  hostCalls: 'Pass more data in each call',
  snapshotBytes: 'Keep less while the script waits: counts and slices instead of whole files',
} as const satisfies Partial<Record<LimitOption, string>>;

/** The sentence that ends the error of a run that exceeded this limit. It says what the caller can do. */
export function limitAdvice(option: keyof typeof advice): string {
  // A client may set `maxTimeoutMs` below the ceiling, so the sentence does not name the ceiling.
  const most = option === 'timeoutMs' ? '' : ` (at most ${limitTable[option].ceiling})`;
  return `${advice[option]}, or raise limits.${option}${most}.`;
}

/** The highest `timeoutMs` of a run, unless the client was created with a higher `maxTimeoutMs`. */
export const defaultMaxTimeoutMs = 10_000;

/** Limits of reading: for one `read_file`, and for all reading of one run. */
export const readLimitTable = {
  /** How much one `read_file` may read. */
  maxReadBytes: { default: 1 * MiB, ceiling: 20 * MiB, unit: 'bytes', name: 'read_bytes' },
  /** How much one run may read in all. */
  maxTotalReadBytes: { default: 256 * MiB, ceiling: 16 * 1024 * MiB, unit: 'bytes', name: 'total_read_bytes' },
} as const satisfies Record<string, LimitRow>;

/** `details.limit` of limits that no option of a run sets. */
const fixedLimits = [
  // These bound a value that crosses into the script or out of it.
  'input_bytes',
  'argument_bytes',
  'value_items',
  // This one bounds one call of a built-in.
  'capability_ms',
  // This one bounds the memory of DuckDB for one query.
  'query_bytes',
  // This one is a bound inside the engine.
  'engine',
  // These belong to the client, the agent tool and the command.
  'queue',
  'nested_runs',
  'attachment_bytes',
  'message_bytes',
] as const;

/** The name of a limit, in `details.limit` of an error. */
export type LimitName =
  | (typeof limitTable)[LimitOption]['name']
  | (typeof readLimitTable)[keyof typeof readLimitTable]['name']
  | (typeof fixedLimits)[number];

/** Every `details.limit`. */
export const limitNames: readonly LimitName[] = [
  ...Object.values(limitTable).map(({ name }) => name),
  ...Object.values(readLimitTable).map(({ name }) => name),
  ...fixedLimits,
];

/**
 * A built-in call that computes for longer than this fails with `capability_timeout`. So does one that takes
 * `wallFactor` times as long by the wall clock.
 */
export const builtinCallTimeoutMs = 500;

/**
 * How long one call of a host function may take when the function sets no time of its own. It is long because a person
 * may be asked.
 */
export const defaultHostCallTimeoutMs = 30_000;

/** The most bytes of JSON for the inputs, for the arguments of one host call, and for what it returns. */
export const maxValueBytes = 10 * MiB;

/** The most bytes of JSON for all answers that one segment begins with. */
export const maxAnswersBytes = 7 * MiB;

/**
 * How many fields, lists and objects a value that leaves the script may hold. They are counted in the JSON on the wire,
 * where `NaN` and other special values are objects with one field. The host parses a value in one go. The slowest case,
 * an object with that many fields, takes 0.1 s.
 */
export const maxValueItems = 300_000;

/** The largest body of one frame, in bytes. Every value fits into it, and it is small enough to harm neither process. */
export const maxFrameBytes = 16 * MiB;

/** The most bytes for all header lines of one frame. */
export const maxHeaderBytes = 512;

/** The longest console line of a script, in UTF-16 code units. A longer one is cut. */
export const maxConsoleCharacters = 16 * KiB;

/** How many files one call of `parallel` takes. */
export const maxParallelFiles = 1_000;

/** How many single calls a profile lists. */
export const maxProfiledCalls = 1000;

/** The most console text of one run, in UTF-16 code units. More is dropped, and one line says so. */
export const maxConsoleRunCharacters = 1 * MiB;

/** The most console lines of one run within a second. More are dropped, and one line says how many. */
export const maxConsoleLinesPerSecond = 1_000;

/** How often a sidecar reports the progress of a run. Within the first 100 ms it may report a few times more. */
export const maxProgressPerSecond = 20;

/** How many names of read attachments a result or an error carries. */
export const maxAttachmentsRead = 1000;

/** The longest message, and the longest text in the details of an error, in UTF-16 code units. A longer one is cut. */
export const maxErrorText = 16 * KiB;

/** The longest `details` of an error of a host function, as JSON in UTF-16 code units. Longer details are left out. */
export const maxThrownDetails = 16 * KiB;

/** How many functions a traceback lists: the greatest call depth, and a few functions of the engine. */
export const maxTraceback = limitTable.callDepth.ceiling + 16;

/** How deep a value may nest to cross between script and host. */
export const maxValueDepth = 128;

/** How long an array may be to cross between script and host. */
export const maxArrayLength = 1_000_000;

/** How deep a message may nest. A tagged object takes three levels of JSON. */
export const maxMessageDepth = 3 * maxValueDepth + 16;

const range = ({ ceiling }: LimitRow): z.ZodMiniNumber<number> => z.int().check(z.gte(1), z.lte(ceiling));
const row = (entry: LimitRow): z.ZodMiniDefault<z.ZodMiniNumber<number>> => z._default(range(entry), entry.default);

/** All limits of one run on the wire, in the units that their names say. */
export const limitsSchema = z.strictObject({
  timeoutMs: row(limitTable.timeoutMs),
  scriptBytes: row(limitTable.scriptBytes),
  heapBytes: row(limitTable.heapBytes),
  instructions: row(limitTable.instructions),
  allocations: row(limitTable.allocations),
  callDepth: row(limitTable.callDepth),
  outstandingHostCalls: row(limitTable.outstandingHostCalls),
  hostCalls: row(limitTable.hostCalls),
  outputBytes: row(limitTable.outputBytes),
  snapshotBytes: row(limitTable.snapshotBytes),
});
/** All limits of one run, with the defaults filled in. */
export type Limits = z.output<typeof limitsSchema>;

/** Some limits, as a caller gives them. A limit that is left out has no default yet. */
export const limitOptionsSchema = z.strictObject({
  timeoutMs: z.optional(range(limitTable.timeoutMs)),
  scriptBytes: z.optional(range(limitTable.scriptBytes)),
  heapBytes: z.optional(range(limitTable.heapBytes)),
  instructions: z.optional(range(limitTable.instructions)),
  allocations: z.optional(range(limitTable.allocations)),
  callDepth: z.optional(range(limitTable.callDepth)),
  outstandingHostCalls: z.optional(range(limitTable.outstandingHostCalls)),
  hostCalls: z.optional(range(limitTable.hostCalls)),
  outputBytes: z.optional(range(limitTable.outputBytes)),
  snapshotBytes: z.optional(range(limitTable.snapshotBytes)),
});
/** Some limits of a run; what is left out has its default. */
export type LimitOptions = z.input<typeof limitOptionsSchema>;

/** The fields of a scope that limit reading. */
export const readLimitsShape = {
  maxReadBytes: row(readLimitTable.maxReadBytes),
  maxTotalReadBytes: row(readLimitTable.maxTotalReadBytes),
};

/**
 * A time to compute, with as many instructions as fit into it. MustardScript takes about two seconds for 200 M
 * instructions, so more time alone would not help a script there. A time under two seconds keeps the default number of
 * instructions.
 */
export function withTimeout(timeoutMs: number): { timeoutMs: number; instructions: number } {
  const { default: usual, ceiling } = limitTable.instructions;
  const share = Math.max(1, timeoutMs / limitTable.timeoutMs.default);
  return { timeoutMs, instructions: Math.min(ceiling, Math.round(usual * share)) };
}

/** The most roots of one sandbox: bubblewrap takes 9,000 arguments, and needs three for each root. */
export const maxRoots = 1_000;

/** Ready-made limits. `strict` suits scripts that only look at a few kilobytes. */
export const limitPresets = {
  default: {},
  strict: { heapBytes: 16 * MiB, instructions: 1e6 },
} as const satisfies Record<string, LimitOptions>;
