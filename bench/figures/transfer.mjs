import { openRawPipe } from '../baselines/raw-pipe.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { runInProcess, runParams } from '../peers/engine.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const bytes = 1_000_000;
const resultScript = `'x'.repeat(${bytes})`;
const message = Buffer.from(`${'x'.repeat(bytes - 1)}\n`);
const text = 'x'.repeat(bytes);
const rowsBytes = 4_000_000;
const row = { id: 1_000_000, name: 'a name of some length', amount: 12.5 };
const rowsScript = `const rows = []; for (let id = 0; id < ${Math.round(rowsBytes / JSON.stringify(row).length)}; id++) rows.push({ id: 1000000 + id, name: ${JSON.stringify(row.name)}, amount: id + 0.5 });\nrows`;
const textScript = `'x'.repeat(${rowsBytes})`;
const limits = { outputBytes: 8 * 1024 * 1024, timeoutMs: 10_000 };

/**
 * A megabyte out of a script, and one into it, against the same bytes through a pipe and nothing done with them; and rows
 * against a text of as many bytes.
 */
export async function measure({ quick }) {
  const params = runParams({ script: resultScript });
  const resources = { sandbox: oneSidecar(), source: openRawPipe('source'), sink: openRawPipe('sink') };
  return await using(resources, async ({ sandbox, source, sink }) => {
    const samples = await sideBySide(
      {
        '1 MB result': () => sandbox.run({ script: resultScript }),
        '1 MB from a raw pipe': () => source.send(`${bytes}\n`, bytes),
        '1 MB result, in-process engine': () => runInProcess(params),
        '1 MB input': () => sandbox.run({ script: 'text.length', inputs: { text } }),
        '1 MB into a raw pipe': () => sink.send(message, 1),
        '4 MB of rows': () => sandbox.run({ script: rowsScript, limits }),
        'a text of 4 MB': () => sandbox.run({ script: textScript, limits }),
      },
      { rounds: quick ? 60 : 300, warmup: 10, budgetMs: quick ? 8000 : 40_000 },
    );
    return {
      ratios: {
        'result-1mb': ratioOf(samples['1 MB result'], [samples['1 MB from a raw pipe']]),
        'input-1mb': ratioOf(samples['1 MB input'], [samples['1 MB into a raw pipe']]),
        'rows-4mb': ratioOf(samples['4 MB of rows'], [samples['a text of 4 MB']]),
      },
      timings: summaries(samples),
    };
  });
}
