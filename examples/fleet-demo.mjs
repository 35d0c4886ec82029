// npm run fleet:demo [-- --megabytes N --runs N]: a queue and three workers; one is killed in the middle, and all runs are right.
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { connectFleet } from '@mustard-sandbox/fleet';
import { Machines, whyNoFleet } from '../stress/fleet-machines.mjs';
import { bad, good, heading, print, seconds } from './demo/terminal.mjs';

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '80' }, runs: { type: 'string', default: '200' } },
});
const [megabytes, runs] = [Number(values.megabytes), Number(values.runs)];
const logs = 3;
const line = (n) => `12:00:00 ${n % 7 === 0 ? 'ERROR' : 'INFO'} request ${n} of a server took some milliseconds\n`;

async function main() {
  const missing = whyNoFleet();
  if (missing !== undefined) return print(`The fleet demo is skipped: ${missing}.`);
  const machines = new Machines('auto');
  try {
    heading(1, `${logs} logs of ${megabytes} MB, Redis, and three workers`);
    mkdirSync(join(machines.folder, 'logs'));
    const made = await Promise.all(Array.from({ length: logs }, (_, n) => makeLog(machines, n)));
    await machines.startQueue();
    await Promise.all([1, 2, 3].map(() => machines.startWorker()));
    heading(2, `${runs} runs, of which each counts the errors of one log, and a worker is killed meanwhile`);
    await work(machines, made);
  } finally {
    await machines.close();
  }
}

async function makeLog({ folder }, n) {
  const path = join(folder, 'logs', `${n}.log`);
  let errors = 0;
  const content = function* () {
    for (let bytes = 0, index = n; bytes < megabytes * 1e6; index++) {
      const text = line(index);
      if (text.includes('ERROR')) errors++;
      bytes += text.length;
      yield text;
    }
  };
  await pipeline(content, createWriteStream(path));
  return { path, errors };
}

async function work(machines, made) {
  const { connection, keys, files } = machines;
  const sandbox = connectFleet({ connection, tenant: 'acme', keys, files });
  try {
    await count(sandbox, made, machines);
  } finally {
    await sandbox.close();
  }
}

async function count(sandbox, made, machines) {
  const startedAt = performance.now();
  let done = 0;
  let killed;
  const script = 'search("attachments:log", "ERROR", { count: true })';
  const all = await Promise.all(
    Array.from({ length: runs }, async (_, n) => {
      const { path, errors } = made[n % logs];
      const scope = { attachments: [{ name: 'log', path }] };
      const { value } = await sandbox.run({ script, scope, limits: { timeoutMs: 10_000 } });
      if (++done >= runs / 3) killed ??= machines.killWorker();
      return value === errors;
    }),
  );
  await killed;
  const right = all.filter(Boolean).length;
  print(
    `   ${right === runs ? good() : bad()} ${right} of ${runs} are right, in ${seconds(performance.now() - startedAt)}`,
  );
  process.exitCode = right === runs ? 0 : 1;
}

await main();
