import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../files/support.ts';
import { openStage } from './support.ts';

test('parallel() runs in the sidecars of the server, also beside functions of the client', async () => {
  const stage = await openStage({ sandbox: { maxProcesses: 1 } });
  onTestFinished(() => stage.end());
  const remote = stage.connect();
  const folder = makeFolder({ 'a.log': 'ERROR\n', 'b.log': 'ERROR\nERROR\n' });
  const attachments = ['a.log', 'b.log'].map((name) => ({ name, path: join(folder, name) }));
  const limits = { timeoutMs: 10_000 };
  const script = `parallel('attachments:*.log', (path) => search(path, 'ERROR', { count: true }))`;
  const { value, attachmentsRead } = await remote.run({ script, scope: { attachments }, limits });
  expect(value).toEqual([1, 2]);
  expect(attachmentsRead.toSorted()).toEqual(['a.log', 'b.log']);
  const hostFunctions = { ask: () => 7 };
  const both = await remote.run({ script: `[ask(), ...${script}]`, scope: { attachments }, limits, hostFunctions });
  expect(both.value).toEqual([7, 1, 2]);
  const nested = remote.run({ script: `parallel('attachments:', () => ask())`, scope: { attachments }, hostFunctions });
  await expect(nested).rejects.toMatchObject({ message: expect.stringContaining('ask is not defined') as string });
});
