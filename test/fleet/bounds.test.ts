import { expect, test } from 'vitest';
import { onEachQueue } from './queues.ts';
import { Fleet, gate, key } from './support.ts';

/** For scripts that only a cancellation ends: the default of instructions is spent within seconds. */
const endless = { timeoutMs: 10_000, instructions: 2_000_000_000 };
const busy = (ms: number): string => `const end = Date.now() + ${ms}; while (Date.now() < end); 1`;

onEachQueue('a queue that is bounded and fair', (start) => {
  test('takes so many runs and no more, and each waits so long and no longer', async () => {
    const fleet = await Fleet.with(start);
    const patient = fleet.client();
    const first = [1, 2, 3].map(() => patient.run({ script: '1' }));
    await expect.poll(() => fleet.waiting()).toBe(3);
    await expect(fleet.client({ maxQueued: 3 }).run({ script: '1' })).rejects.toMatchObject({
      code: 'queue_full',
      details: { limit: 'queue', value: 3, unit: 'runs' },
    });
    await expect(fleet.client({ maxWaitMs: 100 }).run({ script: '1' })).rejects.toMatchObject({
      code: 'queue_full',
      details: { limit: 'queue', value: 100, unit: 'ms' },
    });
    await expect.poll(() => fleet.waiting()).toBe(3);
    await fleet.worker();
    expect((await Promise.all(first)).map(({ value }) => value)).toEqual([1, 1, 1]);
  });

  test('a run that takes longer than maxWaitMs ends, and leaves its worker', async () => {
    const fleet = await Fleet.with(start);
    const worker = await fleet.worker();
    const sandbox = fleet.client({ maxWaitMs: 4_000 });
    const run = sandbox.run({ script: 'for(;;);', limits: endless });
    await expect(run).rejects.toMatchObject({ code: 'timeout' });
    await expect.poll(() => worker.stats().ended.cancelled).toBe(1);
  });

  test('an abort ends a run that waits and one that is under way, and frees its worker', async () => {
    const fleet = await Fleet.with(start);
    const worker = await fleet.worker({ slots: 1 });
    const sandbox = fleet.client();
    const control = new AbortController();
    const { signal } = control;
    const started = gate();
    const running = sandbox.run({
      script: 'for(;;);',
      limits: endless,
      signal,
      onStart: () => started.pass(),
    });
    await started.passed;
    const waiting = sandbox.run({ script: '1', signal });
    control.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => worker.stats().ended.cancelled).toBeGreaterThanOrEqual(1);
    expect((await sandbox.run({ script: '2' })).value).toBe(2);
  });

  test('a tenant with many runs delays another by no more than the one under way', async () => {
    const fleet = await Fleet.with(start);
    const other = [key()];
    const tenants = [
      { name: 'acme', keys: fleet.keys },
      { name: 'late', keys: other },
    ];
    await fleet.worker({ slots: 1, tenants });
    const many = fleet.client();
    const late = fleet.client({ tenant: 'late', keys: other });
    await late.run({ script: '0' });
    let done = 0;
    const runs = Array.from({ length: 60 }, () => many.run({ script: busy(30) }).then(() => done++));
    await expect.poll(() => done).toBeGreaterThan(3);
    const before = done;
    const { queueMs } = await late.run({ script: '1' });
    // The one under way, and one whose notice was quicker than the answer.
    expect(done - before).toBeLessThanOrEqual(2);
    expect(queueMs).toBeLessThan(60 * 30);
    await Promise.all(runs);
  });

  test('urgent runs of a tenant come before its others', async () => {
    const fleet = await Fleet.with(start);
    const order: string[] = [];
    const runs = (['background', 'normal', 'urgent'] as const).map((priority) =>
      fleet.client({ priority }).run({ script: '1', onStart: () => void order.push(priority) }),
    );
    await expect.poll(() => fleet.waiting()).toBe(3);
    await fleet.worker({ slots: 1 });
    await Promise.all(runs);
    expect([...order].toSorted()).toEqual(['background', 'normal', 'urgent']);
    expect(order.indexOf('urgent')).toBeLessThan(order.indexOf('background'));
  });

  test('a worker that closes hands back what it has, and another one goes on', async () => {
    const fleet = await Fleet.with(start);
    const first = await fleet.worker({ slots: 1 });
    const sandbox = fleet.client();
    const started = gate();
    const run = sandbox.run({ script: busy(3_000), limits: endless, onStart: () => started.pass() });
    await started.passed;
    await first.close();
    expect(first.stats().ended).toEqual({ handed_back: 1 });
    const second = await fleet.worker({ slots: 1 });
    expect((await run).value).toBe(1);
    await expect.poll(() => second.stats().ended).toEqual({ answered: 1 });
  });
});
