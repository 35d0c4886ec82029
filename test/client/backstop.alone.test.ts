import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox } from '@mustard-sandbox/client';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Backstop } from '../../packages/sandbox-client/src/backstop.ts';
import { defaults, failureOf, fake, pidOf, recorded, sandbox } from './support.ts';

/** One operation that nothing stops: QuickJS does not ask whether to go on inside of it. */
const stuck = 'new Array(4294967295).join("").length';

/** Keeps this process from doing anything else, and leaves the processor to the others. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('the clock of a deadline is the sidecar', () => {
  it('so calls that take long to arrive cost the script nothing', async () => {
    const box = fake('slow-pipe', { graceMs: 1_000 });
    const run = box.run({ script: '1', hostFunctions: { ask: () => 1 }, limits: { timeoutMs: 100 } });
    await expect(run).resolves.toMatchObject({ value: 'in time' });
  });

  it('so a script that calls for longer than its time is stopped by that clock, and its sidecar lives', async () => {
    const box = sandbox({ spares: 0 });
    const until = performance.now() + 1_500;
    const hostFunctions = { more: () => performance.now() < until };
    const run = box.run({ script: 'while (more()) {} "done"', hostFunctions, limits: { timeoutMs: 500 } });
    const { code, details } = await run.then(
      () => ({ code: 'OK', details: {} }),
      (error: unknown) => error as { code: string; details: { killed?: boolean } },
    );
    // How much of the time is the script's depends on the machine.
    expect(['OK', 'timeout']).toContain(code);
    expect(details).not.toHaveProperty('killed');
    expect(box.stats().totals.kills).toBe(0);
  });

  it('and one that calls and then hangs is killed all the same', async () => {
    const box = fake('call-then-silent');
    const run = box.run({ script: '1', hostFunctions: { ask: () => 1 }, limits: { timeoutMs: 100 } });
    expect(await failureOf(run)).toMatchObject({ code: 'timeout', details: { killed: true } });
  });

  it('and one that calls again and again has a minute more at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let messages = 0;
    const heard = (): { bytes: number; messages: number } => ({ bytes: 0, messages });
    const onOverdue = vi.fn<() => void>();
    const backstop = new Backstop(100, 75, heard, onOverdue);
    const startedAt = performance.now();
    while (onOverdue.mock.calls.length === 0 && performance.now() - startedAt < 300_000) {
      await vi.advanceTimersByTimeAsync(50);
      messages++;
      backstop.pause();
      backstop.resume();
    }
    expect(performance.now() - startedAt).toBeGreaterThan(30_000);
    expect(performance.now() - startedAt).toBeLessThan(62_000);
  });

  it('and stands still for as long as any of several calls is under way', async () => {
    const slow = (): Promise<number> => sleep(5_000).then(() => 2);
    const run = sandbox().run({
      script: 'await Promise.all([fast(), slow()])',
      hostFunctions: { fast: () => sleep(100).then(() => 1), slow },
      limits: { timeoutMs: 1_000 },
    });
    await expect(run).resolves.toMatchObject({ value: [1, 2] });
  });

  it('and an answer that is being read is not late', async () => {
    const box = fake('long-answer', { graceMs: 1_000 });
    const { value } = await box.run({ script: '1', limits: { timeoutMs: 50 } });
    expect((value as string).length).toBe(8_000_000);
  });
});

describe('a host that stands still', () => {
  const stalls: [where: string, stall: () => Promise<void>][] = [
    [
      'in a promise',
      async () => {
        await Promise.resolve();
        block(1_000);
      },
    ],
    ['in setImmediate', () => new Promise((resolve) => setImmediate(() => resolve(block(1_000))))],
    ['in a timer', () => new Promise((resolve) => setTimeout(() => resolve(block(1_000)), 1))],
  ];
  it.each(stalls)('%s loses no result and blames no script', async (_where, stall) => {
    const box = sandbox({ quarantineAfter: 1 });
    await box.warm();
    const started = new Promise<void>((resolve) => box.on('run_started', () => resolve()));
    const run = box.run({ script: '"a".repeat(1000000)', limits: { timeoutMs: 200 } });
    await started;
    await stall();
    expect((await run).value).toHaveLength(1_000_000);
    expect(box.stats()).toMatchObject({ quarantinedScripts: 0, totals: { kills: 0 } });
  });

  it('still ends a sidecar that hangs, and does not blame the script', async () => {
    const box = sandbox({ quarantineAfter: 1 });
    await box.warm();
    const events = recorded(box);
    const run = failureOf(box.run({ script: stuck, limits: { timeoutMs: 100 } }));
    await vi.waitFor(() => expect(box.stats().processes.some(({ state }) => state === 'busy')).toBe(true));
    block(1_000);
    expect(await run).toMatchObject({ code: 'timeout', details: { killed: true } });
    expect(events.some(({ event }) => event === 'quarantined')).toBe(false);
  });

  it('gives a host function what was read too late', async () => {
    const box = sandbox();
    let handler = (): Promise<string> => new Promise(() => {});
    const late = new Promise<string>((resolve) => {
      handler = () => {
        setImmediate(() => {
          setImmediate(() => resolve('answered'));
          block(1_000);
        });
        return late;
      };
    });
    const hostFunctions = { ask: { handler: () => handler(), timeoutMs: 200 } };
    await expect(box.run({ script: 'ask()', hostFunctions })).resolves.toMatchObject({ value: 'answered' });
  });
});

// At once, because they only wait.
describe.skipIf(process.platform === 'win32').concurrent('a script loses no time', () => {
  it('when its host is stopped by a signal, or the whole group', async () => {
    const program = `
      import { createSandbox } from '@mustard-sandbox/client';
      const box = createSandbox({ ...${JSON.stringify(defaults)}, quarantineAfter: 1 });
      await box.warm();
      box.on('run_started', () => process.send('started'));
      const script = 'let n = 0; for (let i = 0; i < 200000; i++) n += i % 7; n';
      const limits = { timeoutMs: 4000, instructions: 2e9 };
      await box.run({ script, limits }).then(({ value }) => console.log(value), (error) => console.log(error.code));
      console.log(box.stats().totals.kills);
      await box.close();
      process.disconnect();
    `;
    const host = execa(process.execPath, ['--input-type=module', '-e', program], { ipc: true, detached: true });
    await host.getOneMessage();
    const group = -(host.pid as number);
    // The whole group, as Ctrl-Z does: without a jail its sidecars stand still as well.
    process.kill(group, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    process.kill(group, 'SIGCONT');
    expect((await host).stdout).toBe('599994\n0');
  });

  it('when its sidecar is stopped', async () => {
    // The grace period would end before the sidecar goes on.
    await using box = createSandbox({ ...defaults, graceMs: 30_000 });
    await box.warm();
    const pid = pidOf(box);
    const script = 'console.log("begun"); let n = 0; for (let i = 0; i < 200000; i++) n += i % 7; n';
    const limits = { timeoutMs: 4_000 };
    const run = box.run({ script, limits, onConsole: () => process.kill(pid, 'SIGSTOP') });
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    process.kill(pid, 'SIGCONT');
    const { value, executionMs } = await run;
    expect(value).toBe(599_994);
    expect(executionMs).toBeLessThan(4_000);
  });
});
