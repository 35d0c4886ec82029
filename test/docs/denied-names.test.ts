import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isDenied } from '../../packages/sandbox-daemon/src/files/path-policy.ts';

const text = readFileSync(new URL('../../docs/denied-names.md', import.meta.url), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').slice(1, -1));

function names(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
}

test('every name in the table is denied, or is not, as it says', () => {
  expect(rows.length).toBeGreaterThan(9);
  expect(rows.flatMap(([, denied]) => names(denied)).filter((name) => !isDenied(name.split('/'), []))).toEqual([]);
  expect(rows.flatMap(([, , passed]) => names(passed)).filter((name) => isDenied(name.split('/'), []))).toEqual([]);
});

test('so is every name below it that looks like another', () => {
  const prose = text.split('\n').filter((line) => line.startsWith('take for others'));
  expect(names(prose[0])).toHaveLength(4);
  for (const name of names(prose[0])) expect(isDenied(['a', name, 'b'], []), name).toBe(true);
});
