import { readFileSync } from 'node:fs';
import { whyItRuns } from '@mustard-sandbox/paths';
import { expect, test } from 'vitest';
import { codeIn, rowsOf } from './tables.ts';

const text = readFileSync(new URL('../../docs/what-runs.md', import.meta.url), 'utf8');
const rows = rowsOf(text);

test('every path in the table runs by itself, or does not, as it says', () => {
  expect(rows).toHaveLength(9);
  expect(rows.flatMap(([, runs]) => codeIn(runs)).filter((path) => whyItRuns(path) === undefined)).toEqual([]);
  expect(rows.flatMap(([, , not]) => codeIn(not)).filter((path) => whyItRuns(path) !== undefined)).toEqual([]);
  for (const [what, runs, not] of rows)
    expect([what, codeIn(runs).length > 3, codeIn(not).length > 0]).toEqual([what, true, true]);
});
