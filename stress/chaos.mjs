import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger, planOf } from './chaos-scripts.mjs';
import { isAlive, markedProcesses, openHandles, sendSignal } from './processes.mjs';
import {
  answersTwo,
  closeSandbox,
  makeMarker,
  openSandbox,
  outcomeOf,
  settlesWithin,
  survivors,
} from './sandboxes.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('./sandboxes.mjs').Sandbox} Sandbox */

const callers = 8;
const maxProcesses = 4;
/** Deadline of the runs that find out which sidecars are still stopped at the end. */
const foundOutMs = 1_000;
const abortShare = 0.06;
/** Far beyond every deadline, grace, start timeout and back-off together: what has not settled then never will. */
const lostAfterMs = 60_000;

/** What may come of being killed, stopped and aborted, or was in the script. Nobody here breaks the protocol, for one. */
const expectedCodes = new Set([
  'OK',
  'script_error',
  'parse_error',
  'timeout',
  'cancelled',
  'capability_timeout',
  'sidecar_crashed',
  'sidecar_unavailable',
]);

/** Deaths while idle are our doing here, so they must not open the circuit for good. */
const options = { maxProcesses, maxCrashes: 1_000_000, crashWindowMs: 50, startTimeoutMs: 3_000 };

/**
 * @param {{ runs: number }} options
 * @param {Report} report
 */
export async function run({ runs }, report) {
  const marker = makeMarker();
  process.env['TMPDIR'] = marker;
  const surprises = watchProcess();
  await useOnce(report);
  const before = handlesHeld();
  const sandbox = openSandbox(options);
  const pids = new Set();
  for (const event of /** @type {const} */ (['spawned', 'ready'])) sandbox.on(event, ({ pid }) => pids.add(pid));
  const settles = countSettles(sandbox);
  const tally = { codes: {}, wrong: [], unexpected: [], untyped: [], lost: 0, double: 0, short: 0 };
  const ledger = new Ledger();

  const peace = new AbortController();
  const harassed = harass(sandbox, () => settles.count, peace.signal);
  await callMany(sandbox, runs, tally, ledger, report);
  peace.abort();
  const interference = await harassed;
  const after = await recover(sandbox);
  const { totals } = sandbox.stats();
  await closeSandbox(sandbox, report);

  const orphans = new Set([...[...pids].filter(isAlive), ...markedProcesses(marker), ...survivors()]).size;
  const figures = {
    runs,
    ...tally,
    wrong: few(tally.wrong),
    unexpected: few(tally.unexpected),
    untyped: few(tally.untyped),
    settledTwice: settles.twice,
    startedNotSettled: settles.open.size,
    lateHostCalls: ledger.late,
    orphans,
    handlesLeft: await handlesLeft(before),
    ...after,
    unhandled: few(surprises.unhandled),
    warnings: few(surprises.warnings),
    ...interference,
    totals,
  };
  judge(figures, report);
  return figures;
}

