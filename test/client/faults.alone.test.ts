import { execa } from 'execa';
import { describe, expect, it, vi } from 'vitest';
import { createSandbox } from '@mustard-sandbox/client';
import { isFull } from '../full.ts';
import { defaults, failureOf, gone, isAlive, kill, pidOf, recorded, sandbox, shared } from './support.ts';

const forever = 'while (true) {}';
/** One operation that nothing stops: QuickJS does not ask whether to go on inside of it. */
const stuck = 'new Array(4294967295).join("").length';

describe('a deadline', () => {
  it('stops a computing script in time and keeps its sidecar', async () => {
    // A long grace: on a busy machine the thread that stops the script may be late.
    const box = sandbox({ spares: 0, graceMs: 20_000 });
    await box.warm();
    const pid = pidOf(box);
    const error = await failureOf(
      box.run({ script: `const a = 1;\nfunction spin() {\n  ${forever}\n}\nspin()`, limits: { timeoutMs: 100 } }),
    );
    expect(error).toMatchObject({
      code: 'timeout',
      details: { limit: 'timeout_ms', value: 100 },
    });
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
    expect(pidOf(box)).toBe(pid);
  });

  it('kills a sidecar that is inside one long operation', async () => {
    const box = sandbox({ spares: 0 });
    await box.warm();
    const pid = pidOf(box);
    const error = await failureOf(box.run({ script: stuck, limits: { timeoutMs: 100 } }));
    expect(error).toMatchObject({ code: 'timeout', details: { killed: true, value: 100 } });
    await gone(pid);
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
  });
});

describe('an abort', () => {
  it('before the run sends nothing', async () => {
    const box = sandbox();
    const error = await failureOf(box.run({ script: '1', signal: AbortSignal.abort() }));
    expect(error.code).toBe('cancelled');
    expect(box.stats().processes).toEqual([]);
  });

  it('from the very event that says the run began is not missed', async () => {
    const box = sandbox({ graceMs: 20_000 });
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController();
      const stop = box.on('run_started', () => controller.abort());
      const run = box.run({ script: forever, signal: controller.signal, limits: { timeoutMs: 10_000 } });
      expect((await failureOf(run)).code).toBe('cancelled');
      stop();
    }
    expect(box.stats().totals.kills).toBe(0);
  });

  it('of a queued run touches no process', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 0 });
    const controller = new AbortController();
    const running = box.run({ script: 'ask()', hostFunctions: { ask: () => release } });
    let answer: (value: string) => void = () => {};
    const release = new Promise<string>((resolve) => (answer = resolve));
    const queued = box.run({ script: '2', signal: controller.signal });
    await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'));
    controller.abort();
    expect((await failureOf(queued)).code).toBe('cancelled');
    answer('still here');
    await expect(running).resolves.toMatchObject({ value: 'still here' });
    expect(box.stats().totals).toMatchObject({ spawns: 1, kills: 0, runs: 1 });
  });

  it.each([
    ['computes', forever],
    ['is inside one long operation', stuck],
    ['waits for a host function', 'ask()'],
    ['reads files in a loop', 'for (;;) list_files()'],
  ])('of a script that %s settles as cancelled', async (_, script) => {
    const box = shared();
    const controller = new AbortController();
    const hostFunctions = { ask: () => new Promise(() => {}) };
    const limits = { timeoutMs: 10_000 };
    const run = box.run({ script, signal: controller.signal, hostFunctions, limits, scope: { root: '.' } });
    await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'));
    controller.abort();
    expect((await failureOf(run)).code).toBe('cancelled');
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
  });
});

