import { expect, it, test } from 'vitest';
import { run } from './support.ts';

it.each<[string, unknown]>([
  ['const n = 3;\nif (n > 2) return "many";\nreturn "few";', 'many'],
  ['const n = 1;\nif (n > 2) { return "many"; }\n"few"', 'few'],
  ['for (const n of [1, 2, 3]) { if (n === 2) return n; }', 2],
  ['return 1; 2', 1],
  ['const n = await 5;\nif (n > 2) return n;\nreturn 0', 5],
  ['if (false) return 1;\nconst n = 2;\nif (n > 1) { "big" } else { "small" }', 'big'],
  ['if (false) return 1;\nfunction later() { return 7; }\nlater()', 7],
  ['await (async () => 5)()', 5],
  ['const [a] = await [5]; a', 5],
  ['const n = await (5);\nif (n > 2) return n;\nreturn 0', 5],
  ['try { return 1 } finally { 2 }', 1],
  ['return', undefined],
  ['#!/usr/bin/env node\nif (true) return 3;\n4', 3],
])('%s', async (script, expected) => {
  expect((await run(script)).value).toEqual(expected);
});

test('an error after it is at the line that it is written in', async () => {
  await expect(run('if (false) return 1;\nconst a = 2;\nmissing(a)')).rejects.toMatchObject({
    details: { subject: 'missing', location: { line: 3, column: 1 } },
  });
});

test('a throw is at its statement', async () => {
  await expect(run('if (false) return `${1}${2}`;\n  throw new Error(`${1}${2}`);')).rejects.toMatchObject({
    details: { thrownMessage: '12', location: { line: 2, column: 3, precision: 'statement' } },
  });
});
