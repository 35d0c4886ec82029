import { sideBySide, summaries } from '../measure.mjs';
import { runInProcess, runParams } from '../peers/engine.mjs';
import { topErrors } from '../peers/jobs.mjs';
import { topErrorsInNode } from '../peers/node-program.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

/** The main job: the five most common error codes of an 80 MB log. */
export async function measure({ quick, log }) {
  const { script, scope, limits } = topErrors(log);
  const params = runParams({ script, scope, limits });
  return await using({ sandbox: oneSidecar({ maxTimeoutMs: 60_000 }) }, async ({ sandbox }) => {
    const samples = await sideBySide(
      {
        sidecar: () => sandbox.run({ script, scope, limits }),
        'in-process engine': () => runInProcess(params),
        'plain Node program': () => topErrorsInNode(log),
      },
      { rounds: quick ? 5 : 15, warmup: 1, budgetMs: quick ? 10_000 : 40_000 },
    );
    const ratio = ratioOf(samples.sidecar, [samples['in-process engine']]);
    return { ratios: { 'big-file': ratio }, timings: summaries(samples) };
  });
}
