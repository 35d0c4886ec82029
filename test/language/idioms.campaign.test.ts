import { afterAll, describe, expect, test } from 'vitest';
import { judge, judgeByCause, type SandboxOutcome, type WantedOutcome } from '../../fuzz/language/judge.mjs';
import { ProgramRunner } from '../../fuzz/language/program-runner.mjs';
import { idiomsOf, topics } from './idioms/topics.ts';

const v8 = new ProgramRunner<WantedOutcome>('v8-child.mjs');
const engine = new ProgramRunner<SandboxOutcome>('engine-child.mjs');
afterAll(() => {
  v8.close();
  engine.close();
});

/** What not every V8 has that this project runs on. */
const newer: [RegExp, boolean][] = [
  [/Object\.groupBy|Map\.groupBy/, 'groupBy' in Object],
  [/\.(?:union|intersection|difference|isSubsetOf)\(/, 'union' in Set.prototype],
];

async function runBoth(script: string): Promise<[WantedOutcome, SandboxOutcome]> {
  const [[wanted], [got]] = await Promise.all([v8.run([script]), engine.run([script])]);
  return [wanted!, got!];
}

/** The idioms that are not the same as in V8, and why. */
async function exceptionsOf(topic: string): Promise<Record<string, string>> {
  const idioms = idiomsOf(topic).filter(({ script }) => !newer.some(([what]) => what.test(script)));
  const scripts = idioms.map(({ script }) => script);
  const [wanted, got] = await Promise.all([v8.run(scripts), engine.run(scripts)]);
  const found: Record<string, string> = {};
  for (const [index, { text, script }] of idioms.entries()) {
    const { verdict, why } = await judgeByCause(script, wanted[index]!, got[index]!, runBoth);
    if (verdict !== 'same') found[text] = `${verdict}: ${why}`;
  }
  return found;
}

describe('what models write means what it means in V8, or is refused', () => {
  // The list is exact: what is mended must leave it, by `npx vitest run test/language -u`.
  test.each(topics)('%s', async (topic) => {
    const found = await exceptionsOf(topic);
    await expect(`${JSON.stringify(found, null, 2)}\n`).toMatchFileSnapshot(`idioms/exceptions/${topic}.json`);
  });

  test('what only some versions of V8 have', async () => {
    const scripts = topics
      .flatMap((topic) => idiomsOf(topic).map(({ script }) => script))
      .filter((script) => newer.some(([what, isThere]) => isThere && what.test(script)));
    if (scripts.length === 0) return;
    const [wanted, got] = await Promise.all([v8.run(scripts), engine.run(scripts)]);
    const verdicts = wanted.map((each, index) => judge(each, got[index]!).verdict);
    expect(scripts.filter((_, index) => verdicts[index] === 'wrong')).toEqual([]);
  });

  test('there are at least 1,500 of them, none twice in a topic', () => {
    const all = topics.flatMap((topic) => idiomsOf(topic).map(({ script }) => `${topic}\n${script}`));
    expect(all.filter((each, index) => all.indexOf(each) !== index)).toEqual([]);
    expect(all.length).toBeGreaterThanOrEqual(1_500);
  });
});
