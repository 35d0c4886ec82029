// Prints how much the sidecar costs, as ratios of things measured side by side in this very run.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeLog } from '../scripts/make-log.mjs';
import { bigFile, firstRun, jail, warmRun } from './figures.mjs';

const figures = { warm: warmRun, 'big-file': bigFile, 'first-run': firstRun, jail };
const usage = `usage: npm run bench -- [--only ${Object.keys(figures).join('|')}] [--quick] [--json FILE]`;

const options = parseOptions();
const log = await logFile();
const results = [];
for (const [name, measure] of Object.entries(figures)) {
  if (options.only !== undefined && options.only !== name) continue;
  process.stderr.write(`measuring ${name} …\n`);
  const result = await measure({ quick: options.quick, log });
  if (result.skipped === undefined) results.push(result);
  else process.stderr.write(`not measured: ${result.skipped}\n`);
}
const machine = `Node ${process.version}, ${process.platform}-${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
print(results, machine);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.only !== undefined && !(values.only in figures)) throw new Error(`no figure named ${values.only}`);
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n${usage}`);
    process.exit(2);
  }
}

/** Made once and kept: the bytes are always the same. */
async function logFile() {
  const folder = fileURLToPath(new URL('../.demo/', import.meta.url));
  const path = `${folder}bench.log`;
  mkdirSync(folder, { recursive: true });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < 80 * 1024 * 1024) await makeLog(path, { megabytes: 80 });
  return path;
}

function print(results, machine) {
  console.log(machine);
  for (const { what, ratio, expected, toNode, timings } of results) {
    console.log(`\n${ratio.toFixed(2)} ×  ${what}  (expected about ${expected})`);
    if (toNode !== undefined) console.log(`${toNode.toFixed(2)} ×  the same against plain Node`);
    for (const [name, { p50, p99, min, max }] of Object.entries(timings)) {
      const cells = [p50, p99, min, max].map((ms) => ms.toFixed(ms < 10 ? 3 : 0).padStart(9));
      console.log(`  ${name.padEnd(24)} p50 ${cells[0]}  p99 ${cells[1]}  min ${cells[2]}  max ${cells[3]}  ms`);
    }
  }
}
