import * as z from 'zod/mini';
import { maxProfiledCalls } from './limits.ts';
import { count, duration } from './scalars.ts';

/** The cost of a call, and of the script before it. */
const callCostShape = {
  /** Name of the capability: built-in, host, or `console.log` and its like. */
  name: z.string(),
  /** Wall time in the call, in ms. For a host function that is a round trip to the client. */
  ms: duration,
  /** Bytes of the answer: of the text that was read, or else of its JSON. 0 for the console. */
  bytes: count,
  /** Wall time in the script since the previous answer, or since the start, in ms. */
  scriptMs: duration,
  /** Instructions in that time. */
  instructions: count,
};

const profiledCallSchema = z.strictObject({
  ...callCostShape,
  /** The first argument if it is a string, at most 200 characters of it. Absent for the console. */
  path: z.optional(z.string()),
});

/** One call of a profiled run. */
export type ProfiledCall = z.output<typeof profiledCallSchema>;

/** How the time and the instructions of one run were spent. */
export const runProfileSchema = z.strictObject({
  /** Sums over all calls of each capability, in order of the first call. */
  capabilities: z.array(
    z.strictObject({
      ...callCostShape,
      /** How often it was called. */
      calls: count,
      /** The longest call, in ms. */
      maxMs: duration,
    }),
  ),
  /**
   * The script after its last call, or the whole script when it made no call. The instructions are 0 when the run
   * failed, because the engine does not count a step that failed.
   */
  rest: z.strictObject({ scriptMs: duration, instructions: count }),
  /** The first calls, in order. */
  calls: z.array(profiledCallSchema).check(z.maxLength(maxProfiledCalls)),
  /** How many further calls there were. */
  callsLeftOut: count,
});

/** How the time and the instructions of one run were spent. */
export type RunProfile = z.output<typeof runProfileSchema>;