describe('a crash', () => {
  it('during a run is told with its cause, and the spare takes over', async () => {
    const box = sandbox({ spares: 1 });
    await box.warm();
    await vi.waitFor(() => expect(box.stats().processes.filter(({ state }) => state === 'ready')).toHaveLength(2));
    const spawns = box.stats().totals.spawns;
    const error = await failureOf(box.run({ script: '"a".repeat(500000000).length', engine: 'mustardscript' }));
    if (process.platform === 'linux') {
      expect(error).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'out_of_memory', signal: 'SIGABRT' } });
      // Of the engine, or of V8 ("Committing semi space failed" from Node 22 on): both live under the one limit of the
      // process, and whichever asks next once the script has taken the rest is refused.
      expect(error.details.stderr).toMatch(/memory allocation of \d+ bytes failed|out of memory/);
    } else {
      expect(['sidecar_crashed', 'timeout']).toContain(error.code);
    }
    const next = box.run({ script: '1 + 1' });
    expect(box.stats().totals.spawns).toBe(spawns);
    await expect(next).resolves.toMatchObject({ value: 2 });
  });

  it('from outside fails the run that was under way, once', async () => {
    const box = sandbox();
    const run = failureOf(box.run({ script: forever }));
    await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'));
    process.kill(pidOf(box), 'SIGKILL');
    expect(await run).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'killed', signal: 'SIGKILL' } });
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
  });

  it('before and after a run is replaced when the next one comes', async () => {
    const box = sandbox({ spares: 0 });
    for (let round = 0; round < 2; round++) {
      await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
      const pid = pidOf(box);
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(() => expect(box.stats().processes.some((each) => each.pid === pid)).toBe(false));
    }
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
  });

  it('while a host function is pending drops its late answer', async () => {
    const box = sandbox();
    let answer: (value: string) => void = () => {};
    const ask = (): Promise<string> => new Promise((resolve) => (answer = resolve));
    const run = failureOf(box.run({ script: 'ask()', hostFunctions: { ask } }));
    await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'));
    process.kill(pidOf(box), 'SIGKILL');
    expect((await run).code).toBe('sidecar_crashed');
    answer('too late');
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
  });

  it('twice by the same script quarantines that script only', async () => {
    const box = sandbox({ quarantineAfter: 2 });
    const events = recorded(box);
    // On a machine under load the host may have been late itself, and then it does not count.
    while (box.stats().quarantinedScripts === 0) {
      expect((await failureOf(box.run({ script: stuck, limits: { timeoutMs: 50 } }))).code).toBe('timeout');
    }
    expect((await failureOf(box.run({ script: stuck }))).code).toBe('quarantined');
    expect((await failureOf(box.validate(stuck))).code).toBe('quarantined');
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
    expect(events.filter(({ event }) => event === 'quarantined')).toHaveLength(1);
    expect(box.stats().quarantinedScripts).toBe(1);
  });
});

it('a sidecar killed from outside is not held against the script', async () => {
  const box = sandbox({ quarantineAfter: 1 });
  for (let round = 0; round < 3; round++) {
    const run = failureOf(box.run({ script: forever }));
    await vi.waitFor(() => expect(box.stats().processes.some(({ state }) => state === 'busy')).toBe(true));
    process.kill(box.stats().processes.find(({ state }) => state === 'busy')?.pid as number, 'SIGKILL');
    expect((await run).code).toBe('sidecar_crashed');
  }
  expect(box.stats().quarantinedScripts).toBe(0);
});

describe('closing', () => {
  it('settles every call with closed, and leaves no process', async () => {
    const box = createSandbox({ ...defaults, maxProcesses: 2 });
    const runs = Array.from({ length: 6 }, () => failureOf(box.run({ script: forever })));
    await vi.waitFor(() => expect(box.stats().processes.filter(({ state }) => state === 'busy')).toHaveLength(2));
    const pids = box.stats().processes.map(({ pid }) => pid);
    await Promise.all([box.close(), box.close()]);
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(Array(6).fill('closed'));
    expect(pids.some(isAlive)).toBe(false);
    expect(box.stats()).toMatchObject({ state: 'closed', processes: [], queued: 0 });
  });

  it('while a sidecar starts leaves none', async () => {
    const box = createSandbox(defaults);
    const spawned = new Promise<number | undefined>((resolve) => box.on('spawned', ({ pid }) => resolve(pid)));
    const run = failureOf(box.run({ script: '1' }));
    const pid = await spawned;
    await box.close();
    expect((await run).code).toBe('closed');
    await gone(pid);
  });

  it('before there is a process leaves none', async () => {
    const box = createSandbox(defaults);
    const events = recorded(box);
    const run = failureOf(box.run({ script: '1' }));
    await box.close();
    expect((await run).code).toBe('closed');
    await gone(...events.map(({ facts }) => (facts as { pid?: number }).pid));
  });
});

it('a full queue refuses, and says how many wait', async () => {
  const box = sandbox({ maxProcesses: 1, maxQueue: 2, spares: 0 });
  const runs = Array.from({ length: 4 }, () => box.run({ script: '1' }));
  const settled = await Promise.allSettled(runs);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  expect(await failureOf(runs[3] as Promise<unknown>)).toMatchObject({ code: 'queue_full', details: { value: 2 } });
});

it('a run that has waited too long fails, and leaves its place to the next', async () => {
  const box = sandbox({ maxProcesses: 1, queueTimeoutMs: 500, spares: 0 });
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  // A start may take longer than that.
  await vi.waitFor(async () => await box.warm(), { timeout: 20_000 });
  const holding = box.run({ script: 'await hold(); 1', hostFunctions: { hold: () => released } });
  const late = await failureOf(box.run({ script: '2' }));
  expect(late).toMatchObject({ code: 'queue_full', details: { limit: 'queue', value: 500, unit: 'ms' } });
  expect(late.message).toMatch(/waited 500 ms \(queueTimeoutMs\) for a process/);
  expect(box.stats().queued).toBe(0);
  release();
  expect((await holding).value).toBe(1);
  expect((await box.run({ script: '3' })).value).toBe(3);
});

