import { setTimeout as sleep } from 'node:timers/promises';
import { connectFleet } from '@mustard-sandbox/fleet';
import { cancels } from './fleet-cancels.mjs';
import { Machines, whyNoFleet } from './fleet-machines.mjs';
import { turns } from './fleet-turns.mjs';
import { percentiles } from './report.mjs';

const atOnce = 64;
const script = `let sum = 0; for (let i = 1; i <= n % 100; i++) sum += i; const id = await take(n); [sum, id]`;

const parts = { kills, turns, cancels };

/**
 * A fleet under load: `kills` of workers and of the queue lose and repeat nothing, `turns` keep the runs of one tenant from
 * those of another, and `cancels` reach workers soon.
 *
 * @param {{ runs: number, workers: number, kills: number, restarts: number, isolation: string, only: string, queue: 'redis' | 'postgres' }} options
 * @param {import('./report.mjs').Report} report
 */
export async function run(options, report) {
  const { only, queue, isolation } = options;
  const missing = whyNoFleet(queue);
  report.must(missing === undefined, String(missing));
  const chosen = Object.entries(parts).filter(([name]) => only === 'all' || only === name);
  report.must(chosen.length > 0, `There is no part '${only}'.`);
  /** @type {Record<string, unknown>} */
  const figures = { queue };
  if (missing !== undefined) return figures;
  for (const [name, part] of chosen) {
    const machines = new Machines(isolation, queue);
    try {
      await machines.startQueue();
      figures[name] = await part(machines, options, report);
    } finally {
      await machines.close();
    }
  }
  return figures;
}

async function kills(machines, { runs, workers, kills, restarts }, report) {
  await Promise.all(Array.from({ length: workers }, () => machines.startWorker()));
  const { connection, keys, files } = machines;
  const sandbox = connectFleet({ connection, tenant: 'acme', keys, files, connectTimeoutMs: 60_000 });
  try {
    return await work(sandbox, machines, { runs, kills, restarts }, report);
  } finally {
    await sandbox.close();
  }
}

async function work(sandbox, machines, { runs, kills, restarts }, report) {
  const calls = new Map();
  const times = [];
  let next = 0;
  let done = 0;
  let wrong = 0;
  const problems = [];
  const lane = async () => {
    while (next < runs) {
      const n = next++;
      const startedAt = performance.now();
      const take = (asked) => (calls.set(asked, (calls.get(asked) ?? 0) + 1), `run ${asked}`);
      try {
        const { value } = await sandbox.run({ script, inputs: { n }, hostFunctions: { take } });
        const m = n % 100;
        if (JSON.stringify(value) !== JSON.stringify([(m * (m + 1)) / 2, `run ${n}`])) wrong++;
      } catch (error) {
        problems.push(`${n}: ${/** @type {any} */ (error).code} ${/** @type {Error} */ (error).message}`);
      }
      done++;
      times.push(performance.now() - startedAt);
      report.sometimes(() => `${done} of ${runs} runs`);
    }
  };
  const startedAt = performance.now();
  const lanes = Promise.all(Array.from({ length: atOnce }, lane));
  const trouble = disturb(machines, { kills, restarts }, () => done / runs);
  await lanes;
  const seconds = (performance.now() - startedAt) / 1000;
  const disturbed = await trouble;
  const twice = [...calls.values()].filter((count) => count > 1).length;
  report.must(problems.length === 0, `${problems.length} of ${runs} runs failed, such as ${problems[0]}`);
  report.must(wrong === 0, `${wrong} runs gave a wrong value`);
  report.must(twice === 0, `${twice} runs had their host function called twice`);
  return {
    runs,
    ...disturbed,
    wrong,
    lost: problems.length,
    twice,
    perSecond: Math.round(runs / seconds),
    ms: percentiles(times),
  };
}

/** Kills workers and the queue, spread over the whole time, and starts others in their place. */
async function disturb(machines, { kills, restarts }, share) {
  const total = kills + restarts;
  const killed = { workers: 0, queue: 0 };
  for (let event = 1; event <= total && share() < 1; event++) {
    while (share() < event / (total + 1)) await sleep(20);
    const isQueue = Math.floor((event * restarts) / total) > killed.queue;
    if (isQueue) {
      killed.queue++;
      await machines.killQueue();
      await machines.startQueue();
    } else {
      killed.workers++;
      await machines.killWorker();
      await machines.startWorker();
    }
  }
  return { killed };
}
