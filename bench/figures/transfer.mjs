import { openRawPipe } from '../baselines/raw-pipe.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { runInProcess, runParams } from '../peers/engine.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const bytes = 1_000_000;
const resultScript = `'x'.repeat(${bytes})`;
const message = Buffer.from(`${'x'.repeat(bytes - 1)}\n`);
const text = 'x'.repeat(bytes);

/** A megabyte out of a script, and one into it, against the same bytes through a pipe and nothing done with them. */
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
      },
      { rounds: quick ? 60 : 400, warmup: 10, budgetMs: quick ? 5000 : 20_000 },
    );
    return {
      ratios: {
        'result-1mb': ratioOf(samples['1 MB result'], [samples['1 MB from a raw pipe']]),
        'input-1mb': ratioOf(samples['1 MB input'], [samples['1 MB into a raw pipe']]),
      },
      timings: summaries(samples),
    };
  });
}
