import { writeFileSync } from 'node:fs';

/**
 * The engine does not report the guest heap of a completed run, so this reports what can be
 * measured: how far the run pushed the process's peak resident memory above its level before.
 * It counts the guest heap, the interpreter's own work and what crossing values cost; it reads 0
 * for a run that fits into memory which the process already held.
 */
export function grownBytes(): number {
  return Math.max(0, peakBytes() - baseline);
}

/** A peak lower than this above the last reset is not worth a reset. */
const resetStepBytes = 1024 * 1024;
let canReset = process.platform === 'linux';
/** The peak when stock was taken last; the question costs 4 µs, so it is asked between runs. */
let baseline = peakBytes();
let lastReset = 0;
let resident = 0;
/** So much more than after the last collection is worth another: that takes some ms. */
const collectStepBytes = 64 * 1024 * 1024;
let collectedTo = process.memoryUsage.rss();

/**
 * Takes stock between runs, off the critical path: the resident memory, and on Linux the kernel's peak
 * is set back to it, so that the next run is measured from there. Elsewhere a run shows only what it
 * adds to the highest peak so far.
 */
export function settleMemory(): void {
  baseline = peakBytes();
  if (baseline - lastReset < resetStepBytes) return;
  resident = process.memoryUsage.rss();
  try {
    if (canReset) writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not writable in some containers.
    canReset = false;
  }
  baseline = peakBytes();
  lastReset = baseline;
}

/**
 * Collects what a run left behind, if it is much, before its answer goes out. V8 would do so when its own heap is full
 * and knows nothing of the process's limits: 45,000 errors of 4 KB each left 180 MB, and the next script died of
 * `out_of_memory`.
 *
 * @returns what is resident then, in bytes; `undefined` when there was little to collect
 */
export function collectLeftovers(): number | undefined {
  // Where the peak cannot be set back it says that one run was large, not that this one was.
  if (peakBytes() < collectedTo + collectStepBytes) return undefined;
  resident = process.memoryUsage.rss();
  if (resident < collectedTo + collectStepBytes) return undefined;
  globalThis.gc?.();
  resident = process.memoryUsage.rss();
  collectedTo = resident;
  return resident;
}

/** Resident memory in bytes: after the last large run, or as of the last `settleMemory`, give or take a step. */
export function residentBytes(): number {
  return resident;
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
