import { execFileSync } from 'node:child_process';

/**
 * A warm run and host calls with host and sidecar on one processor: what both compute. What they take longer otherwise
 * is waiting for an idle processor to wake up, which depends on the machine.
 */
export async function measure(setting) {
  const skipped = stayOnOneProcessor();
  if (skipped !== undefined) return { ratios: {}, timings: {}, skipped: { 'one processor': skipped } };
  // Not before: the client counts the processors when it is loaded.
  const warm = await import('./warm.mjs');
  const hostCalls = await import('./host-calls.mjs');
  const { timings: ofRuns } = await warm.measure(setting);
  const { timings: ofCalls } = await hostCalls.measure(setting);
  const named = (timings, what) => Object.entries(timings).map(([way, timing]) => [`${what}, ${way}`, timing]);
  return { ratios: {}, timings: Object.fromEntries([...named(ofRuns, '1 + 1'), ...named(ofCalls, '100 calls')]) };
}

/** With all its threads, and all that it will start. @returns {string | undefined} why not */
function stayOnOneProcessor() {
  if (process.platform !== 'linux') return `no way to hold processes on one processor on ${process.platform}`;
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(process.pid)], { stdio: 'ignore' });
    return undefined;
  } catch (/** @type {any} */ error) {
    return `taskset failed: ${error.code ?? `exit code ${error.status}`}`;
  }
}
