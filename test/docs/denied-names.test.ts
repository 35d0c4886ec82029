import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isDenied } from '@mustard-sandbox/paths';
import { codeIn, rowsOf } from './tables.ts';

const text = readFileSync(new URL('../../docs/denied-names.md', import.meta.url), 'utf8');
const rows = rowsOf(text);

test('every name in the table is denied, or is not, as it says', () => {
  expect(rows.length).toBeGreaterThan(9);
  expect(rows.flatMap(([, denied]) => codeIn(denied)).filter((name) => !isDenied(name.split('/'), []))).toEqual([]);
  expect(rows.flatMap(([, , passed]) => codeIn(passed)).filter((name) => isDenied(name.split('/'), []))).toEqual([]);
});

test('so is every name below it that looks like another', () => {
  const prose = text.split('\n').filter((line) => line.startsWith('Trailing dots'));
  expect(codeIn(prose[0])).toHaveLength(4);
  for (const name of codeIn(prose[0])) expect(isDenied(['a', name, 'b'], []), name).toBe(true);
});
