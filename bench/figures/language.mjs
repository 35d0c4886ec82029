import { isDeepStrictEqual } from 'node:util';
import vm from 'node:vm';
import { languageJobs } from '../language/jobs.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { runBare } from '../peers/bare-quickjs.mjs';
import { openPeers } from '../peers/index.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const own = 'sidecar';
const peerNames = ['quickjs-emscripten'];

/** What scripts do with much data: beside Node, and QuickJS alone. */
export async function measure({ quick, folder }) {
  const jobs = languageJobs({ quick, folder });
  const { opened, skipped } = await openPeers(peerNames);
  const results = { ratios: {}, timings: {}, skipped: { ...skipped } };
  await using({ sandbox: oneSidecar({ maxTimeoutMs: 60_000 }), ...opened }, async ({ sandbox }) => {
    for (const job of Object.values(jobs)) {
      const { samples, problems } = await measureJob(waysOf(job, sandbox, opened), quick);
      const titled = (values) =>
        Object.fromEntries(Object.entries(values).map(([way, v]) => [`${job.title}: ${way}`, v]));
      Object.assign(results.timings, titled(summaries(samples)));
      Object.assign(results.skipped, titled(problems));
    }
  });
  return results;
}

function waysOf(job, sandbox, opened) {
  const { script, scope, limits, functions } = job;
  const ways = {
    [own]: async () => (await sandbox.run({ script, scope, limits })).value,
    Node: () => vm.runInNewContext(script, { ...functions }),
    'QuickJS alone': () => runBare({ script, scope }),
  };
  for (const [name, peer] of Object.entries(opened)) ways[name] = peer.prepare(job);
  return ways;
}

async function measureJob(ways, quick) {
  const problems = {};
  const expected = await valueOf(ways.Node);
  for (const [name, way] of Object.entries(ways)) {
    const value = await valueOf(way).catch((error) => error);
    if (isDeepStrictEqual(value, expected)) continue;
    problems[name] = value instanceof Error ? `fails: ${value.message.split('\n')[0]}` : 'another answer';
    delete ways[name];
  }
  const samples = await sideBySide(ways, { rounds: quick ? 3 : 10, warmup: 0, budgetMs: quick ? 3_000 : 30_000 });
  return { samples, problems };
}

/** Of any realm. */
async function valueOf(way) {
  return JSON.parse(JSON.stringify(await way()));
}
