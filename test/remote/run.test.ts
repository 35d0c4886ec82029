import { createSandbox, type RunOptions, type Sandbox } from '@mustard-sandbox/client';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isFull } from '../full.ts';
import { failure, openStage, otherToken, type Stage } from './support.ts';

let stage: Stage;
let remote: Sandbox;
let local: Sandbox;

beforeAll(async () => {
  stage = await openStage({ spillBytes: 50_000 });
  remote = stage.connect();
  local = createSandbox({ spares: 0 });
});
afterAll(async () => {
  await stage.end();
  await local.close();
});

/** What must be the same wherever a script runs. */
async function outcomeOf(sandbox: Sandbox, options: RunOptions): Promise<unknown> {
  try {
    const { value, hostCalls, instructionsUsed, attachmentsRead, warnings } = await sandbox.run(options);
    return { value, hostCalls, instructionsUsed, attachmentsRead, warnings };
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: object };
    return { code, message, details: { ...details, residentBytes: undefined, spent: undefined } };
  }
}

const cases: Record<string, RunOptions> = {
  'a value': { script: '[1, "é😀", { a: null }]' },
  'values that JSON has not': { script: '[undefined, NaN, -0, -Infinity, [1,,2], { $: 1 }]' },
  inputs: { script: 'a + b.length', inputs: { a: 1, b: [1, 2, -0] } },
  'a host function': { script: 'double(21)', hostFunctions: { double: (n) => 2 * (n as number) } },
  'an error of a host function': {
    script: 'fail()',
    hostFunctions: {
      fail: () => {
        throw Object.assign(new RangeError('too far'), { code: 'FAR', details: { by: 3 } });
      },
    },
  },
  'a host function that answers later': { script: 'await slow(3)', hostFunctions: { slow: (n) => Promise.resolve(n) } },
  'an exception': { script: 'const a = 1;\nthrow new TypeError("no")' },
  'a syntax error': { script: 'let = ;' },
  'what the language lacks': { script: 'with (a) {}' },
  'a limit': { script: 'let n = 0; while (true) n++', limits: { instructions: 10_000 } },
  'a file that it was not given': { script: 'read_file("../secret")' },
  'an option that there is not': { script: '1', limits: { colour: 1 } } as unknown as RunOptions,
  'too long a script': { script: ' '.repeat(40_000) },
  'a value over the limit': { script: '"x".repeat(2000)', limits: { outputBytes: 1000 } },
};

