import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const bytes = 4096;
let made = 0;

/** A script of 4 KB as a model writes one: functions, of which a run calls one. */
function makeScript() {
  const functions = [];
  for (let length = 0; length < bytes; length += functions.at(-1).length) {
    const name = `count${++made}`;
    functions.push(`function ${name}(lines) {
  const counts = {};
  for (const line of lines) {
    const [, code] = /code=(\\d+)/.exec(line) ?? [];
    if (code !== undefined) counts[code] = (counts[code] ?? 0) + 1;
  }
  return Object.entries(counts).sort(([, a], [, b]) => b - a).map(([code, n]) => ({ code, n, by: '${name}' }));
}
`);
  }
  return `${functions.join('')}count${made}(['code=1', 'code=2', 'code=1']).length;`;
}

/** What it costs that a script is new, as nearly each is that a model sends. */
export async function measure({ quick }) {
  const seen = makeScript();
  return await using({ sandbox: oneSidecar() }, async ({ sandbox }) => {
    const samples = await sideBySide(
      {
        'a new script of 4 KB': () => sandbox.run({ script: makeScript() }),
        'one that was seen before': () => sandbox.run({ script: seen }),
      },
      { rounds: quick ? 200 : 1000, warmup: 30, budgetMs: quick ? 4000 : 20_000 },
    );
    const ratio = ratioOf(samples['a new script of 4 KB'], [samples['one that was seen before']]);
    return { ratios: { 'new-script': ratio }, timings: summaries(samples) };
  });
}
