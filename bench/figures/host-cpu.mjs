import { openRpcEcho } from '../baselines/rpc-echo.mjs';
import { inTurn, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const calls = 1000;

/** The processor time that a run takes from the host: all threads, garbage collection included. */
export async function measure({ quick }) {
  return await using({ sandbox: oneSidecar(), rpc: openRpcEcho() }, async ({ sandbox, rpc }) => {
    const ways = { sidecar: () => sandbox.run({ script: '1 + 1' }), 'vscode-jsonrpc echo': rpc.echo };
    const samples = await inTurn(ways, cpuPerCall, { rounds: quick ? 6 : 25, warmup: 2 });
    return {
      ratios: { 'host-cpu': ratioOf(samples.sidecar, [samples['vscode-jsonrpc echo']]) },
      timings: summaries(samples),
    };
  });
}

/** In ms. */
async function cpuPerCall(call) {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}
