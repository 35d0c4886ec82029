import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from './processes.mjs';
import { percentiles } from './report.mjs';
import { closeSandbox, openSandbox, outcomeOf } from './sandboxes.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('./sandboxes.mjs').Sandbox} Sandbox */

const timeoutMs = 200;
const settledMs = 10_000;
const wantedRecoveryMs = 10;
const wantedOverMs = 100;

/**
 * Loops that a cancel reaches, and single native calls that it does not.
 *
 * @type {Record<string, import('./sandboxes.mjs').RunOptions[]>}
 */
const hangs = {
  cooperative: [
    { script: 'while (true) {}' },
    { script: 'async function f() { while (true) { await 1 } } await f()' },
    { script: 'while (true) {}', engine: 'mustardscript' },
  ],
  hard: [
    { script: 'new Array(4294967295).join("").length' },
    { script: 'let x = 3n; for (let i = 0; i < 26; i++) { x = x * x } String(x).length', engine: 'mustardscript' },
  ],
};
const crashing = /** @type {const} */ ({ script: '"a".repeat(500000000).length', engine: 'mustardscript' });

/**
 * @param {{ rounds: number }} options
 * @param {Report} report
 */
export async function run({ rounds }, report) {
  const figures = {
    rounds,
    withSpare: await recoveries(1, rounds, report),
    withoutSpare: await recoveries(0, rounds, report),
    overDeadline: await overruns(rounds, report),
  };
  for (const [how, { p50 }] of Object.entries(figures.withSpare)) {
    report.wanted(
      (p50 ?? 0) < wantedRecoveryMs,
      `with a spare, ${how}: p50 ${p50} ms (wanted under ${wantedRecoveryMs})`,
    );
  }
  for (const [how, { p99 }] of Object.entries(figures.overDeadline)) {
    report.wanted((p99 ?? 0) < wantedOverMs, `over the deadline, ${how}: p99 ${p99} ms (wanted under ${wantedOverMs})`);
  }
  return figures;
}

const options = { maxProcesses: 1, quarantineAfter: Number.MAX_SAFE_INTEGER };

/** From the failure that the caller sees, and from the signal that kills it, to the next result. */
async function recoveries(spares, rounds, report) {
  const sandbox = openSandbox({ ...options, spares });
  /** @type {{ crash: number[], kill: number[] }} */
  const times = { crash: [], kill: [] };
  for (let round = 0; round < rounds; round++) {
    report.sometimes(() => `recovery with ${spares} spares: ${round}/${rounds}`);
    times.crash.push(await afterCrash(sandbox, spares, report));
    times.kill.push(await afterKill(sandbox, spares, report));
  }
  await closeSandbox(sandbox, report);
  return show(spares === 0 ? 'without a spare' : 'with a spare', times, report);
}

async function afterCrash(sandbox, spares, report) {
  await settled(sandbox, spares);
  const { code } = await outcomeOf(sandbox, crashing);
  const crashedAt = performance.now();
  report.must(code === 'sidecar_crashed', `the script that was to crash its sidecar ended with ${code}`);
  return await nextResult(sandbox, crashedAt, report);
}

async function afterKill(sandbox, spares, report) {
  await settled(sandbox, spares);
  const facts = {};
  const loop = outcomeOf(sandbox, { script: 'while (true) {}' }, facts);
  await sleep(20);
  const { pid } = sandbox.stats().processes.find(({ sidecar }) => sidecar === facts.sidecar);
  const killedAt = performance.now();
  sendSignal(pid, 'SIGKILL');
  const { code } = await loop;
  report.must(code === 'sidecar_crashed', `the script whose sidecar was killed ended with ${code}`);
  return await nextResult(sandbox, killedAt, report);
}

async function nextResult(sandbox, since, report) {
  const { code, value } = await outcomeOf(sandbox, { script: '1 + 1' });
  const ms = performance.now() - since;
  report.must(value === 2, `the run after a crash ended with ${code}`);
  return ms;
}

/**
 * Until one sidecar and the spares are ready: this is about one loss, not about losing faster than Node
 * starts. The pool spawns a spare once something runs.
 */
async function settled(sandbox, spares) {
  const until = performance.now() + settledMs;
  await outcomeOf(sandbox, { script: '1 + 1' });
  while (sandbox.stats().processes.filter(({ state }) => state === 'ready').length <= spares) {
    if (performance.now() > until) throw new Error(`No sidecar was ready within ${settledMs} ms.`);
    await sleep(5);
  }
}

async function overruns(rounds, report) {
  const sandbox = openSandbox({ ...options, limits: { timeoutMs } });
  const over = {};
  for (const [how, runs] of Object.entries(hangs)) {
    over[how] = [];
    for (let round = 0; round < rounds; round++) {
      report.sometimes(() => `${how} hangs: ${round}/${rounds}`);
      await settled(sandbox, 1);
      const { code, ms } = await outcomeOf(sandbox, runs[round % runs.length]);
      report.must(code === 'timeout', `a script that hangs ended with ${code}`);
      over[how].push(Math.max(0, ms - timeoutMs));
    }
  }
  await closeSandbox(sandbox, report);
  return show(`over a deadline of ${timeoutMs} ms`, over, report);
}

/** @param {Report} report */
function show(title, times, report) {
  const figures = Object.fromEntries(Object.entries(times).map(([how, values]) => [how, percentiles(values)]));
  for (const [how, { n, p50, p99, max }] of Object.entries(figures)) {
    report.row(`  ${title}, ${how}: p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (n ${n})`);
  }
  return figures;
}
