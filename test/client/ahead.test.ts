import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { RunOptions, RunResult, Sandbox, SandboxOptions } from '@mustard-sandbox/client';
import { runs } from '../full.ts';
import { failureOf, fake, fakeDaemon, recorded, sandbox } from './support.ts';

/** One sidecar that handles runs as their scripts say. It has answered quickly, so the next run is sent ahead. */
async function behind(options: SandboxOptions = {}, slowMs = 0): Promise<Sandbox> {
  const command = [process.execPath, fakeDaemon, 'behind', String(slowMs)];
  const box = fake('behind', { command, ...options });
  await becomeQuick(box, 'quick');
  return box;
}

/** Nothing is sent ahead behind a long run, and on a busy machine all are long for a while. */
async function becomeQuick(box: Sandbox, script: string): Promise<void> {
  let lastMs = Infinity;
  const off = box.on('run_settled', ({ durationMs }) => (lastMs = durationMs));
  await vi.waitFor(async () => {
    await box.run({ script });
    expect(lastMs).toBeLessThan(4);
  }, 60_000);
  off();
}

/** Runs these at once, so that each waits in the sidecar behind the one before. */
function inRow(box: Sandbox, ...all: (string | RunOptions)[]): Promise<RunResult>[] {
  return all.map((each) => box.run(typeof each === 'string' ? { script: each } : each));
}

/** The first run has begun, and the second one was sent ahead in the same moment. */
async function begun(box: Sandbox): Promise<void> {
  await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'));
}

const quick = { value: 'quick' };

describe('a run that was sent ahead', () => {
  it('is answered after the one before', async () => {
    const box = await behind();
    const order: unknown[] = [];
    await Promise.all(inRow(box, 'slow', 'quick').map(async (run) => order.push((await run).value)));
    expect(order).toEqual(['slow', 'quick']);
  });

  it('is answered even if both answers come at once', async () => {
    const box = await behind();
    const results = await Promise.all(inRow(box, 'together', 'quick', 'together', 'quick', 'quick'));
    expect(results.map(({ value }) => value)).toEqual(['together', 'quick', 'together', 'quick', 'quick']);
  });

  it('is not blamed when the one before crashes, and runs in the next sidecar', async () => {
    const box = await behind({ quarantineAfter: 1 });
    const events = recorded(box);
    const [crash, next, last] = inRow(box, 'crash', 'quick', 'quick');
    expect(await failureOf(crash as Promise<unknown>)).toMatchObject({
      code: 'sidecar_crashed',
      details: { exitCode: 9 },
    });
    await expect(next).resolves.toMatchObject(quick);
    await expect(last).resolves.toMatchObject(quick);
    const started = events.filter(({ event }) => event === 'run_started').map(({ facts }) => facts);
    expect(started).toMatchObject([{ sidecar: 1 }, { sidecar: 2 }, { sidecar: 2 }]);
    expect(box.stats()).toMatchObject({ quarantinedScripts: 0, totals: { crashes: 1, failed: 1 } });
  });

  it('is not blamed when the one before hangs', async () => {
    const box = await behind({ quarantineAfter: 1, graceMs: 10 });
    const events = recorded(box);
    const [hang, next] = inRow(box, { script: 'hang', limits: { timeoutMs: 50 } }, 'quick');
    expect(await failureOf(hang as Promise<unknown>)).toMatchObject({ code: 'timeout', details: { killed: true } });
    await expect(next).resolves.toMatchObject(quick);
    expect(events.filter(({ event }) => event === 'killed')).toMatchObject([
      { facts: { sidecar: 1, why: 'deadline' } },
    ]);
  });

  it('has its deadline from when it begins', async () => {
    const box = await behind({ graceMs: 10 }, 600);
    const short = { script: 'quick', limits: { timeoutMs: 50 } };
    const results = await Promise.all(inRow(box, 'slow', short));
    expect(results).toMatchObject([{ value: 'slow' }, quick]);
    expect(results[1]?.queueMs).toBeGreaterThan(500);
    expect(box.stats().totals.kills).toBe(0);
  });

  it('keeps its deadline once it has begun', async () => {
    const box = await behind({ graceMs: 10 });
    const [slow, hang] = inRow(box, 'slow', { script: 'hang', limits: { timeoutMs: 50 } });
    await expect(slow).resolves.toMatchObject({ value: 'slow' });
    expect(await failureOf(hang as Promise<unknown>)).toMatchObject({ code: 'timeout' });
    expect(box.stats().totals).toMatchObject({ kills: 1 });
  });

  it('can be cancelled at once, without harm to the one before', async () => {
    const box = await behind({}, 300);
    const controller = new AbortController();
    const events = recorded(box);
    const [slow, next] = inRow(box, 'slow', { script: 'quick', signal: controller.signal });
    await begun(box);
    controller.abort();
    expect(await failureOf(next as Promise<unknown>)).toMatchObject({
      code: 'cancelled',
      message: 'The run was cancelled before it began.',
    });
    expect(box.stats()).toMatchObject({ queued: 0, processes: [{ state: 'busy' }] });
    await expect(slow).resolves.toMatchObject({ value: 'slow' });
    await expect(box.run({ script: 'quick' })).resolves.toMatchObject(quick);
    expect(box.stats().totals).toMatchObject({ spawns: 1, kills: 0 });
    expect(events.filter(({ event }) => event === 'run_started')).toHaveLength(2);
  });

  it('that was cancelled and is not answered costs the sidecar, and nobody else', async () => {
    const box = await behind({ graceMs: 10 }, 1_000);
    const controller = new AbortController();
    const [slow, mute] = inRow(box, 'slow', { script: 'mute', signal: controller.signal });
    await begun(box);
    controller.abort();
    expect(await failureOf(mute as Promise<unknown>)).toMatchObject({ code: 'cancelled' });
    await expect(slow).resolves.toMatchObject({ value: 'slow' });
    await expect(box.run({ script: 'quick' })).resolves.toMatchObject(quick);
    expect(box.stats()).toMatchObject({ totals: { spawns: 2, kills: 1 }, quarantinedScripts: 0 });
  });

  it('still counts as one that waits', async () => {
    const box = await behind({ maxQueue: 1, queueTimeoutMs: 100 }, 1_000);
    const [slow, next] = inRow(box, 'slow', 'quick');
    expect(box.stats().queued).toBe(1);
    expect((await failureOf(box.run({ script: 'quick' }))).message).toMatch(/1 runs already wait/);
    expect(await failureOf(next as Promise<unknown>)).toMatchObject({ code: 'queue_full', details: { value: 100 } });
    await expect(slow).resolves.toMatchObject({ value: 'slow' });
    await expect(box.run({ script: 'quick' })).resolves.toMatchObject(quick);
  });

  it('ends with the sandbox', async () => {
    const box = await behind({}, 10_000);
    const all = inRow(box, 'slow', 'quick').map(failureOf);
    await begun(box);
    await box.close();
    for (const error of await Promise.all(all)) expect(error.code).toBe('closed');
  });

  it('may not be answered before its turn', async () => {
    const box = await behind();
    const [first, next] = inRow(box, 'backwards', 'quick');
    expect(await failureOf(first as Promise<unknown>)).toMatchObject({ code: 'protocol_error' });
    await expect(next).resolves.toMatchObject(quick);
  });
});

