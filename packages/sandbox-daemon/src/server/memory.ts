import { writeFileSync } from 'node:fs';

/**
 * The engine does not report the guest heap of a completed run, so this reports what can be
 * measured: how far the run pushed the process's peak resident memory above its level before.
 * It counts the guest heap, the interpreter's own work and what crossing values cost; it reads 0
 * for a run that fits into memory which the process already held.
 */
export function startMemoryProbe(): { grownBytes(): number } {
  const before = peakBytes();
  return {
    grownBytes: () => Math.max(0, peakBytes() - before),
  };
}

/** A peak lower than this above the last reset is not worth a reset. */
const resetStepBytes = 1024 * 1024;
let lastReset = 0;
let canReset = process.platform === 'linux';
let resident = 0;

/**
 * Takes stock between runs, off the critical path: the resident memory, and on Linux the kernel's peak
 * is set back to it, so that the next run is measured from there. Elsewhere a run shows only what it
 * adds to the highest peak so far.
 */
export function settleMemory(): void {
  if (peakBytes() - lastReset < resetStepBytes) return;
  resident = process.memoryUsage.rss();
  try {
    if (canReset) writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not writable in some containers.
    canReset = false;
  }
  lastReset = peakBytes();
}

/** Resident memory in bytes, as of the last `settleMemory`, give or take a step. */
export function residentBytes(): number {
  return resident;
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
