import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar } from './sandboxes.mjs';

/** From nothing spawned to the first result. The client is loaded already, as in a host that ran a script before. */
export async function measure({ quick }) {
  let closed = Promise.resolve();
  const samples = await sideBySide(
    {
      'spawn to first result': {
        // Its end is no part of the answer, and must not run beside the next thing that is timed.
        before: () => closed,
        async run() {
          const sandbox = oneSidecar();
          try {
            await sandbox.run({ script: '1 + 1' });
          } finally {
            closed = sandbox.close();
          }
        },
      },
      'node -e 0': { before: () => closed, run: () => once(spawn(process.execPath, ['-e', '0']), 'exit') },
    },
    { rounds: quick ? 20 : 80, warmup: 3, budgetMs: quick ? 8000 : 30_000 },
  );
  const ratio = ratioOf(samples['spawn to first result'], [samples['node -e 0']]);
  return { ratios: { 'first-run': ratio }, timings: summaries(samples) };
}
