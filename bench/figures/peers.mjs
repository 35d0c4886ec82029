import { sideBySide, summaries } from '../measure.mjs';
import { openPeers, peers, versionOf } from '../peers/index.mjs';
import { sum } from '../peers/jobs.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

/** Those that take less than a millisecond are run more often: their median needs it, and costs nothing. */
const perRound = { 'in-process engine': 20, 'quickjs-emscripten': 5, 'isolated-vm': 5, 'monty (Python)': 20 };

/** `1 + 1` by everything that a user could take instead; each keeps nothing between two runs. */
export async function measure({ quick }) {
  const { opened, skipped } = await openPeers(Object.keys(peers));
  return await using({ sandbox: oneSidecar(), ...opened }, async ({ sandbox }) => {
    const ways = { sidecar: { run: () => sandbox.run({ script: sum.script }), perRound: 20 } };
    for (const [name, peer] of Object.entries(opened)) {
      const way = peer.prepare(sum);
      ways[name] = { perRound: perRound[name] ?? 1, ...(typeof way === 'function' ? { run: way } : way) };
    }
    for (const { run, perRound } of Object.values(ways)) if (perRound > 1) await compile(run);
    const samples = await sideBySide(ways, {
      rounds: quick ? 20 : 100,
      warmup: 3,
      budgetMs: quick ? 8000 : 40_000,
    });
    const timesFaster = (name) =>
      samples[name] === undefined ? { skipped: skipped[name] } : ratioOf(samples[name], [samples.sidecar]);
    return {
      ratios: { 'worker-per-run': timesFaster('worker thread per run'), 'run-package': timesFaster('run') },
      timings: summaries(samples),
      skipped,
      versions: Object.fromEntries(Object.keys(opened).map((name) => [name, versionOf(name)])),
    };
  });
}

/** Long enough for Node to compile what is called often: the rounds are too few for that. */
async function compile(run) {
  const until = performance.now() + 400;
  while (performance.now() < until) await run();
}
