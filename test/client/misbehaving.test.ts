import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createSandbox } from '@mustard-sandbox/client';
import { failureOf, fake, gone, isAlive, pidOf, recorded, sandbox } from './support.ts';

describe('a misbehaving sidecar', () => {
  const duringRun: [string, string, RegExp][] = [
    ['noise', 'protocol_error', /Content-Length/],
    ['huge-frame', 'protocol_error', /exceeds the cap/],
    ['wrong-shape', 'protocol_error', /Answer to sandbox\/run/],
    ['foreign-capability', 'protocol_error', /'secret', which this run did not offer/],
    ['foreign-run', 'protocol_error', /not under way/],
    ['close-stdout', 'protocol_error', /closed its output/],
    ['exit-0', 'sidecar_crashed', /exited \(exit code 0\)/],
    ['half-a-frame', 'timeout', /100 ms/],
    ['silent', 'timeout', /100 ms/],
    ['flood', 'protocol_error', /wrote to the console for a run that is not under way/],
    ['crawl', 'timeout', /100 ms/],
  ];
  it.each(duringRun)('%s: %s', async (mode, code, message) => {
    const box = fake(mode);
    await box.warm();
    const pid = pidOf(box);
    // A second is given to a process that closed its output, because it may just be ending.
    const limits = { timeoutMs: mode === 'close-stdout' ? 10_000 : 100 };
    const run = box.run({ script: 'ask()', hostFunctions: { ask: () => 1 }, limits });
    const error = await failureOf(run);
    expect({ code: error.code, message: error.message }).toEqual({
      code,
      message: expect.stringMatching(message) as string,
    });
    await gone(pid);
  });

  it.each(['stderr-flood', 'capability-after-end', 'many-messages'])('%s: the run has its answer', async (mode) => {
    const box = fake(mode);
    const { value } = await box.run({ script: '1', hostFunctions: { ask: () => 1 } });
    expect(['survived', 'done', 'after 900']).toContain(value);
  });

  it('ignore-shutdown: is killed by close', async () => {
    const box = fake('ignore-shutdown');
    await box.run({ script: '1' });
    const pid = pidOf(box);
    await box.close();
    expect(isAlive(pid)).toBe(false);
  });

  const atStart: [string, RegExp][] = [
    ['crash-at-start', /exited \(exit code 7\)/],
    ['noise-at-start', /Debugger attached/],
    ['wrong-version', /version 2.*version 3/],
    ['later-version', /version 3.*version 2/],
    ['malformed-initialize', /Answer to initialize/],
    ['exit-in-initialize', /exit code 0/],
    ['hang-in-initialize', /did not start within 200 ms/],
  ];
  it.each(atStart)('%s: runs fail with sidecar_unavailable and the cause', async (mode, message) => {
    const box = fake(mode, { maxCrashes: 2, startTimeoutMs: mode === 'hang-in-initialize' ? 200 : 10_000 });
    const events = recorded(box);
    const error = await failureOf(box.run({ script: '1' }));
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'sidecar_unavailable',
      message: expect.stringMatching(message) as string,
    });
    // Of one that hangs each caller waits for one start, and the second is the last.
    if (mode === 'hang-in-initialize') await failureOf(box.run({ script: '1' }));
    expect(box.stats().state).toBe('unavailable');
    expect(events.map(({ event }) => event)).toContain('unavailable');
    // Past the limit a run fails at once.
    const spawns = box.stats().totals.spawns;
    expect((await failureOf(box.run({ script: '1' }))).code).toBe('sidecar_unavailable');
    expect(box.stats().totals.spawns).toBe(spawns);
  });

  it('noise-when-idle: is backed off from, not started over and over', async () => {
    const box = fake('noise-when-idle', { spares: 1, maxCrashes: 3 });
    const events = recorded(box);
    await box.warm();
    await vi.waitFor(() => expect(box.stats().state).toBe('unavailable'), 10_000);
    expect(events.map(({ event }) => event)).toContain('backing_off');
    expect(box.stats().totals.spawns).toBeLessThanOrEqual(4);
  });

  it.skipIf(process.platform === 'win32')('whose own child holds the pipes is gone all the same', async () => {
    const options = { spares: 0, maxCrashes: 1 };
    const ends = sandbox({ command: ['/bin/sh', '-c', 'sleep 30 & exit 3'], ...options });
    expect((await failureOf(ends.run({ script: '1' }))).message).toMatch(/exit code 3/);
    const daemon = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
    const command = ['/bin/sh', '-c', 'sleep 30 & exec "$@"', 'sh', process.execPath, daemon];
    const works = createSandbox({ command, ...options });
    await expect(works.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
    await works.close();
    expect(works.stats().processes).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('may be started by a program that stays around it', async () => {
    const daemon = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
    const command = ['/bin/sh', '-c', '"$@"; exit $?', 'sh', process.execPath, daemon];
    const box = sandbox({ command, spares: 0, graceMs: 20_000 });
    // Long enough for the watchdog to look for its host.
    const script = 'while (true) {}';
    expect((await failureOf(box.run({ script, limits: { timeoutMs: 300 } }))).code).toBe('timeout');
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
    expect(box.stats().totals.spawns).toBe(1);
  });

  it('that cannot be replaced does not shut out the one that works', async () => {
    const flag = join(mkdtempSync(join(tmpdir(), 'mustard-flag-')), 'broken');
    const daemon = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
    const program = `require('node:fs').existsSync(${JSON.stringify(flag)}) ? process.exit(3) : import(${JSON.stringify(daemon)})`;
    const box = sandbox({ command: [process.execPath, '-e', program], maxProcesses: 1, spares: 1, maxCrashes: 2 });
    let answer: (value: string) => void = () => {};
    const ask = (): Promise<string> => new Promise((resolve) => (answer = resolve));
    await box.warm();
    await vi.waitFor(() => expect(box.stats().processes.filter(({ state }) => state === 'ready')).toHaveLength(2));
    writeFileSync(flag, '');
    const running = box.run({ script: 'ask()', hostFunctions: { ask } });
    await vi.waitFor(() => expect(box.stats().processes.some(({ state }) => state === 'busy')).toBe(true));
    process.kill(box.stats().processes.find(({ state }) => state === 'ready')?.pid as number, 'SIGKILL');
    await vi.waitFor(() => expect(box.stats().state).toBe('unavailable'), 10_000);
    const queued = box.run({ script: '1 + 1' });
    answer('still served');
    await expect(running).resolves.toMatchObject({ value: 'still served' });
    await expect(queued).resolves.toMatchObject({ value: 2 });
  });

  it('a command that does not exist is told by name', async () => {
    const error = await failureOf(sandbox({ command: ['/no/such/node'] }).run({ script: '1' }));
    expect(error).toMatchObject({
      code: 'sidecar_unavailable',
      message: expect.stringContaining('ENOENT for the command "node"') as string,
    });
    expect(JSON.stringify(error)).not.toContain('/no/such');
    // Only the host sees this.
    expect(((error.cause as Error).cause as Error).message).toContain('/no/such/node');
  });

  it('recovers after the cool-down', async () => {
    const flag = join(mkdtempSync(join(tmpdir(), 'mustard-flag-')), 'works');
    const daemon = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
    const program = `require('node:fs').existsSync(${JSON.stringify(flag)}) ? import(${JSON.stringify(daemon)}) : process.exit(3)`;
    const box = sandbox({ command: [process.execPath, '-e', program], maxCrashes: 1, cooldownMs: 50, spares: 0 });
    const events = recorded(box);
    expect((await failureOf(box.run({ script: '1' }))).code).toBe('sidecar_unavailable');
    writeFileSync(flag, '');
    await vi.waitFor(async () => expect(await box.run({ script: '1 + 1' })).toMatchObject({ value: 2 }), 10_000);
    expect(events.map(({ event }) => event)).toContain('recovered');
  });
});
