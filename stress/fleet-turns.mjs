import { randomBytes } from 'node:crypto';
import { connectFleet } from '@mustard-sandbox/fleet';
import { startWorker } from '@mustard-sandbox/fleet/worker';
import { join } from 'node:path';
import { percentiles } from './report.mjs';

const many = 1_000;
const slots = 2;
const runMs = 20;
const script = `const end = Date.now() + ${runMs}; while (Date.now() < end); 1`;

/** One tenant has a thousand runs waiting, another makes one after the other: how many of the first come in between. */
export async function turns(machines, { isolation }, report) {
  const { connection, folder } = machines;
  const tenants = ['busy', 'calm'].map((name) => ({ name, keys: [{ id: 'first', key: randomBytes(32) }] }));
  const options = { connection, tenants, cacheFolder: join(folder, 'turns'), isolation, slots };
  const worker = await startWorker(options);
  const [busy, calm] = tenants.map(({ name, keys }) => connectFleet({ connection, tenant: name, keys }));
  try {
    await calm.run({ script });
    const count = { done: 0 };
    const all = Promise.all(Array.from({ length: many }, () => busy.run({ script }).then(() => count.done++)));
    const between = [];
    const waits = [];
    while (count.done < many - 20) {
      const before = count.done;
      const { queueMs } = await calm.run({ script });
      between.push(count.done - before);
      waits.push(queueMs);
    }
    await all;
    const most = percentiles(between);
    // Those under way, one in each slot, and as many whose notices came before the answer.
    report.wanted((most.p99 ?? 0) <= 3 * slots, `${most.p99} runs of the busy tenant came before one of the other`);
    return { load: `1 : ${many}`, slots, between: most, waitMs: percentiles(waits), cached: worker.stats().cacheBytes };
  } finally {
    await Promise.all([busy.close(), calm.close()]);
    await worker.close();
  }
}
