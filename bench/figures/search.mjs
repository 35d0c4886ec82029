import { statSync } from 'node:fs';
import { sideBySide, summaries } from '../measure.mjs';
import { topErrors } from '../peers/jobs.mjs';
import { topErrorsInNode } from '../peers/node-program.mjs';
import { median, ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const megabyte = 1e6;

/** The same job as `big-file` by `search`, and what a loop over the lines of the log costs. */
export async function measure({ quick, log }) {
  const { script, scope, limits } = topErrors(log);
  const run = (sandbox, script) => sandbox.run({ script, scope, limits });
  return await using({ sandbox: oneSidecar({ maxTimeoutMs: 60_000 }) }, async ({ sandbox }) => {
    const samples = await sideBySide(
      {
        search: () => run(sandbox, "search('attachments:server.log', / ERROR (\\S+)/, { by: 1, top: 5 })"),
        'plain Node program': () => topErrorsInNode(log),
        'script with ranges and match': () => run(sandbox, script),
        'loop over lines': () => run(sandbox, "let n = 0; for (const line of lines('attachments:server.log')) n++; n"),
      },
      { rounds: quick ? 3 : 15, warmup: 1, budgetMs: quick ? 10_000 : 60_000 },
    );
    const speed = statSync(log).size / megabyte / (median(samples['loop over lines']) / 1000);
    return {
      ratios: {
        search: ratioOf(samples.search, [samples['plain Node program']]),
        'search-against-script': ratioOf(samples['script with ranges and match'], [samples.search]),
        'ranges-against-node': ratioOf(samples['script with ranges and match'], [samples['plain Node program']]),
        lines: { value: speed },
      },
      timings: summaries(samples),
    };
  });
}
