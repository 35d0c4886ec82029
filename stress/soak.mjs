import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openHandles, statusBytes } from './processes.mjs';
import { size } from './report.mjs';
import { closeSandbox, openSandbox, outcomeOf } from './sandboxes.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const root = dirname(fileURLToPath(import.meta.url));
/**
 * Measured over 200,000 runs: the sidecar grows from 55 to 105 MiB within 10,000 and the host from 76 to 93 MiB
 * within 40,000, with the same V8 heap in use throughout, and then both stay there.
 */
const warmUpRuns = 40_000;
/** Memory goes up and down with every collection: the lowest of so many samples counts, some runs apart. */
const samples = 12;
const runsBetweenSamples = 100;
const allowedGrowth = 0.05;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** What the runs do in turn: a value, a host function, the console, a file, an error. `n` is new each time. */
const kinds = [
  () => ({ script: '1 + 1', wanted: 'OK' }),
  (n) => ({ script: `touch(${n}) + 1`, hostFunctions: { touch: async (x) => x }, wanted: 'OK' }),
  (n) => ({ script: `console.log("line", n); n`, inputs: { n }, onConsole: () => {}, wanted: 'OK' }),
  (n) => ({ script: `read_file("soak.mjs", { length: 64 }).length + ${n}`, scope: { root }, wanted: 'OK' }),
  (n) => ({ script: `throw new Error("error ${n}")`, wanted: 'script_error' }),
  (n) => ({
    script: `const a = []; for (let i = 0; i < 200; i++) a.push("item " + i); a.length // ${n}`,
    wanted: 'OK',
  }),
];

/**
 * @param {{ runs: number }} options
 * @param {Report} report
 */
export async function run({ runs }, report) {
  const sandbox = openSandbox({
    maxProcesses: 1,
    spares: 0,
    // One sidecar serves throughout, whatever becomes of it.
    recycleRuns: Number.MAX_SAFE_INTEGER,
    recycleBytes: Number.MAX_SAFE_INTEGER,
  });
  await sandbox.warm();
  const soak = new Soak(sandbox, report);
  // With less than that behind it, what is measured is the warm-up: short runs judge handles and results alone.
  const warm = runs >= warmUpRuns ? warmUpRuns : Math.ceil(runs / 2);
  const warmUp = async () => await soak.work(warm / 2, () => `warm-up: ${soak.done} runs`);
  await warmUp();
  // What is measured later was collected before: the heap that grows after a full collection is larger by some MiB.
  await soak.sample();
  await warmUp();
  const start = await soak.sample();
  await soak.work(runs, () => `${soak.done} runs`);
  const end = await soak.sample();
  const { spawns } = sandbox.stats().totals;
  await closeSandbox(sandbox, report);
  const figures = { runs: soak.done, wrong: soak.wrong, spawns, start, end, growth: growth(start, end) };
  judge(figures, warm === warmUpRuns, report);
  return figures;
}

class Soak {
  done = 0;
  wrong = 0;
  #sandbox;
  #report;

  constructor(sandbox, report) {
    this.#sandbox = sandbox;
    this.#report = report;
  }

  async work(runs, progress = () => '') {
    for (let index = 0; index < runs; index++) {
      const { wanted, ...options } = kinds[this.done % kinds.length](this.done);
      this.done++;
      const { code } = await outcomeOf(this.#sandbox, options);
      if (code !== wanted && this.wrong++ === 0) this.#report.progress(`${options.script}: ${code}`);
      if (progress() !== '') this.#report.sometimes(progress);
    }
  }

  /** The least that host and sidecar held, over some time. */
  async sample() {
    const { pid } = this.#sandbox.stats().processes[0];
    const lowest = {};
    for (let index = 0; index < samples; index++) {
      await this.work(runsBetweenSamples);
      collectGarbage();
      const now = {
        hostBytes: process.memoryUsage.rss(),
        hostHeapBytes: process.memoryUsage().heapUsed,
        sidecarBytes: statusBytes(pid, 'VmRSS'),
        hostHandles: openHandles(process.pid),
        sidecarHandles: openHandles(pid),
      };
      for (const [key, value] of Object.entries(now)) {
        lowest[key] = value === null ? null : Math.min(lowest[key] ?? Infinity, value);
      }
    }
    return lowest;
  }
}

function growth(start, end) {
  const shares = Object.entries(start).map(([key, value]) => [
    key,
    value === null || end[key] === null ? null : Math.round((end[key] / value - 1) * 10_000) / 10_000,
  ]);
  return Object.fromEntries(shares);
}

/** @param {any} figures @param {boolean} wasWarm @param {Report} report */
function judge({ wrong, spawns, start, end, growth }, wasWarm, report) {
  report.must(wrong === 0, `${wrong} runs went wrong`);
  report.must(spawns === 1, `${spawns} sidecars served instead of one`);
  for (const [key, share] of Object.entries(growth)) {
    const shown = key.endsWith('Bytes') ? size : String;
    report.row(
      `  ${key.padEnd(16)}${shown(start[key]).padStart(9)} →${shown(end[key]).padStart(9)}  ${percent(share)}`,
    );
    const text = `${key} grew by ${percent(share)} (wanted under 5 %)`;
    // What is open does not depend on the machine's speed.
    if (key.endsWith('Handles')) report.must((share ?? 0) < allowedGrowth, text);
    else if (wasWarm) report.wanted((share ?? 0) < allowedGrowth, text);
  }
}

function percent(share) {
  return share === null ? '-' : `${(share * 100).toFixed(1)} %`;
}
