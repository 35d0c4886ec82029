import { readFileSync, writeFileSync } from 'node:fs';
import { aside } from '../files/aside/aside.ts';

/**
 * How far the run pushed the process's peak resident memory above its level before. The engine does not report the heap
 * of a script that completed. This number counts the script's heap, the interpreter's own work and the cost of crossing
 * values. It is 0 for a run that fits into memory which the process already held.
 *
 * @param elapsedMs of the run so far. A very short run has no time to take memory, so it is measured only from time to
 * time
 */
export function grownBytes(elapsedMs: number): number {
  if (elapsedMs < shortMs && ++unmeasured < mostUnmeasured) {
    peak = baseline;
    return 0;
  }
  unmeasured = 0;
  peak = peakBytes();
  return Math.max(0, peak - baseline);
}

/** With 10,000 runs a second, each would spend a tenth of its time on the measurement. */
const shortMs = 0.2;
const mostUnmeasured = 50;
let unmeasured = 0;

/** The peak is reset only when it is at least this much above the last reset. */
const resetStepBytes = 1024 * 1024;
let canReset = process.platform === 'linux';
/** The peak before the present run. Reading it takes 4 to 10 µs, so a run that takes no new memory reads it once. */
let baseline = peakBytes();
/** The peak at the end of the last run. */
let peak = Infinity;
let lastReset = 0;
let resident = 0;
/** Garbage is collected when memory has grown by this much since the last collection. A collection takes some ms. */
const collectStepBytes = 64 * 1024 * 1024;
let collectedTo = process.memoryUsage.rss();

/**
 * Measures resident memory after the answer of a run is sent, when no caller waits. On Linux it also resets the
 * kernel's peak, so that the next run is measured from there. On other systems a run shows only what it adds to the
 * highest peak so far.
 */
export function settleMemorySoon(): void {
  // Otherwise the run took no new memory, so its answer, which is made after this, is not large either.
  if (peak !== baseline) setImmediate(settleMemory);
}

function settleMemory(): void {
  baseline = peakBytes();
  if (baseline - lastReset < resetStepBytes) return;
  resident = process.memoryUsage.rss();
  try {
    if (canReset) writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // In some containers the file is not writable.
    canReset = false;
  }
  baseline = peakBytes();
  lastReset = baseline;
}

/**
 * Collects the garbage of a run, if there is much, before its answer is sent. Call it after `grownBytes`, whose reading
 * it uses, or after a run that failed. V8 collects when its own heap is full, and does not know the limits of the
 * process: 45,000 errors of 4 KB each left 180 MB, and the next script died of `out_of_memory`.
 *
 * @returns the resident memory after it, in bytes; `undefined` when there was little to collect
 */
export function collectLeftovers(hasFailed: boolean): number | undefined {
  if (hasFailed) peak = peakBytes();
  // If the peak cannot be reset, it only shows that some run was large, which need not be this one.
  if (peak < collectedTo + collectStepBytes) return undefined;
  resident = process.memoryUsage.rss();
  if (resident < collectedTo + collectStepBytes) return undefined;
  globalThis.gc?.();
  resident = process.memoryUsage.rss();
  collectedTo = resident;
  return resident;
}

/**
 * Resident memory in bytes, measured after the last large run or at the last `settleMemorySoon`, so it may be off by
 * one step. After DuckDB was used, it is at least the memory that counts towards the process's limit on data, because
 * DuckDB keeps memory that it no longer uses, and then even a small script finds none.
 */
export function residentBytes(): number {
  return aside.hasDuckDB ? Math.max(resident, dataBytes()) : resident;
}

function dataBytes(): number {
  try {
    return Number(/VmData:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    // Only Linux reports it.
    return 0;
  }
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
