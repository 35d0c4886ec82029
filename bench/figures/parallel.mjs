import { appendFileSync, copyFileSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '@mustard-sandbox/client';
import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { using } from './sandboxes.mjs';

const fn = '(path) => search(path, / ERROR (\\S+)/, { by: 1, top: 5 })';
const gigabytes = 4 * 1024 ** 3;

/** The top five errors of each of ten logs of 160 MB, one after the other in one sidecar and by `parallel` in two. */
export async function measure({ quick, log, folder }) {
  if (availableParallelism() < 2) return { ratios: { parallel: { skipped: 'one processor' } }, timings: {} };
  const text = readFileSync(log);
  const count = quick ? 4 : 10;
  for (let at = 0; at < count; at++) {
    const path = join(folder, `${at}.log`);
    copyFileSync(log, path);
    if (!quick) appendFileSync(path, text);
  }
  const scope = { root: folder, maxTotalReadBytes: gigabytes };
  const limits = { timeoutMs: 60_000 };
  const sandbox = createSandbox({ spares: 0, maxProcesses: 2, maxTimeoutMs: limits.timeoutMs });
  return await using({ sandbox }, async () => {
    const run = (script) => sandbox.run({ script, scope, limits });
    const inTurn = () => run(`find_files('*.log').map(${fn})`);
    const parallel = () => run(`parallel('*.log', ${fn})`);
    const [one, other] = [await inTurn(), await parallel()];
    if (JSON.stringify(one.value) !== JSON.stringify(other.value)) throw new Error('parallel gives other answers');
    const options = { rounds: quick ? 3 : 9, warmup: 1, budgetMs: quick ? 10_000 : 60_000 };
    const samples = await sideBySide({ 'one after the other': inTurn, parallel }, options);
    const ratio = ratioOf(samples['one after the other'], [samples.parallel]);
    return { ratios: { parallel: ratio }, timings: summaries(samples) };
  });
}
