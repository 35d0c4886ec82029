import { afterAll, expect, test } from 'vitest';
import { judge, judgeByCause, type SandboxOutcome, type WantedOutcome } from '../../fuzz/language/judge.mjs';
import { ProgramRunner } from '../../fuzz/language/program-runner.mjs';
import { tablePrograms } from '../../fuzz/language/tables/index.mjs';
import { isFull } from '../full.ts';

const v8 = new ProgramRunner<WantedOutcome>('v8-child.mjs');
const engine = new ProgramRunner<SandboxOutcome>('engine-child.mjs');
afterAll(() => {
  v8.close();
  engine.close();
});

/** Of each method some; `npm run fuzz -- language --tables` runs all. A prime, so that no kind of argument is left out. */
const step = isFull ? 97 : 389;

async function runBoth(script: string): Promise<[WantedOutcome, SandboxOutcome]> {
  const [[wanted], [got]] = await Promise.all([v8.run([script]), engine.run([script])]);
  return [wanted!, got!];
}

test('methods with every kind of argument mean what they mean in V8, or are refused', async () => {
  const all = tablePrograms();
  expect(all.length).toBeGreaterThan(190_000);
  const some = all.filter((_, at) => at % step === 0);
  const options = { shared: true };
  const [wanted, got] = await Promise.all([v8.run(some, options), engine.run(some, options)]);
  const wrong: string[] = [];
  for (const [at, script] of some.entries()) {
    if (judge(wanted[at]!, got[at]!).verdict !== 'wrong') continue;
    // By itself, where nothing that ran before can be the cause.
    const { verdict } = await judgeByCause(script, ...(await runBoth(script)), runBoth);
    if (verdict === 'wrong') wrong.push(script);
  }
  expect(wrong).toEqual([]);
});
