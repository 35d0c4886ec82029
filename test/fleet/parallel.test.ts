import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Fleet, folder } from './support.ts';

test('parallel() runs in the sidecars of the worker, but not in a run whose client makes calls', async () => {
  const fleet = await Fleet.start();
  await fleet.worker();
  const sandbox = fleet.client();
  const path = join(folder(), 'a.log');
  writeFileSync(path, 'ERROR\n');
  const scope = { attachments: [{ name: 'a.log', path }] };
  const script = `parallel('attachments:a.log', (path) => search(path, 'ERROR', { count: true }))`;
  const limits = { timeoutMs: 10_000 };
  expect((await sandbox.run({ script, scope, limits })).value).toEqual([1]);
  const asking = sandbox.run({ script: `await ask(); ${script}`, scope, limits, hostFunctions: { ask: () => 1 } });
  await expect(asking).rejects.toMatchObject({
    code: 'capability_denied',
    message: expect.stringContaining('stops at each call of its host') as string,
  });
});
