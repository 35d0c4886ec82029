// npm run bench:idioms: what is fast in the engine and what is slow, as the tables of docs/fast-scripts.md.
import { mkdirSync, statSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { makeLog } from '../scripts/make-log.mjs';
import { makeRecords } from '../scripts/make-records.mjs';
import { tasks } from './idioms/cases.mjs';
import { runInProcess, runParams, valueOf } from './peers/engine.mjs';

const megabytes = 4;
const MiB = 1024 * 1024;
/** More than the usual ones: the slow ways are what is measured. */
const limits = { timeoutMs: 60_000, instructions: 2e9 };

const { rounds } = parseOptions();
const inputs = await makeInputs();
console.log(
  `Node ${process.version}, ${process.platform}-${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB; medians of ${rounds} rounds, processor time.`,
);
for (const task of tasks) print(task, await measure(task));

function parseOptions() {
  try {
    const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds: a whole number from 1');
    return { rounds };
  } catch (/** @type {any} */ error) {
    console.error(`${error.message}\nusage: npm run bench:idioms -- [--rounds N]`);
    process.exit(2);
  }
}

/** Made once and kept: the bytes are always the same. */
async function makeInputs() {
  const folder = fileURLToPath(new URL('../.demo/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const paths = Object.fromEntries(['log', 'csv', 'jsonl'].map((kind) => [kind, `${folder}idioms.${kind}`]));
  const isThere = (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= megabytes * MiB;
  if (!isThere(paths.log)) await makeLog(paths.log, { megabytes });
  for (const path of [paths.csv, paths.jsonl]) if (!isThere(path)) makeRecords(path, { megabytes });
  return paths;
}

/**
 * The ways in turn within each round, so that a machine that slows down slows all of them. In this process, whose
 * processor time is that of the engine: other programs on the machine do not count.
 *
 * @param {import('./idioms/cases.mjs').Task} task
 */
async function measure({ task, input, ways }) {
  process.stderr.write(`measuring: ${task}\n`);
  const scope = input === undefined ? {} : { attachments: [{ name: 'input', path: inputs[input] }] };
  /** @type {number[][]} */
  const times = ways.map(() => []);
  let expected;
  for (let round = -1; round < rounds; round++) {
    for (const [index, { name, script }] of ways.entries()) {
      const before = process.cpuUsage();
      const outcome = await runInProcess(runParams({ script, scope, limits }));
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times[index].push((user + system) / 1000);
      const value = valueOf(outcome);
      expected ??= value;
      if (!isDeepStrictEqual(value, expected)) throw new Error(`${task}: ${name} answers otherwise`);
    }
  }
  return times.map((list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]);
}

/** @param {import('./idioms/cases.mjs').Task} task @param {number[]} medians */
function print({ task, input, kilobytes, ways }, medians) {
  const fastest = Math.min(...medians);
  const size = input === undefined ? (kilobytes ?? 0) / 1024 : megabytes;
  const rows = ways
    .map(({ name }, index) => ({ name, ms: medians[index] }))
    .sort((a, b) => a.ms - b.ms)
    .map(({ name, ms }) => [name, speed(ms, size), `${rounded(ms / fastest)} ×`]);
  console.log(`\n### ${task}\n\n${table(['way', size > 0 ? 'speed' : 'time', 'time, to the fastest'], rows)}`);
}

function speed(ms, megabytes) {
  return megabytes > 0 ? `${rounded((megabytes / ms) * 1000)} MB/s` : `${rounded(ms)} ms`;
}

function rounded(number) {
  return number < 9.95 ? number.toFixed(1) : number.toFixed(0);
}

/** As prettier writes it. */
function table(head, rows) {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
