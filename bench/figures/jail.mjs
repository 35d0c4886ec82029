import { fileURLToPath } from 'node:url';
import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const roots = [fileURLToPath(new URL('.', import.meta.url))];

/** What the OS jail costs when a sidecar starts, and in a run that reads a file. */
export async function measure({ quick }) {
  const skipped = await whyNoJail();
  if (skipped !== undefined) {
    return { ratios: { 'jail-start': { skipped }, 'jail-run': { skipped } }, timings: {}, skipped: { jail: skipped } };
  }
  const starts = await sideBySide(
    { 'start, jail': startOf('jail'), 'start, process': startOf('process') },
    { rounds: quick ? 10 : 40, warmup: 3, budgetMs: quick ? 8000 : 30_000 },
  );
  const boxes = {
    jail: oneSidecar({ isolation: 'jail', roots }),
    process: oneSidecar({ isolation: 'process', roots }),
  };
  const runs = await using(boxes, ({ jail, process }) =>
    sideBySide(
      { 'run, jail': () => read(jail), 'run, process': () => read(process) },
      { rounds: quick ? 500 : 5000, warmup: 200, budgetMs: quick ? 5000 : 20_000 },
    ),
  );
  return {
    ratios: {
      'jail-start': ratioOf(starts['start, jail'], [starts['start, process']]),
      'jail-run': ratioOf(runs['run, jail'], [runs['run, process']]),
    },
    timings: summaries({ ...starts, ...runs }),
  };
}

const read = (sandbox) => sandbox.run({ script: `read_file('jail.mjs').length`, scope: { root: roots[0] } });

/** The end of the one before is no part of a start, and must not run beside it. */
function startOf(isolation) {
  let closed = Promise.resolve();
  return {
    before: () => closed,
    async run() {
      const sandbox = oneSidecar({ isolation, roots });
      await sandbox.warm();
      closed = sandbox.close();
    },
  };
}

async function whyNoJail() {
  return await using({ sandbox: oneSidecar({ roots }) }, async ({ sandbox }) => {
    await sandbox.warm();
    const { active, reason } = sandbox.stats().isolation;
    return active === 'jail' ? undefined : (reason ?? 'there is no jail here');
  });
}
