import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { failureOf, fake, pidOf, recorded, sandbox } from './support.ts';

/** In MustardScript it ends its sidecar for a large `n`, wherever it runs. */
const repeat = { script: '"a".repeat(n).length', engine: 'mustardscript' as const };
const crash = { ...repeat, inputs: { n: 500_000_000 } };
const harmless = { ...repeat, inputs: { n: 5 } };

// What ends a sidecar at once elsewhere may be a timeout.
describe.skipIf(process.platform !== 'linux')('a crash in a process that others have used', () => {
  it('is no proof, and the script gets a fresh process for the next run', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 0, quarantineAfter: 1 });
    await box.run({ script: '1' });
    expect((await failureOf(box.run(crash))).code).toBe('sidecar_crashed');
    expect(box.stats().quarantinedScripts).toBe(0);
    // Another script uses the process that came instead.
    await box.run({ script: '1' });
    const used = pidOf(box);
    const events = recorded(box);
    expect((await failureOf(box.run(crash))).code).toBe('sidecar_crashed');
    expect(events).toContainEqual({ event: 'retired', facts: expect.objectContaining({ pid: used, why: 'suspect' }) });
    expect((await failureOf(box.run(crash))).code).toBe('quarantined');
  });

  it('is forgotten once the script ends well in a fresh one', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 0, quarantineAfter: 1 });
    const events = recorded(box);
    await box.run({ script: '1' });
    expect((await failureOf(box.run(crash))).code).toBe('sidecar_crashed');
    for (let round = 0; round < 3; round++) await expect(box.run(harmless)).resolves.toMatchObject({ value: 5 });
    expect(box.stats().totals.spawns).toBe(2);
    expect(events.filter(({ event }) => event === 'retired')).toEqual([]);
  });
});

// Windows cannot stop a process.
describe.skipIf(process.platform === 'win32')('a sidecar that is frozen while idle', () => {
  it('is found out and replaced, and the script has its answer', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 1, quarantineAfter: 1 });
    const events = recorded(box);
    await box.run({ script: '1' });
    await vi.waitFor(() => expect(box.stats().processes.filter(({ state }) => state === 'ready')).toHaveLength(2));
    for (const { pid } of box.stats().processes) process.kill(pid as number, 'SIGSTOP');
    // Until then it counts as heard of a moment ago.
    await sleep(1_100);
    await expect(box.run({ script: '1 + 1', limits: { timeoutMs: 10_000 } })).resolves.toMatchObject({ value: 2 });
    expect(events.filter(({ event }) => event === 'killed').map(({ facts }) => facts)).toMatchObject([
      { why: 'unresponsive' },
      { why: 'unresponsive' },
    ]);
    expect(box.stats()).toMatchObject({ state: 'running', quarantinedScripts: 0 });
  });

  // Elsewhere nobody tells that a process is stopped, and the run is lost.
  it.skipIf(process.platform !== 'linux')('right before a run costs that run time, and no more', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 1, quarantineAfter: 1 });
    const events = recorded(box);
    await box.run({ script: '1' });
    await vi.waitFor(() => expect(box.stats().processes.filter(({ state }) => state === 'ready')).toHaveLength(2));
    // Both were heard of less than a second ago: the spare by its start.
    for (const { pid } of box.stats().processes) process.kill(pid as number, 'SIGSTOP');
    let calls = 0;
    const run = box.run({
      script: 'ask() + 1',
      hostFunctions: { ask: () => ++calls },
      limits: { timeoutMs: 1_000 },
    });
    await expect(run).resolves.toMatchObject({ value: 2 });
    expect(calls).toBe(1);
    const killed = events.filter(({ event }) => event === 'killed').map(({ facts }) => facts);
    expect(killed.length).toBeGreaterThan(0);
    for (const facts of killed) expect(facts).toMatchObject({ why: 'unresponsive' });
    expect(box.stats()).toMatchObject({ quarantinedScripts: 0 });
  });

  it('in the middle of a run ends it without a second one', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 0, quarantineAfter: 1 });
    let calls = 0;
    const ask = (): number => {
      process.kill(pidOf(box), 'SIGSTOP');
      return ++calls;
    };
    const error = await failureOf(box.run({ script: 'ask()', hostFunctions: { ask }, limits: { timeoutMs: 200 } }));
    expect(error).toMatchObject({ code: 'timeout', details: { killed: true } });
    expect(calls).toBe(1);
  });

  it('does not keep a caller who gave up', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 0 });
    await box.run({ script: '1' });
    process.kill(pidOf(box), 'SIGSTOP');
    await sleep(1_100);
    const controller = new AbortController();
    const run = failureOf(box.run({ script: '1 + 1', signal: controller.signal }));
    await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'));
    controller.abort();
    expect(await run).toMatchObject({ code: 'cancelled', message: 'The run was cancelled before it began.' });
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
  });
});

describe('a machine that lacks what a sidecar needs', () => {
  it('is not held against the script, even if that is found out during its run', async () => {
    const box = fake('exit-71', { quarantineAfter: 1 });
    for (let round = 0; round < 3; round++) {
      expect(await failureOf(box.run({ script: '1' }))).toMatchObject({
        code: 'sidecar_crashed',
        details: { exitCode: 71 },
      });
    }
  });

  it('such as the thread of the watchdog, ends the sidecar by itself with exit code 71', async () => {
    const daemon = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
    const folder = mkdtempSync(join(tmpdir(), 'mustard-no-thread-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'dist'));
    for (const file of ['main.cjs', 'sidecar.cjs', 'log-sink.cjs'])
      copyFileSync(join(daemon, '..', file), join(folder, 'dist', file));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0' }));
    const box = sandbox({ command: [process.execPath, join(folder, 'dist', 'main.cjs')], spares: 0, maxCrashes: 1 });
    const crashed = new Promise<string>((resolve) => box.on('crashed', ({ message }) => resolve(message)));
    await box.warm();
    expect(await crashed).toMatch(/exit code 71.*no thread for the watchdog/);
  });
});
