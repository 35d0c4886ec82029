import { readFileSync } from 'node:fs';
import { whyItRuns } from '@mustard-sandbox/client/files';
import { expect, test } from 'vitest';

const text = readFileSync(new URL('../../docs/what-runs.md', import.meta.url), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').slice(1, -1));

function names(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
}

test('every path in the table runs by itself, or does not, as it says', () => {
  expect(rows).toHaveLength(9);
  expect(rows.flatMap(([, runs]) => names(runs)).filter((path) => whyItRuns(path) === undefined)).toEqual([]);
  expect(rows.flatMap(([, , not]) => names(not)).filter((path) => whyItRuns(path) !== undefined)).toEqual([]);
  for (const [what, runs, not] of rows)
    expect([what, names(runs).length > 3, names(not).length > 0]).toEqual([what, true, true]);
});