async function callMany(sandbox, runs, tally, ledger, report) {
  let next = 0;
  const caller = async () => {
    while (next < runs) {
      await callOnce(sandbox, next++, tally, ledger);
      report.sometimes(() => `${next}/${runs} ${JSON.stringify(tally.codes)}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  report.row(`${runs} calls: ${JSON.stringify(tally.codes)}`);
}

async function callOnce(sandbox, n, tally, ledger) {
  const plan = planOf(n);
  const run = { settled: false };
  const call = outcomeOf(sandbox, {
    script: plan.script,
    engine: plan.engine,
    inputs: { id: plan.id },
    hostFunctions: ledger.hostFunctions(run),
    limits: { timeoutMs: plan.timeoutMs },
    signal: plan.abort || Math.random() < abortShare ? abortSoon() : undefined,
    onConsole: () => {},
  });
  if (!(await settlesWithin(lostAfterMs, call))) return void tally.lost++;
  run.settled = true;
  const { code, value, error } = await call;
  tally.codes[code] = (tally.codes[code] ?? 0) + 1;
  if (code === 'UNTYPED') tally.untyped.push(`${plan.name}: ${String(error?.stack ?? error)}`);
  else if (!expectedCodes.has(code)) tally.unexpected.push(`${plan.name}: ${code}: ${error.message}`);
  if (code === 'OK' && value !== plan.wanted) tally.wrong.push(`${plan.name}: ${JSON.stringify(value)}`);
  const { double, short } = ledger.compare(plan.asks ?? {});
  tally.double += double;
  // A call that was never made is a fault only if the script says that it got an answer.
  if (code === 'OK') tally.short += short;
}

/** A signal that is aborted already, or will be within 100 ms. */
function abortSoon() {
  if (Math.random() < 0.2) return AbortSignal.abort();
  return AbortSignal.timeout(Math.floor(Math.random() * 100));
}

/**
 * Kills and stops sidecars at random until told to keep the peace. Half of the stopped ones go on a little later.
 *
 * Three runs must settle for each sidecar that is hit: on a slow machine every sidecar would be killed while it starts,
 * and no run would ever end.
 */
async function harass(sandbox, settledRuns, peace) {
  const done = { kills: 0, stops: 0, continues: 0 };
  const canStop = process.platform !== 'win32';
  while (!peace.aborted) {
    await sleep(10 + Math.random() * 90);
    if (done.kills + done.stops > maxProcesses + settledRuns() / 3) continue;
    const pids = processIds(sandbox);
    const pid = pids[Math.floor(Math.random() * pids.length)];
    if (pid === undefined) continue;
    if (!canStop || Math.random() < 0.6) {
      if (sendSignal(pid, 'SIGKILL')) done.kills++;
      continue;
    }
    if (sendSignal(pid, 'SIGSTOP')) done.stops++;
    if (Math.random() < 0.5) continue;
    setTimeout(() => {
      if (processIds(sandbox).includes(pid) && sendSignal(pid, 'SIGCONT')) done.continues++;
    }, Math.random() * 300);
  }
  return done;
}

/** @param {Sandbox} sandbox */
function processIds(sandbox) {
  return sandbox.stats().processes.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
}

/** Sidecars that were stopped while idle are found out by the next run each; after that everything must work. */
async function recover(sandbox) {
  const leftOver = sandbox.stats().processes.length;
  let failedFirst = 0;
  while (failedFirst <= leftOver && !(await answersTwo(sandbox, foundOutMs))) failedFirst++;
  let right = 0;
  for (let index = 0; index < 10; index++) if (await answersTwo(sandbox)) right++;
  return { failedBeforeWorking: failedFirst, rightAtTheEnd: right };
}

/** Checks that every run that started is settled once. @param {Sandbox} sandbox */
function countSettles(sandbox) {
  const settles = { open: new Set(), twice: 0, count: 0 };
  sandbox.on('run_started', ({ runId }) => settles.open.add(runId));
  sandbox.on('run_settled', ({ runId }) => {
    settles.count++;
    if (!settles.open.delete(runId)) settles.twice++;
  });
  return settles;
}

/** What must not happen anywhere in the host. */
function watchProcess() {
  /** @type {{ unhandled: string[], warnings: string[] }} */
  const surprises = { unhandled: [], warnings: [] };
  const unhandled = (error) => surprises.unhandled.push(String(error?.stack ?? error));
  process.on('unhandledRejection', unhandled).on('uncaughtException', unhandled);
  process.on('warning', ({ name, message }) => surprises.warnings.push(`${name}: ${message}`));
  return surprises;
}

/** Loads everything that is loaded lazily, so that it does not count as left behind. */
async function useOnce(report) {
  const sandbox = openSandbox(options);
  await sandbox.warm();
  await closeSandbox(sandbox, report);
}

function handlesHeld() {
  // Node makes these when they are first asked for; they are ours, and no leak.
  void [process.stdout, process.stderr];
  const resources = {};
  for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1;
  return { resources, descriptors: openHandles(process.pid) };
}

/** What is held beyond `before`, once what is closing has closed. */
async function handlesLeft(before) {
  let left = [];
  for (let tries = 0; tries < 20; tries++) {
    await sleep(100);
    const { resources, descriptors } = handlesHeld();
    const more = Object.entries(resources).filter(([type, held]) => held > (before.resources[type] ?? 0));
    left = more.map(([type, held]) => `${held - (before.resources[type] ?? 0)} ${type}`);
    const opened = (descriptors ?? 0) - (before.descriptors ?? 0);
    if (opened > 0) left.push(`${opened} descriptors`);
    if (left.length === 0) break;
  }
  return left;
}

/** A list that does not flood the figures. */
function few(list) {
  return list.length <= 5 ? list : [...list.slice(0, 5), `and ${list.length - 5} more`];
}

/** @param {Report} report */
function judge(figures, report) {
  const zero = ['lost', 'double', 'short', 'settledTwice', 'startedNotSettled', 'lateHostCalls', 'orphans'];
  for (const name of zero) report.must(figures[name] === 0, `${name}: ${figures[name]}`);
  for (const name of ['wrong', 'unexpected', 'untyped', 'unhandled', 'warnings', 'handlesLeft']) {
    report.must(figures[name].length === 0, `${name}: ${figures[name].join('; ')}`);
  }
  report.must(figures.rightAtTheEnd === 10, `only ${figures.rightAtTheEnd} of 10 runs right at the end`);
}
