import { setTimeout as sleep } from 'node:timers/promises';
import { openRawEcho } from '../baselines/raw-pipe.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { median } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

/** The allocator of MustardScript aborts the process. */
const crash = '"a".repeat(500000000).length';

/** From the error that says that the sidecar crashed to the next result, with a spare. */
export async function measure({ quick }) {
  const options = { spares: 1, quarantineAfter: Number.MAX_SAFE_INTEGER };
  return await using({ sandbox: oneSidecar(options), raw: openRawEcho() }, async ({ sandbox, raw }) => {
    const samples = await sideBySide(
      {
        'crash to next result': {
          async before() {
            await untilSpareIsReady(sandbox);
            const { code } = await sandbox.run({ script: crash, engine: 'mustardscript' }).then(
              () => ({ code: 'none' }),
              (error) => error,
            );
            if (code !== 'sidecar_crashed') throw new Error(`The script that was to crash ended with ${code}.`);
          },
          run: () => sandbox.run({ script: '1 + 1' }),
        },
        // Several: the first after a pause waits for the child to be scheduled again.
        'pipe round trip': { run: raw.echo, perRound: 5 },
      },
      { rounds: quick ? 15 : 80, warmup: 2, budgetMs: quick ? 10_000 : 40_000 },
    );
    const recovery = samples['crash to next result'];
    const [ms, roundTrip] = [median(recovery), median(samples['pipe round trip'])];
    return {
      ratios: { 'recovery-ratio': { value: ms / roundTrip }, 'recovery-ms': { value: ms } },
      timings: summaries(samples),
    };
  });
}

/** This is about one loss, not about losing faster than Node starts. */
async function untilSpareIsReady(sandbox) {
  const until = performance.now() + 10_000;
  await sandbox.run({ script: '1 + 1' });
  while (sandbox.stats().processes.filter(({ state }) => state === 'ready').length < 2) {
    if (performance.now() > until) throw new Error('No spare was ready within 10 s.');
    await sleep(5);
  }
}
