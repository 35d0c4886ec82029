import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evaluate, makeFolder } from './support.ts';

// At this scale no file has a note. Two writers took the form of a number for another, one a broken file for a whole one.
const wrong = new Set(['source-notes', 'packed-slowest', 'events-types']);

test.each([
  ['one', 'basics'],
  ['two', 'basics'],
  ['three', 'basics'],
  ['four', 'basics'],
  ['five', 'formats'],
  ['six', 'formats'],
])('the scripts that were written blind do what they did: %s', async (writer, list) => {
  const json = join(makeFolder(), 'run.json');
  const { exitCode } = await evaluate('--scripts', `eval/blind/${writer}.json`, '--questions', list, '--json', json);
  const { summary, outcomes } = JSON.parse(readFileSync(json, 'utf8')) as {
    summary: { byTool: number };
    outcomes: { id: string; tries: { right: boolean; text?: string }[] }[];
  };
  const failed = outcomes.filter(({ id, tries }) => !wrong.has(id) && tries.some(({ right }) => !right));
  expect([exitCode, failed, summary.byTool]).toEqual([0, [], 0]);
});
