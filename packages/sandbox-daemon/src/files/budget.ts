import { readLimitTable } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from './call.ts';

/** How much the run may read in all, and how much it has read, in bytes. */
export interface ReadBudget {
  readonly maxReadBytes: number;
  readonly maxTotalReadBytes: number;
  used: number;
  /** The file that was read last: its path as the script wrote it, how far it was read, and its size. */
  reached?: { path: string; position: number; size: number };
}

/**
 * Counts bytes that a built-in is about to hand to a script, or to search, towards the total that the run may read. For
 * a compressed file the decompressed bytes count, because a few compressed bytes can stand for any amount of work.
 *
 * @throws {SandboxError} `limit_exceeded`; then nothing is counted
 */
export function spendInAll(budget: ReadBudget, bytes: number, call: BuiltinCall): void {
  const { maxTotalReadBytes: most, used } = budget;
  if (used + bytes > most) {
    throw call.limitExceeded(
      readLimitTable.maxTotalReadBytes.name,
      most,
      used + bytes,
      `reading ${bytes} bytes of ${call.shown} would pass the ${most} bytes that a run may read in all; ` +
        `it has read ${used}. Read less, or split the work over several runs.`,
    );
  }
  budget.used += bytes;
}
