import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive, markedProcesses } from './processes.mjs';
import { makeMarker, settlesWithin, trackProcess } from './sandboxes.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const modes = ['starting', 'idle', 'computing', 'stuck', 'host call', 'busy'];
const hostsAtOnce = 4;
const graceMs = 2_000;
const startMs = 30_000;
const host = fileURLToPath(new URL('host.mjs', import.meta.url));

/**
 * @param {{ times: number, isolation: string }} options
 * @param {Report} report
 */
export async function run({ times, isolation }, report) {
  const marker = makeMarker();
  const rows = [];
  let next = 0;
  const lane = async () => {
    while (next < times) {
      const row = await killOneHost(modes[next++ % modes.length], isolation, marker, report);
      rows.push(row);
      const { mode, afterMs, sidecars, alive } = row;
      report.row(
        `  ${mode.padEnd(12)}killed after ${String(afterMs).padStart(4)} ms, sidecars ${sidecars}, alive ${alive}`,
      );
    }
  };
  await Promise.all(Array.from({ length: hostsAtOnce }, lane));
  const unrecorded = markedProcesses(marker);
  unrecorded.forEach(trackProcess);

  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const figures = {
    times,
    hosts: countBy(rows),
    sidecars: sum('sidecars'),
    orphans: sum('alive'),
    unrecorded: unrecorded.length,
  };
  report.must(figures.orphans === 0, `${figures.orphans} sidecars alive ${graceMs} ms after their host`);
  report.must(figures.unrecorded === 0, `${figures.unrecorded} processes left that no host had told of`);
  report.must(figures.sidecars >= times / 2, 'too few sidecars were started for this to prove anything');
  return figures;
}

/** @param {Report} report */
async function killOneHost(mode, isolation, marker, report) {
  const child = spawn(process.execPath, [host, mode, isolation], {
    env: { ...process.env, TMPDIR: marker },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.pid !== undefined) trackProcess(child.pid);
  const exited = once(child, 'exit');
  const pids = new Set();
  const sidecars = new Set();
  const inMode = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { sidecar, pid, now } = JSON.parse(line);
      if (pid !== undefined) pids.add(pid);
      if (sidecar !== undefined) sidecars.add(sidecar);
      if (now === mode) resolve(undefined);
    });
  });
  const reached = await settlesWithin(startMs, Promise.race([inMode, exited]));
  report.must(reached && child.exitCode === null, `the host did not get to '${mode}'`);
  const afterMs = Math.round(Math.random() * 400);
  await sleep(afterMs);
  child.kill('SIGKILL');
  await exited;
  await sleep(graceMs);
  const alive = [...pids].filter(isAlive);
  alive.forEach(trackProcess);
  return { mode, afterMs, sidecars: sidecars.size, alive: alive.length };
}

function countBy(rows) {
  return Object.fromEntries(modes.map((mode) => [mode, rows.filter((row) => row.mode === mode).length]));
}
