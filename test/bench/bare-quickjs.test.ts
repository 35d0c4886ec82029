import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { load } from './load.ts';

test('QuickJS alone has the built-ins of the sidecar', async () => {
  const { runBare } = await load<{
    runBare: (job: { script: string; scope: object }) => Promise<unknown>;
  }>('peers/bare-quickjs.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'bare-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.log'), 'an ERROR\nnone\n');
  const script = `let n = 0;
for (const line of lines('attachments:log')) if (line.includes('ERROR')) n++;
[n, read_file('attachments:log'), file_stats('attachments:log').size, search('attachments:log', /N/i, { count: true })]`;
  const scope = { attachments: [{ name: 'log', path: join(folder, 'a.log') }] };
  expect(await runBare({ script, scope })).toEqual([1, 'an ERROR\nnone\n', 14, 2]);
});
