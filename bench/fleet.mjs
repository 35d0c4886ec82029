// npm run bench:fleet [-- redis|postgres]: what a fleet costs beside a sandbox of the same machine with as many sidecars, in
// turns. Prints one JSON line.
import { readFileSync } from 'node:fs';
import { connectFleet } from '@mustard-sandbox/fleet';
import { createSandbox } from '@mustard-sandbox/client';
import { Redis } from 'ioredis';
import { Machines, whyNoFleet } from '../stress/fleet-machines.mjs';
import { percentiles } from '../stress/report.mjs';

const rounds = 3;
const slots = 2;
const atOnce = 16;
const busy = `const end = Date.now() + 50; while (Date.now() < end); 1`;
const queue = process.argv[2] === 'postgres' ? 'postgres' : 'redis';

/** Runs a second, with some always waiting. @param {import('@mustard-sandbox/client').Sandbox} sandbox */
async function throughput(sandbox, script, count) {
  let next = 0;
  const startedAt = performance.now();
  const lane = async () => {
    while (next++ < count) await sandbox.run({ script });
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (count * 1_000) / (performance.now() - startedAt);
}

/** One after the other, in ms. @param {import('@mustard-sandbox/client').Sandbox} sandbox */
async function latencies(sandbox, count) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    await sandbox.run({ script: '1 + 1' });
    times.push(performance.now() - startedAt);
  }
  return times;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rounded = (value) => Math.round(value * 100) / 100;

/** What the queue, the workers and this process have used so far. */
async function usageOf({ connection, workers }) {
  const ticks = workers.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  const { user, system } = process.cpuUsage();
  const own = { clientMs: (user + system) / 1_000, workerMs: 10 * ticks.reduce((sum, one) => sum + one, 0) };
  if (queue === 'postgres') return own;
  const redis = new Redis({ path: connection.slice('unix:'.length) });
  const info = await redis.info();
  redis.disconnect();
  const value = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return {
    ...own,
    queueMs: 1_000 * (value('used_cpu_user') + value('used_cpu_sys')),
    commands: value('total_commands_processed'),
    bytes: value('total_net_input_bytes') + value('total_net_output_bytes'),
  };
}

/** What one small run of the fleet costs each part, in ms of its processor, commands and bytes. */
async function costs(machines, sandbox, count) {
  const before = await usageOf(machines);
  await throughput(sandbox, '1 + 1', count);
  const after = await usageOf(machines);
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, rounded((value - before[name]) / count)]),
  );
}

async function measure(machines) {
  await machines.startQueue();
  for (let n = 0; n < slots; n++) await machines.startWorker();
  const { connection, keys, files } = machines;
  const sandboxes = {
    local: createSandbox({ maxProcesses: slots, spares: 0, isolation: 'auto' }),
    fleet: connectFleet({ connection, tenant: 'acme', keys, files }),
  };
  const runs = { local: { busy: [], small: [], ms: [] }, fleet: { busy: [], small: [], ms: [] } };
  let perRun;
  try {
    for (const sandbox of Object.values(sandboxes)) await throughput(sandbox, '1', 50);
    for (let round = 0; round < rounds; round++) {
      for (const [name, sandbox] of Object.entries(sandboxes)) {
        runs[name].busy.push(await throughput(sandbox, busy, 60));
        runs[name].small.push(await throughput(sandbox, '1 + 1', 200));
        runs[name].ms.push(...(await latencies(sandbox, 100)));
      }
    }
    perRun = await costs(machines, sandboxes.fleet, 500);
  } finally {
    await Promise.all(Object.values(sandboxes).map((sandbox) => sandbox.close()));
  }
  const { local, fleet } = runs;
  const perSecond = (what) => ({
    local: rounded(median(local[what])),
    fleet: rounded(median(fleet[what])),
    ratio: rounded(median(fleet[what]) / median(local[what])),
  });
  return {
    ...{ queue, slots, runsOf50ms: perSecond('busy'), onePlusOne: perSecond('small') },
    perRun,
    ms: { local: percentiles(local.ms), fleet: percentiles(fleet.ms) },
  };
}

const missing = whyNoFleet(queue);
if (missing !== undefined) console.log(`The bench of the fleet is skipped: ${missing}.`);
else {
  const machines = new Machines('auto', queue);
  try {
    console.log(JSON.stringify(await measure(machines)));
  } finally {
    await machines.close();
  }
}
