import { readFile } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { closeSandbox, openSandbox, outcomeOf } from './sandboxes.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const stallMs = 1_000;
const timeoutMs = 200;

function block() {
  const until = performance.now() + stallMs;
  while (performance.now() < until);
}

/** Where in its event loop a host may stand still. */
const places = {
  promise: () => Promise.resolve().then(block),
  immediate: () => new Promise((done) => setImmediate(() => done(block()))),
  timer: () => new Promise((done) => setTimeout(() => done(block()), 1)),
  'file system': () => new Promise((done) => readFile(fileURLToPath(import.meta.url), () => done(block()))),
};

/**
 * A host that stands still for longer than a script's deadline, and a script that was done long before.
 *
 * @param {{ rounds: number }} options
 * @param {Report} report
 */
export async function run({ rounds }, report) {
  const sandbox = openSandbox({ maxProcesses: 1, quarantineAfter: 1 });
  await sandbox.warm();
  const lost = Object.fromEntries(Object.keys(places).map((place) => [place, 0]));
  for (let round = 0; round < rounds; round++) {
    for (const [place, stall] of Object.entries(places)) {
      report.sometimes(() => `stalls: ${round}/${rounds}`);
      const call = outcomeOf(sandbox, { script: '"a".repeat(1000000)', limits: { timeoutMs } });
      await stall();
      const { value } = await call;
      if (typeof value !== 'string' || value.length !== 1_000_000) lost[place]++;
    }
  }
  const { quarantinedScripts, totals } = sandbox.stats();
  await closeSandbox(sandbox, report);
  for (const [place, count] of Object.entries(lost)) report.must(count === 0, `${place}: ${count} results lost`);
  report.must(quarantinedScripts === 0, 'a script was quarantined for a host that stood still');
  return { rounds, lost, kills: totals.kills };
}
