import * as z from 'zod/mini';
import { limitTable, maxThrownDetails } from '../limits.ts';
import { functionPattern } from '../names.ts';
import { count, text } from '../scalars.ts';
import type { WireValue } from '../values.ts';

/** A value, encoded for the wire. */
export const wireValueSchema = z.union([
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ tagged: z.unknown() }),
]) as z.ZodMiniType<WireValue, WireValue>;

/** A global function of the script, or a function in a namespace. */
export const functionName = z.string().check(z.regex(functionPattern));

/** An object as JSON. */
export const thrownDetails = z
  .record(z.string(), z.unknown())
  .check(z.refine((details) => JSON.stringify(details).length <= maxThrownDetails, 'is too long'));

/** The error of a host function, as the script will see it. */
export const hostErrorSchema = z.strictObject({
  /** `name` of the error that the script can catch, for example `RangeError`. */
  name: text(256),
  /** Its `message`. */
  message: text(16 * 1024),
  /**
   * Its `code`. When the script does not catch the error, the codes `capability_denied`, `capability_timeout` and
   * `limit_exceeded` become the code of the whole run.
   */
  code: z.optional(text(256)),
  /** Its `details`, an object as JSON. */
  details: z.optional(thrownDetails),
});
/** The error of a host function, as the script will see it. */
export type HostError = z.output<typeof hostErrorSchema>;

/** Base64 takes four characters for each three bytes. */
const maxSnapshotText = 4 * Math.ceil(limitTable.snapshotBytes.ceiling / 3);
/** A waiting run, in Base64. */
export const snapshotSchema = z.string().check(z.maxLength(maxSnapshotText), z.regex(/^[A-Za-z0-9+/]*={0,2}$/));
/** The most calls that a run may wait for at once. */
export const mostPending = limitTable.outstandingHostCalls.ceiling;

/** A call that a run in segments waits for, as a schema. */
export const pendingCallSchema = z.strictObject({
  /** Counts up from 1 through the whole run. */
  id: count,
  /** One of the run's `hostFunctions`. */
  name: functionName,
  /** An array. */
  args: wireValueSchema,
  /** The line of the call in the script, from 1. Absent when the engine cannot tell. */
  line: z.optional(count),
  /** The column of the call, from 1, in UTF-16 code units. Absent when `line` is absent. */
  column: z.optional(count),
});
/** A call that a run in segments waits for. */
export type PendingCall = z.output<typeof pendingCallSchema>;

/** The answer to it, as a schema. */
export const segmentAnswerSchema = z.union([
  z.strictObject({
    /** The id of the call. */
    id: count,
    /** What the function returned. */
    value: wireValueSchema,
  }),
  z.strictObject({ id: count, error: hostErrorSchema }),
]);
/** The answer to a call that a run in segments waits for. */
export type SegmentAnswer = z.output<typeof segmentAnswerSchema>;
