import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSandbox } from '@mustard-sandbox/client';
import { createRuns, sqliteStore } from '@mustard-sandbox/runs';
import { sendSignal } from './processes.mjs';
import { percentiles } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const host = fileURLToPath(new URL('runs-host.mjs', import.meta.url));
const hostsAtOnce = 2;
/** What the runs of runs-host.mjs give: those that pay as they go, and those that propose it. */
const expected = new Set(['[1,3,2,6,3,9,9]', '[-1,1,-2,2,-3,3,-9]']);
const wantedResumeMs = 20;
const resumed = 300;

/**
 * Runs that wait: killed hosts and sidecars, forged snapshots, and many waiting runs.
 *
 * @param {{ times: number, life: number, forged: number, waiting: number, only: string }} options
 * @param {Report} report
 */
export async function run({ times, life, forged, waiting, only }, report) {
  const folder = mkdtempSync(join(tmpdir(), 'stress-runs-'));
  const is = (part) => only === 'all' || only === part;
  try {
    return {
      ...(is('kills') && { kills: await kills(folder, { times, life }, report) }),
      ...(is('forged') && { forged: await forge(folder, forged, report) }),
      ...(is('waiting') && { waiting: await wait(folder, waiting, report) }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Hosts that share a store are killed, and their sidecars, until every run has ended. */
async function kills(folder, { times, life }, report) {
  writeFileSync(join(folder, 'effects.log'), '');
  const key = randomBytes(32).toString('hex');
  const killed = { hosts: 0, sidecars: 0 };
  const done = new AbortController();
  const problems = [];
  const lane = async () => {
    while (!done.signal.aborted) {
      const child = spawn(process.execPath, [host, folder, key, String(times)], { stdio: ['ignore', 'pipe', 'pipe'] });
      const sidecars = [];
      /** @type {() => void} */
      let isReady = () => {};
      const ready = new Promise((resolve) => (isReady = () => resolve(undefined)));
      let stderr = '';
      child.stderr.on('data', (bytes) => (stderr += bytes));
      child.stdout.on('data', (bytes) => {
        for (const [, pid] of String(bytes).matchAll(/sidecar (\d+)/g)) sidecars.push(Number(pid));
        isReady();
        if (String(bytes).includes('done')) done.abort();
      });
      const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
      // Long enough for a host to come to all of its work, short enough to die within any of it. Most are left alone until
      // they have begun: on a busy machine none would come to its work.
      const killer = (async () => {
        if (randomInt(5) > 0) await Promise.race([ready, ended]);
        const until = performance.now() + randomInt(500, 500 + life);
        while (performance.now() < until && child.exitCode === null && !done.signal.aborted) {
          await sleep(randomInt(20, 20 + Math.ceil(life / 14)));
          const pid = sidecars.at(-1);
          if (randomInt(3) === 0 && pid !== undefined && sendSignal(pid, 'SIGKILL')) killed.sidecars++;
        }
        if (!done.signal.aborted && child.kill('SIGKILL')) killed.hosts++;
      })();
      const { code, signal } = await ended;
      if (code !== 0 && signal !== 'SIGKILL')
        problems.push(`a host ended with ${code ?? signal}: ${stderr.slice(-500)}`);
      await killer;
      report.sometimes(() => `${killed.hosts} hosts and ${killed.sidecars} sidecars killed`);
    }
  };
  await Promise.all(Array.from({ length: hostsAtOnce }, lane));
  report.must(problems.length === 0, problems[0] ?? '');
  judge(await allRuns(folder, key), readFileSync(join(folder, 'effects.log'), 'utf8'), times, report);
  return killed;
}

async function allRuns(folder, key) {
  const keys = [{ id: 'stress', key: Buffer.from(key, 'hex') }];
  const runs = createRuns({ sandbox: noSandbox, store: sqliteStore(join(folder, 'runs.db')), keys, tools: [] });
  const all = await runs.list({ limit: 1_000_000 });
  await runs.close();
  return all;
}

function judge(all, effects, times, report) {
  report.must(all.length >= times, `${all.length} of ${times} runs were kept`);
  const wrong = all.filter(({ state, value }) => state !== 'completed' || !expected.has(JSON.stringify(value)));
  report.must(wrong.length === 0, `${wrong.length} runs did not complete right: ${JSON.stringify(wrong[0])}`);
  const made = new Map();
  for (const line of effects.split('\n').filter(Boolean)) made.set(line, (made.get(line) ?? 0) + 1);
  const twice = [...made].filter(([line, count]) => count > 1 && !line.startsWith('note '));
  report.must(twice.length === 0, `${twice.length} calls were made twice: ${twice[0]?.[0]}`);
  const paid = [...made.keys()].filter((line) => line.startsWith('pay')).length;
  // Payments of a proposal are made one after the other: a later one is never there without those before it.
  const order = new Map();
  for (const line of made.keys()) {
    const [, run, call] = /^pay_at_end (.+):(\d+)$/.exec(line) ?? [];
    if (run !== undefined) order.set(run, [...(order.get(run) ?? []), Number(call)]);
  }
  const mixed = [...order.values()].filter((calls) => calls.some((call, at) => at > 0 && call < calls[at - 1]));
  report.must(mixed.length === 0, `${mixed.length} proposals were made in another order: ${mixed[0]}`);
  report.must(paid === 4 * all.length, `${paid} of ${4 * all.length} payments were made`);
}

const noSandbox = {
  runSegment() {
    throw new Error('nothing is run here');
  },
};

/** Snapshots that somebody has changed in the store: no byte of them reaches a sidecar. */
async function forge(folder, count, report) {
  let segments = 0;
  const sandbox = createSandbox({ spares: 0, isolation: 'process' });
  const counting = { runSegment: (options) => (segments++, sandbox.runSegment(options)) };
  const store = sqliteStore(join(folder, 'forged.db'));
  /** @type {(bytes: Buffer) => Buffer} */
  let change = (bytes) => bytes;
  const changed = new Proxy(store, {
    get: (target, name) =>
      name !== 'load'
        ? target[name].bind(target)
        : async (id) => {
            const loaded = await target.load(id);
            if (loaded?.run.snapshot !== undefined) loaded.run.snapshot = change(Buffer.from(loaded.run.snapshot));
            return loaded;
          },
  });
  const keys = [{ id: 'stress', key: randomBytes(32) }];
  const runs = createRuns({ sandbox: counting, store: changed, keys, tools: [{ name: 'ask', description: 'asks' }] });
  const { id } = await runs.startRun({ script: 'await ask(1)' });
  // So that the run has something to go on with.
  change = damage;
  const refusals = {};
  await runs.resume(id, [{ id: 1, value: 1 }]).catch(() => {});
  const before = segments;
  for (let time = 1; time < count; time++) {
    const error = await runs.resume(id, []).then(
      () => ({ code: 'went on' }),
      (thrown) => thrown,
    );
    const name = error.details?.refusal ?? error.code;
    refusals[name] = (refusals[name] ?? 0) + 1;
    report.must(error.code === 'snapshot_refused', `a forged snapshot: ${error.code} ${error.message ?? ''}`);
    report.sometimes(() => `${time} forged snapshots`);
  }
  report.must(segments === before, `${segments - before} forged snapshots reached a sidecar`);
  change = (bytes) => bytes;
  report.must((await runs.resume(id, [])).state === 'completed', 'the run did not go on with what was whole');
  await runs.close();
  await sandbox.close();
  return refusals;
}

/** @param {Buffer} bytes */
function damage(bytes) {
  const at = randomInt(bytes.length);
  switch (randomInt(5)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes, randomBytes(1 + randomInt(40))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), randomBytes(8), bytes.subarray(at + 8)]);
    case 3:
      return randomBytes(bytes.length);
    default:
      bytes[at] ^= 1 << randomInt(8);
      return bytes;
  }
}

/** Many runs that wait, of one script: what they take, and how long it takes to go on with one. */
async function wait(folder, count, report) {
  const sandbox = createSandbox({ spares: 0, isolation: 'process' });
  const script = 'const doc = await load(id); const ok = await approve({ title: doc.title }); [doc.title, ok]';
  /** @type {import('@mustard-sandbox/client').SegmentResult | undefined} */
  let kept;
  // The first segment is the same for all: a sidecar runs it once.
  const first = {
    runSegment: async (options) => {
      if (options.from !== undefined) return await sandbox.runSegment(options);
      return (kept ??= await sandbox.runSegment(options));
    },
  };
  const file = join(folder, 'waiting.db');
  const tools = ['load', 'approve'].map((name) => ({ name, description: name }));
  const runs = createRuns({
    sandbox: first,
    store: sqliteStore(file),
    keys: [{ id: 's', key: randomBytes(32) }],
    tools,
  });
  const ids = [];
  while (ids.length < count) {
    ids.push((await runs.startRun({ script, inputs: { id: 7 } })).id);
    report.sometimes(() => `${ids.length} runs wait`);
  }
  globalThis.gc?.();
  const { rss } = process.memoryUsage();
  const times = [];
  for (let time = 0; time < Math.min(resumed, count); time++) {
    const id = ids.splice(randomInt(ids.length), 1)[0];
    const began = performance.now();
    const run = await runs.resume(id, [{ id: 1, value: { title: 'a' } }]);
    times.push(performance.now() - began);
    report.must(run.state === 'waiting' && run.calls[0]?.tool === 'approve', `a resumed run is ${run.state}`);
  }
  const resumeMs = percentiles(times);
  report.wanted((resumeMs.p99 ?? 0) < wantedResumeMs, `99 of 100 resumes took up to ${resumeMs.p99} ms`);
  const snapshotBytes = kept?.state === 'waiting' ? kept.snapshot.length : 0;
  await runs.close();
  await sandbox.close();
  const fileBytes = statSync(file).size;
  return {
    count,
    engine: kept?.engine,
    snapshotBytes,
    fileBytes,
    bytesEach: Math.round(fileBytes / count),
    rss,
    resumeMs,
  };
}
