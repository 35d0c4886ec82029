// A host of runs, for stress/runs.mjs to kill: FOLDER KEY RUNS. Starts runs until there are so many, decides as a person would,
// and recovers what others left. Prints the pids of its sidecars, and `done` when every run has ended.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox } from '@mustard-sandbox/client';
import { createRuns, RunError, sqliteStore } from '@mustard-sandbox/runs';

const [folder = '', key = '', wanted = '0'] = process.argv.slice(2);
const effects = join(folder, 'effects.log');
const script = `
  const out = [];
  for (const n of [1, 2, 3]) {
    out.push(await pay({ n }));
    const [noted, asked] = await Promise.all([note({ n }), ask({ n })]);
    out.push(noted + asked);
  }
  out.push(await pay_much({ n: 9 }));
  out`;

/** Calls that are made only at the end, once a person has approved all of them. */
const proposing = `
  const notes = [];
  for (const n of [1, 2, 3]) notes.push(await pay_at_end({ n }), await note({ n }));
  notes.push(await pay_at_end({ n: 9 }));
  notes`;

/** Leaves a line that outlives the process, at a moment that a kill may come before or after. */
const effect =
  (/** @type {string} */ name) =>
  async (/** @type {any} */ { n }, /** @type {{ key: string }} */ context) => {
    await sleep(Math.random() * 10);
    appendFileSync(effects, `${name} ${context.key}\n`, { flush: true });
    await sleep(Math.random() * 10);
    return n;
  };

const sandbox = createSandbox({ spares: 0, maxProcesses: 2, isolation: 'process', quarantineAfter: 1_000_000 });
sandbox.on('ready', ({ pid }) => process.stdout.write(`sidecar ${pid}\n`));
const runs = createRuns({
  sandbox,
  store: sqliteStore(join(folder, 'runs.db')),
  keys: [{ id: 'stress', key: Buffer.from(key, 'hex') }],
  leaseMs: 600,
  tools: [
    { name: 'pay', description: 'not twice', execute: effect('pay') },
    { name: 'pay_much', description: 'not twice, and asks', needsApproval: true, execute: effect('pay_much') },
    { name: 'pay_at_end', description: 'not twice', standIn: ({ n }) => -n, execute: effect('pay_at_end') },
    { name: 'note', description: 'twice does no harm', idempotent: true, execute: effect('note') },
    { name: 'ask', description: 'is answered from outside' },
  ],
});

/**
 * What a person decides: of an unknown outcome they look at what was done.
 *
 * @param {import('@mustard-sandbox/runs').RunCall} call
 * @returns {import('@mustard-sandbox/runs').Decision | undefined}
 */
function decisionOn({ id, key: callKey, state, tool, args }) {
  const { n } = /** @type {{ n: number }} */ (args[0]);
  if (state === 'approval') return { id, approve: true };
  if (state === 'external') return { id, value: 2 * n };
  if (state !== 'unknown') return undefined;
  const wasDone = readFileSync(effects, 'utf8').includes(`${tool} ${callKey}\n`);
  return wasDone ? { id, value: n } : { id, outcome: 'try_again' };
}

/** What another host did first is no fault; what a killed sidecar left is taken up again. */
const passing = new Set(['sidecar_crashed', 'sidecar_unavailable', 'queue_full', 'protocol_error']);
async function tolerant(work) {
  try {
    return await work();
  } catch (/** @type {any} */ error) {
    if (error instanceof RunError || passing.has(error.code)) return undefined;
    throw error;
  }
}

for (;;) {
  await tolerant(() => runs.recover());
  const waiting = await runs.list({ states: ['waiting'], limit: 8 });
  await Promise.all(
    waiting.map(async ({ id, calls, waitsFor }) => {
      const decisions = waitsFor.includes('proposal')
        ? [{ proposal: /** @type {const} */ ('approve') }]
        : calls.map(decisionOn).filter((decision) => decision !== undefined);
      if (decisions.length > 0) await tolerant(() => runs.resume(id, decisions));
    }),
  );
  const all = await runs.list({ limit: 1_000_000 });
  if (all.length < Number(wanted)) {
    const few = Math.min(4, Number(wanted) - all.length);
    /** @type {import('@mustard-sandbox/runs').StartOptions[]} */
    const kinds = [{ script }, { script }, { script }, { script: proposing, writes: 'propose' }];
    const next = kinds.slice(0, few);
    await Promise.all(next.map((kind) => tolerant(() => runs.startRun({ ...kind, engine: 'quickjs' }))));
  } else if (all.every(({ state }) => state !== 'running' && state !== 'waiting')) break;
}
process.stdout.write('done\n');
await runs.close();
await sandbox.close();
