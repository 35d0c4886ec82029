import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar } from './sandboxes.mjs';

const daemonMain = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');

/** From nothing spawned to the first result. The client is loaded already, as in a host that ran a script before. */
export async function measure({ quick }) {
  let closed = Promise.resolve();
  const first = (options) => ({
    // Its end is no part of the answer, and must not run beside the next thing that is timed.
    before: () => closed,
    async run() {
      const sandbox = oneSidecar(options);
      try {
        await sandbox.run({ script: '1 + 1' });
      } finally {
        closed = sandbox.close();
      }
    },
  });
  const samples = await sideBySide(
    {
      'spawn to first result': first({ engine: 'quickjs' }),
      'the same in MustardScript': first({ engine: 'mustardscript' }),
      // V8 takes what the build compiled only with the flags of the build: as with another version of Node.
      'without compiled code': first({ command: [process.execPath, '--no-opt', daemonMain] }),
      'node -e 0': { before: () => closed, run: () => once(spawn(process.execPath, ['-e', '0']), 'exit') },
    },
    { rounds: quick ? 20 : 80, warmup: 3, budgetMs: quick ? 8000 : 30_000 },
  );
  const ratio = (way) => ratioOf(samples[way], [samples['node -e 0']]);
  const ratios = {
    'first-run': ratio('spawn to first result'),
    'first-run-mustardscript': ratio('the same in MustardScript'),
  };
  return { ratios, timings: summaries(samples) };
}
