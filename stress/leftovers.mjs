import { makeMarker, closeSandbox, openSandbox, outcomeOf } from './sandboxes.mjs';
import { statusBytes } from './processes.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const limits = { timeoutMs: 60_000, instructions: 2e9 };
/** What the innocent script needs fits beside a process that holds no more than this. */
const allowedBytes = 256 * 1024 * 1024;

const misses = `
  const path = ("x".repeat(240) + "/").repeat(16);
  let missed = 0;
  for (let i = 0; i < 10000; i++) { try { file_stats(path + i) } catch (error) { missed++ } }
  missed`;
const innocent = '("x,".repeat(500000)).split(",").length';

/**
 * Scripts that leave much behind, and innocent ones in the same process.
 *
 * @param {{ rounds: number }} options
 * @param {Report} report
 */
export async function run({ rounds }, report) {
  const sandbox = openSandbox({ maxProcesses: 1, spares: 0, quarantineAfter: 1, maxTimeoutMs: limits.timeoutMs });
  const scope = { root: makeMarker() };
  let wrong = 0;
  let mostBytes = 0;
  for (let round = 0; round < rounds; round++) {
    report.sometimes(() => `leftovers: ${round}/${rounds}`);
    const left = await outcomeOf(sandbox, { script: misses, scope, limits });
    const { pid } = sandbox.stats().processes[0] ?? {};
    if (pid !== undefined) mostBytes = Math.max(mostBytes, statusBytes(pid, 'VmRSS') ?? 0);
    const next = await outcomeOf(sandbox, { script: innocent, limits });
    if (left.value !== 10_000 || next.value !== 500_001) wrong++;
  }
  const { quarantinedScripts, totals } = sandbox.stats();
  await closeSandbox(sandbox, report);
  report.must(wrong === 0, `${wrong} rounds went wrong`);
  report.must(totals.crashes === 0 && quarantinedScripts === 0, 'what one script left behind was held against another');
  report.must(mostBytes < allowedBytes, `${mostBytes} bytes were resident after a run`);
  return { rounds, wrong, mostBytes, crashes: totals.crashes };
}