it('runs are served in the order of asking', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  const order: unknown[] = [];
  const hostFunctions = { mark: (n: unknown) => order.push(n) };
  await Promise.all([1, 2, 3, 4, 5].map((n) => box.run({ script: 'mark(n)', inputs: { n }, hostFunctions })));
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

it('an idle process ends after its time, and a run brings one back', async () => {
  const box = sandbox({ idleTimeoutMs: 100 });
  await box.run({ script: '1' });
  await vi.waitFor(() => expect(box.stats()).toMatchObject({ state: 'idle', processes: [] }), 10_000);
  await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
});

it('a process is replaced after its number of runs', async () => {
  const box = sandbox({ recycleRuns: 3, maxProcesses: 1, spares: 0 });
  for (let round = 0; round < 7; round++) await box.run({ script: '1' });
  expect(box.stats().totals).toMatchObject({ runs: 7, succeeded: 7, spawns: 3, retired: 2, crashes: 0 });
});

describe('no sidecar outlives its host', () => {
  const host = (ending: string): string => `
    import { createSandbox } from '@mustard-sandbox/client';
    const box = createSandbox(${JSON.stringify({ ...defaults, spares: 1 })});
    box.on('run_started', () => {
      process.stdout.write(JSON.stringify(box.stats().processes.map(({ pid }) => pid)) + '\\n');
      ${ending}
    });
    await box.run({ script: 'while (true) {}', limits: { timeoutMs: 10000, instructions: 2e9 } });
  `;
  const stopAll = 'for (const { pid } of box.stats().processes) if (pid) process.kill(pid, "SIGSTOP");';
  it.each([
    ['is killed', '', 'SIGKILL' as const],
    // They cannot see for themselves that it is gone.
    ...(process.platform === 'linux' ? [['is killed with its sidecars stopped', stopAll, 'SIGKILL' as const]] : []),
    ['is interrupted', '', 'SIGINT' as const],
    ['is terminated', '', 'SIGTERM' as const],
    ['exits', 'setTimeout(() => process.exit(0), 20);', undefined],
    ['throws', 'setTimeout(() => { throw new Error("host bug") }, 20);', undefined],
  ] as [string, string, NodeJS.Signals | undefined][])(
    'when it %s in the middle of a computation',
    async (_, ending, signal) => {
      const child = execa(process.execPath, ['--input-type=module', '-e', host(ending)], {
        reject: false,
        buffer: false,
      });
      const first = await child.stdout[Symbol.asyncIterator]().next();
      const [line] = String(first.value).split('\n') as [string];
      if (signal !== undefined) child.kill(signal);
      await gone(...(JSON.parse(line) as number[]));
    },
  );
});

it('a run that finds its sidecar dead does not pass the corpse on', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 1, maxCrashes: 1000, quarantineAfter: 1000 });
  for (let round = 0; round < (isFull ? 10 : 3); round++) {
    await box.run({ script: '1' });
    kill(box.stats().processes.at(-1)?.pid);
    // At once, while the exit has not been noticed, and again as soon as that is settled.
    for (let attempt = 0; attempt < 3; attempt++) {
      const code = await box.run({ script: '1 + 1' }).then(
        ({ value }) => value,
        (error: { code: string }) => error.code,
      );
      expect([2, 'sidecar_crashed']).toContain(code);
    }
    await expect(box.run({ script: '1 + 1' })).resolves.toMatchObject({ value: 2 });
  }
});

it('a host function that is still pending when the sandbox closes does not keep the host', async () => {
  const program = `
    import { createSandbox } from '@mustard-sandbox/client';
    const box = createSandbox(${JSON.stringify(defaults)});
    const ask = { handler: () => { void box.close(); return new Promise(() => {}); }, timeoutMs: 600000 };
    await box.run({ script: 'ask()', hostFunctions: { ask } }).catch((error) => console.log(error.code));
  `;
  const { stdout, exitCode } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  expect({ stdout, exitCode }).toEqual({ stdout: 'closed', exitCode: 0 });
});

it('a host that closes after an abort lives to see the end', async () => {
  const program = `
    import { createSandbox } from '@mustard-sandbox/client';
    const box = createSandbox(${JSON.stringify(defaults)});
    const controller = new AbortController();
    box.on('run_started', () => controller.abort());
    const run = box.run({ script: 'while (true) {}', signal: controller.signal });
    await run.catch((error) => console.log(error.code));
    await box.close();
    console.log('closed');
  `;
  const { stdout, exitCode } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  expect({ stdout, exitCode }).toEqual({ stdout: 'cancelled\nclosed', exitCode: 0 });
});

it('an idle sandbox does not keep its host alive', async () => {
  const program = `
    import { createSandbox } from '@mustard-sandbox/client';
    const box = createSandbox(${JSON.stringify(defaults)});
    console.log((await box.run({ script: '1 + 1' })).value);
  `;
  const { stdout, exitCode } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  expect({ stdout, exitCode }).toEqual({ stdout: '2', exitCode: 0 });
});
