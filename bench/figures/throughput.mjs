import { availableParallelism } from 'node:os';
import { openRpcEcho } from '../baselines/rpc-echo.mjs';
import { inTurn, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const callers = 64;

/** Runs a second, with 64 callers that each wait for their answer before they ask again. */
export async function measure({ quick }) {
  const maxProcesses = Math.min(256, availableParallelism());
  return await using(
    { sandbox: oneSidecar({ maxProcesses, maxQueue: callers }), rpc: openRpcEcho() },
    async ({ sandbox, rpc }) => {
      const ways = { sidecar: () => sandbox.run({ script: '1 + 1' }), 'vscode-jsonrpc echo': rpc.echo };
      const perSecond = (ask) => callsPerSecond(ask, callers, 300);
      const samples = await inTurn(ways, perSecond, { rounds: quick ? 6 : 25, warmup: 2 });
      return {
        ratios: { throughput: ratioOf(samples.sidecar, [samples['vscode-jsonrpc echo']]) },
        timings: summaries(samples, '1/s'),
      };
    },
  );
}

/**
 * @param {() => Promise<unknown>} ask
 * @param {number} callers that ask at the same time
 * @param {number} ms for which they go on
 * @param {number[]} [latencies] of the single calls, in ms
 */
export async function callsPerSecond(ask, callers, ms, latencies) {
  const startedAt = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let now = startedAt; now - startedAt < ms; done++) {
        await ask();
        const then = now;
        now = performance.now();
        latencies?.push(now - then);
      }
    }),
  );
  return (done * 1000) / (performance.now() - startedAt);
}
