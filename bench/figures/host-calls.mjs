import { openRawEcho } from '../baselines/raw-pipe.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { runInProcess, runParams } from '../peers/engine.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const calls = 100;
const script = `let total = 0; for (let i = 0; i < ${calls}; i++) total += double(i); total`;
/** @param {any} value */
const double = (value) => 2 * value;

/** A script that calls a function of the host a hundred times: each call is a round trip from the sidecar. */
export async function measure({ quick }) {
  const params = runParams({ script, hostFunctions: ['double'] });
  return await using({ sandbox: oneSidecar(), raw: openRawEcho() }, async ({ sandbox, raw }) => {
    const samples = await sideBySide(
      {
        sidecar: () => sandbox.run({ script, hostFunctions: { double } }),
        '100 raw pipe echoes': async () => {
          for (let i = 0; i < calls; i++) await raw.echo();
        },
        'in-process engine': () => runInProcess(params, { line: new Line() }),
      },
      { rounds: quick ? 60 : 400, warmup: 15, budgetMs: quick ? 5000 : 20_000 },
    );
    const floor = [samples['100 raw pipe echoes'], samples['in-process engine']];
    const ratios = {
      'host-calls': ratioOf(samples.sidecar, floor),
      'host-calls-raw': ratioOf(samples.sidecar, [samples['100 raw pipe echoes']]),
    };
    return { ratios, timings: summaries(samples) };
  });
}

/** Answers each call at once. */
class Line {
  #value = 0;

  /** @param {string} _name @param {any} args */
  send(_name, { json: [value] }) {
    this.#value = double(value);
    return 'call';
  }

  next() {
    return { id: 'call', answer: { value: { json: this.#value } } };
  }
}