describe('is not sent ahead', () => {
  const limits = { timeoutMs: 50 };
  const ask = (): number => 1;
  it.each<[string, Partial<RunOptions>, Partial<RunOptions>]>([
    ['a run with host functions', {}, { hostFunctions: { ask } }],
    ['a run behind one with host functions', { hostFunctions: { ask } }, {}],
    ['a run whose console lines somebody reads', {}, { onConsole: () => {} }],
  ])('%s', async (_, first, second) => {
    const box = await behind({ graceMs: 10 });
    // It waits until another one is there.
    const [wait, next] = inRow(box, { script: 'slow', limits, ...first }, { script: 'quick', ...second });
    expect(await failureOf(wait as Promise<unknown>)).toMatchObject({ code: 'timeout' });
    await expect(next).resolves.toMatchObject(quick);
  });
});

it('a long run keeps none waiting while another sidecar is free', async () => {
  const box = sandbox({ maxProcesses: 2 });
  await Promise.all(inRow(box, '1', '1'));
  await becomeQuick(box, '1');
  const controller = new AbortController();
  const forever = { script: 'while (true) {}', limits: { timeoutMs: 10_000 }, signal: controller.signal };
  const [long, ...short] = inRow(box, forever, ...Array.from({ length: 20 }, (_, n) => `${n} + 1`));
  const cancelled = failureOf(long as Promise<unknown>);
  const values = (await Promise.all(short)).map(({ value }) => value);
  expect(values).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  controller.abort();
  expect((await cancelled).code).toBe('cancelled');
});

it('many runs begin in the order in which they were asked for', async () => {
  const box = sandbox({ maxProcesses: 1 });
  await becomeQuick(box, '1');
  const started: string[] = [];
  box.on('run_started', ({ runId }) => started.push(runId));
  const results = await Promise.all(inRow(box, ...Array.from({ length: 60 }, (_, n) => `${n} * 2`)));
  expect(results.map(({ value }) => value)).toEqual(Array.from({ length: 60 }, (_, n) => 2 * n));
  expect(started).toEqual(started.toSorted((a, b) => Number(a) - Number(b)));
});

const kinds = {
  returns: { script: '"returned " + n', outcome: (n: number) => `returned ${n}` },
  throws: { script: 'throw new Error("thrown " + n)', outcome: (n: number) => `script_error thrown ${n}` },
  crashes: { script: '"a".repeat(500000000 + n).length', outcome: () => 'sidecar_crashed' },
  hangs: { script: 'n; while (true) {}', outcome: () => 'timeout' },
};
const kind = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('returns' as const, 'throws' as const) },
  { weight: 1, arbitrary: fc.constantFrom('crashes' as const, 'hangs' as const) },
);

// What ends a sidecar at once elsewhere may be a timeout.
it.skipIf(process.platform !== 'linux')('whatever stands before it, each run has its own outcome', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(kind, { maxLength: 30 }), fc.constantFrom(1, 2), async (row, maxProcesses) => {
      const box = sandbox({ maxProcesses, quarantineAfter: 1000, maxCrashes: 1000 });
      await becomeQuick(box, '1');
      const outcomes = row.map(async (each, n) => {
        const engine = each === 'crashes' ? ('mustardscript' as const) : ('auto' as const);
        const limits = { timeoutMs: each === 'hangs' ? 100 : 10_000 };
        const run = { script: kinds[each].script, inputs: { n }, engine, limits };
        return await box.run(run).then(
          ({ value }) => value,
          ({ code, details }) => (code === 'script_error' ? `${code} ${details.thrownMessage}` : code),
        );
      });
      expect(await Promise.all(outcomes)).toEqual(row.map((each, n) => kinds[each].outcome(n)));
      await box.close();
    }),
    runs(20),
  );
});
