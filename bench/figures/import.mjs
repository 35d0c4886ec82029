import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sideBySide, summaries } from '../measure.mjs';
import { median, summarize } from '../statistics.mjs';

const run = promisify(execFile);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What it costs a host to import the client, in a fresh process each time. */
export async function measure({ quick }) {
  const times = [];
  const samples = await sideBySide(
    {
      'node with the client imported': async () => {
        const { importMs } = await probe();
        times.push(importMs);
      },
      'node -e 0': () => run(process.execPath, ['-e', '0']),
    },
    { rounds: quick ? 15 : 60, warmup: 0, budgetMs: quick ? 6000 : 20_000 },
  );
  const { addons, modules } = await probe('--import', path('../baselines/record-modules.mjs'));
  return {
    ratios: { 'import-ms': { value: median(times) }, 'import-addons': { value: addons.length } },
    timings: { 'import of the client': { unit: 'ms', ...summarize(times) }, ...summaries(samples) },
    modules: countByPackage(modules),
    addons,
  };
}

async function probe(...args) {
  const { stdout } = await run(process.execPath, [...args, path('../baselines/import-probe.mjs')]);
  return JSON.parse(stdout);
}

/** @param {string[]} modules paths @returns {Record<string, number>} how many modules of each package */
export function countByPackage(modules) {
  const counts = {};
  for (const module of modules) {
    const [, name] = /.*(?:node_modules|packages)[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(module) ?? [];
    const key = (name ?? module).replaceAll('\\', '/');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
