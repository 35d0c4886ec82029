import { openRawEcho } from '../baselines/raw-pipe.mjs';
import { openRpcEcho } from '../baselines/rpc-echo.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { runInProcess, runParams } from '../peers/engine.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const script = '1 + 1';

/** A warm sidecar against what cannot be saved: the pipe there and back, and the engine. */
export async function measure({ quick }) {
  const params = runParams({ script });
  return await using(
    { sandbox: oneSidecar(), raw: openRawEcho(), rpc: openRpcEcho() },
    async ({ sandbox, raw, rpc }) => {
      const samples = await sideBySide(
        {
          sidecar: () => sandbox.run({ script }),
          'raw pipe echo': raw.echo,
          'in-process engine': () => runInProcess(params),
          'vscode-jsonrpc echo': rpc.echo,
        },
        { rounds: quick ? 1500 : 8000, warmup: 500, budgetMs: quick ? 4000 : 20_000 },
      );
      const floor = [samples['raw pipe echo'], samples['in-process engine']];
      return { ratios: { warm: ratioOf(samples.sidecar, floor) }, timings: summaries(samples) };
    },
  );
}