describe('a remote sandbox is like a local one', () => {
  it.each(Object.entries(cases))('%s', async (_, options) => {
    expect(await outcomeOf(remote, options)).toEqual(await outcomeOf(local, options));
  });

  it('validates alike', async () => {
    const script = 'class';
    expect(await remote.validate(script)).toEqual(await local.validate(script));
    expect(await remote.validate('1 + 1')).toEqual([]);
  });

  it('tells console lines in order, before the result', async () => {
    const lines: string[] = [];
    await remote.run({
      script: 'console.log(1); console.warn("two"); console.error({ three: 3 })',
      onConsole: ({ level, text }) => lines.push(`${level} ${text}`),
    });
    expect(lines).toEqual(['log 1', 'warn two', 'error { three: 3 }']);
  });

  it('tells when a process takes the run up, and counts what happened', async () => {
    const heard: string[] = [];
    const stop = [
      remote.on('run_started', ({ sidecar }) => heard.push(`started ${sidecar > 0}`)),
      remote.on('run_settled', ({ ok, code }) => heard.push(`settled ${ok} ${code ?? ''}`)),
    ];
    const before = remote.stats().totals;
    await remote.run({ script: '1', onStart: ({ queueMs }) => heard.push(`onStart ${queueMs >= 0}`) });
    await failure(remote.run({ script: 'throw 1' }));
    for (const end of stop) end();
    expect(heard).toEqual([
      'started true',
      'onStart true',
      'settled true ',
      'started true',
      'settled false script_error',
    ]);
    const { totals, engine, processes } = remote.stats();
    expect(totals).toMatchObject({ runs: before.runs + 2, succeeded: before.succeeded + 1, failed: before.failed + 1 });
    expect(engine).toMatchObject({ name: 'mustardscript', available: true });
    expect(engine).not.toHaveProperty('path');
    await vi.waitFor(() => expect(remote.stats().processes.length).toBeGreaterThan(0));
    expect(processes.every(({ pid }) => pid === undefined)).toBe(true);
  });

  it('may be shorter at a server that says so', async () => {
    const strict = await openStage({ sandbox: { limits: { timeoutMs: 50 } } });
    onTestFinished(() => strict.end());
    const endless = { script: 'let n = 0; while (true) n++' };
    expect(await failure(strict.connect().run(endless))).toMatchObject({ code: 'timeout', details: { value: 50 } });
  });

  it('profiles', async () => {
    const { profile } = await remote.run({ script: 'f(1)', hostFunctions: { f: () => 1 }, profile: true });
    expect(profile?.capabilities).toMatchObject([{ name: 'f', calls: 1 }]);
  });

  it('warms', async () => {
    expect(await remote.warm()).toMatchObject({ available: true });
  });

  it('cancels, before and during the run', async () => {
    const before = AbortSignal.abort();
    expect(await failure(remote.run({ script: '1', signal: before }))).toMatchObject({ code: 'cancelled' });
    const during = new AbortController();
    const run = remote.run({ script: 'while (true) {}', signal: during.signal, onStart: () => during.abort() });
    expect(await failure(run)).toMatchObject({ code: 'cancelled' });
    const waiting = new AbortController();
    const wait = remote.run({
      script: 'wait()',
      signal: waiting.signal,
      hostFunctions: {
        wait: () => {
          waiting.abort();
          return new Promise(() => {});
        },
      },
    });
    expect(await failure(wait)).toMatchObject({ code: 'cancelled' });
  });

  it('runs a script within a host function, on every process that there is', async () => {
    const nested = (depth: number): Promise<unknown> =>
      remote.run({
        script: depth === 0 ? '1' : 'inner()',
        ...(depth > 0 && {
          hostFunctions: { inner: async () => ((await nested(depth - 1)) as { value: number }).value },
        }),
      });
    // Two processes at each level: without levels, two outer runs would wait for each other.
    const outcomes = await Promise.all([nested(2), nested(2)]);
    expect(outcomes).toMatchObject([{ value: 1 }, { value: 1 }]);
  });

  it('fetches a large result over HTTP, once', async () => {
    const script = '"y".repeat(100000)';
    expect((await remote.run({ script })).value).toBe('y'.repeat(100_000));
    const rows = Array.from({ length: 9_000 }, (_, n) => ({ n, odd: n % 2 === 1, none: undefined }));
    expect((await remote.run({ script: 'rows', inputs: { rows } })).value).toEqual(rows);
  });

  it('hundreds of small calls at once all get their own answer', async () => {
    const runs = Array.from({ length: isFull ? 1000 : 200 }, (_, n) => remote.run({ script: 'n * 2', inputs: { n } }));
    expect((await Promise.all(runs)).map(({ value }) => value)).toEqual(runs.map((_, n) => n * 2));
  });

  it('serves the agent tool', async () => {
    const tool = createExecuteSandboxScriptTool({ sandbox: remote, settings: { consent: 'always' } });
    expect((await tool.execute({ script: '6 * 7' })).text).toContain('42');
    const broken = await tool.execute({ script: 'throw new Error("no")' });
    expect(broken.status).toBe('failed');
    await tool.close();
  });
});

describe('another token', () => {
  it('has a sandbox of its own', async () => {
    const other = stage.connect({ token: otherToken });
    await other.run({ script: '1' });
    await vi.waitFor(() => expect(other.stats().processes).toHaveLength(1));
    // MustardScript aborts the process where it cannot have so much memory.
    const crashing = { script: "'a'.repeat(500000000).length", engine: 'mustardscript' } as const;
    for (let times = 0; times < 2; times++) {
      expect(await failure(other.run(crashing))).toMatchObject({ code: 'sidecar_crashed' });
    }
    expect(await failure(other.run(crashing))).toMatchObject({ code: 'quarantined' });
    // The same script of the first token is none that has crashed before.
    expect(await failure(remote.run(crashing))).toMatchObject({
      code: 'sidecar_crashed',
      details: { reason: 'out_of_memory' },
    });
  });

  it('gets no path of the server in an error', async () => {
    const script = "'a'.repeat(500000000).length";
    const error = await failure(stage.connect().run({ script, engine: 'mustardscript' }));
    expect(error.code).toBe('sidecar_crashed');
    expect(JSON.stringify(error)).not.toContain(stage.folder);
    expect(error.details).not.toHaveProperty('stderr');
  });
});
