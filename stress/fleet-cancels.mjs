import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { connectFleet } from '@mustard-sandbox/fleet';
import { startWorker } from '@mustard-sandbox/fleet/worker';
import { percentiles } from './report.mjs';

const times = 200;
const wantedMs = 100;

/** How long after an abort at the client the worker has let go of the run: by then its sidecar has stopped the script. */
export async function cancels(machines, { isolation }, report) {
  const { connection, keys, folder } = machines;
  const tenants = [{ name: 'acme', keys }];
  const options = { connection, tenants, cacheFolder: join(folder, 'cancels'), isolation, slots: 1 };
  const worker = await startWorker(options);
  const sandbox = connectFleet({ connection, tenant: 'acme', keys });
  try {
    const taken = [];
    for (let n = 0; n < times; n++) {
      const control = new AbortController();
      let abortedAt = 0;
      const before = worker.stats().ended.cancelled ?? 0;
      const onStart = () => setTimeout(() => ((abortedAt = performance.now()), control.abort()), 20);
      const run = sandbox.run({ script: 'for(;;);', limits: { timeoutMs: 10_000 }, signal: control.signal, onStart });
      await run.catch(() => {});
      while ((worker.stats().ended.cancelled ?? 0) === before) await turn();
      taken.push(performance.now() - abortedAt);
    }
    const ms = percentiles(taken);
    report.wanted((ms.p99 ?? 0) <= wantedMs, `a cancel took ${ms.p99} ms (p99) to stop a script at its worker`);
    return { times, ms };
  } finally {
    await sandbox.close();
    await worker.close();
  }
}
