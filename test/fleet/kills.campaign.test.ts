import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../docs/blocks.ts';
import { onEachQueue, type QueueServer } from './queues.ts';
import { noRedis } from './redis.ts';
import { Fleet, folder, gate } from './support.ts';

const command = join(root, 'packages/cli/dist/main.js');

/** A worker that can be killed: the command in a process of its own. */
async function workerProcess(fleet: Fleet<QueueServer>): Promise<ChildProcess> {
  const place = folder();
  const [key] = fleet.keys as [(typeof fleet.keys)[0]];
  writeFileSync(join(place, 'keys'), `acme ${key.id} ${Buffer.from(key.key).toString('base64')}\n`);
  const where = ['--queue', fleet.server.url, '--keys', join(place, 'keys'), '--files', fleet.files, '--cache', place];
  const how = ['--isolation', 'process', '--slots', '2', '--lost-after', '1s', '--drain', '0ms', '--json'];
  const child = spawn(process.execPath, [command, 'worker', ...where, ...how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const busy = (ms: number): string => `const end = Date.now() + ${ms}; while (Date.now() < end); 'done'`;

onEachQueue('a fleet whose parts die', (start) => {
  test('loses no run when a worker is killed, and calls nothing twice', async () => {
    const fleet = await Fleet.with(start);
    const first = await workerProcess(fleet);
    const sandbox = fleet.client();
    const started = gate();
    let calls = 0;
    const run = sandbox.run({
      script: `const n = await count(); ${busy(2_000)}; [n, await count()]`,
      hostFunctions: { count: () => (started.pass(), ++calls) },
      limits: { timeoutMs: 10_000 },
    });
    await started.passed;
    await fleet.worker();
    await kill(first);
    expect((await run).value).toEqual([1, 2]);
    expect(calls).toBe(2);
  });

  test('goes on after its server was killed', async () => {
    const fleet = await Fleet.with(start);
    await fleet.worker();
    const sandbox = fleet.client();
    const events: string[] = [];
    for (const name of ['backing_off', 'recovered'] as const) sandbox.on(name, () => void events.push(name));
    await sandbox.run({ script: '1' });
    const runs = Array.from({ length: 20 }, (_, n) => sandbox.run({ script: `${busy(50)}; n`, inputs: { n } }));
    await fleet.server.stop();
    await fleet.server.start();
    expect((await Promise.all(runs)).map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(events).toContain('recovered');
  });
});

describe.skipIf(noRedis)('a fleet that has lost more', () => {
  test('does again what Redis has lost', async () => {
    const fleet = await Fleet.start();
    await fleet.worker();
    const sandbox = fleet.client();
    await sandbox.run({ script: '1' });
    const runs = Array.from({ length: 10 }, (_, n) => sandbox.run({ script: `${busy(100)}; n`, inputs: { n } }));
    await fleet.server.client().flushall();
    expect((await Promise.all(runs)).map(({ value }) => value)).toEqual(Array.from({ length: 10 }, (_, n) => n));
  });

  test('a run that three workers died at is given up, and its script is refused', async () => {
    const fleet = await Fleet.start();
    const sandbox = fleet.client();
    const script = 'for(;;);';
    const link = fleet.server.client();
    const run = sandbox.run({ script, limits: { timeoutMs: 10_000, instructions: 2_000_000_000 } });
    run.catch(() => {});
    await expect.poll(() => link.zcard('mustard:acme:prioritized')).toBe(1);
    const [id = ''] = await link.zrange('mustard:acme:prioritized', 0, -1);
    for (let begun = 1; begun <= 3; begun++) {
      const worker = await workerProcess(fleet);
      await expect.poll(() => link.hget(`mustard:acme:${id}`, 'ats')).toBe(String(begun));
      await kill(worker);
    }
    await fleet.worker();
    await expect(run).rejects.toMatchObject({ code: 'quarantined', details: { crashes: 3 } });
    await expect(sandbox.run({ script })).rejects.toMatchObject({ code: 'quarantined' });
    expect((await sandbox.run({ script: '1' })).value).toBe(1);
    expect(await link.zcard('mustard:acme:failed')).toBe(1);
  });
});
