import * as z from 'zod/mini';
import { count, duration, errorText } from '../scalars.ts';

/** What the engine and the file system did for one run. */
export const runStatsShape = {
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
/** What one run cost, as a schema. */
export const runStatsSchema = z.strictObject(runStatsShape);
/** What one run cost. */
export type RunStats = z.output<typeof runStatsSchema>;

/** What a run has used so far. */
export const spentSchema = z.strictObject({
  /** As in the result of a run. */
  executionMs: duration,
  /** Time of processors, in all threads of the sidecar. */
  cpuMs: duration,
  /** Up to the last call of a capability. */
  instructionsUsed: count,
  /** As in the result of a run. */
  heapBytesUsed: count,
  /** As in the result of a run. */
  hostCalls: count,
  /** As in the result of a run. */
  bytesRead: count,
  /** The file that was read last. */
  reached: z.optional(
    z.strictObject({
      /** Its path, as the script wrote it. */
      path: errorText,
      /** How far it was read, in bytes from its start. */
      position: count,
      /** Its size in bytes. */
      size: count,
    }),
  ),
});
