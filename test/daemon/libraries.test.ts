import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaults, sandbox } from '../client/support.ts';
import { makeFolder } from '../files/support.ts';

const pdf = readFileSync(new URL('../files/fixtures/three-pages.pdf', import.meta.url));

// The built sidecar, which loads them in another way than its sources do in other tests.
it.each([
  ['DuckDB', `query('select sum(amount)::int sum from t', { t: 'attachments:a.csv' }).rows[0].sum`, 5],
  ['unpdf', `pdf_text('attachments:a.pdf').length > 0`, true],
])('a sidecar loads %s with the first call that needs it', async (_, script, value) => {
  const folder = makeFolder({ 'a.csv': 'amount\n2\n3\n', 'a.pdf': pdf });
  const attachments = ['a.csv', 'a.pdf'].map((name) => ({ name, path: join(folder, name) }));
  const box = sandbox({ ...defaults, roots: [folder] });
  const result = await box.run({ script, scope: { attachments }, limits: { timeoutMs: 10_000 } });
  expect(result.value).toEqual(value);
});
