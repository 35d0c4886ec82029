import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { busyWords, type SandboxError, type RunOptions } from '@mustard-sandbox/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf, kill, pidOf, sandbox, saying } from './support.ts';

const size = 300_000;
/** One operation that nothing stops: QuickJS does not ask whether to go on inside of it. */
const stuck = 'new Array(4294967295).join("").length';

/** In MustardScript it takes the process down. */
const tooLarge = `'a'.repeat(500000000).length`;

function folderWithLog(): string {
  const root = mkdtempSync(join(tmpdir(), 'mustard-lost-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'log'), 'x'.repeat(size));
  return root;
}

/** Longer than between two messages of progress: so what was told last includes the read and a wait. */
const wait = (): Promise<void> => sleep(80);
/** More than once: the clock of a sidecar that a busy machine does not let run stands still. */
const readAndWait = `read_file('log').length;\nfor (let turn = 0; turn < 4; turn++) wait();`;
/** The read, and at least one of the waits. */
const hostCalls = expect.toSatisfy((calls: number) => calls >= 2) as number;

function running(then: string): RunOptions {
  return {
    script: `${readAndWait}\n${then}`,
    scope: { root: folderWithLog() },
    hostFunctions: { wait },
    limits: { timeoutMs: 2_000 },
  };
}

describe('a run whose sidecar is lost has the numbers that were told last', () => {
  const numbers = {
    bytesRead: size,
    hostCalls,
    reached: { path: 'log', position: size, size },
    instructionsUsed: expect.any(Number) as number,
    heapBytesUsed: expect.any(Number) as number,
    cpuMs: expect.any(Number) as number,
    executionMs: expect.any(Number) as number,
  };
  const expectNumbers = ({ details }: SandboxError): void => expect(details.spent).toEqual(numbers);

  it('when it is killed at the deadline', async () => {
    const error = await failureOf(sandbox().run(running(stuck)));
    expect(error).toMatchObject({ code: 'timeout', details: { killed: true } });
    expectNumbers(error);
    // Until it was killed, by the clock of the client, without the time of the host function.
    expect(error.details.spent?.executionMs).toBeGreaterThan(2_000);
  });

  it('when it dies of a too large value', async () => {
    const error = await failureOf(sandbox().run({ ...running(tooLarge), engine: 'mustardscript' }));
    expect(error.code).toBe('sidecar_crashed');
    expectNumbers(error);
  });

  it.skipIf(process.platform === 'win32')('when it is killed after an abort', async () => {
    const controller = new AbortController();
    const box = sandbox();
    // Stopped, it cannot answer the abort by itself.
    const stop = (): Promise<void> => {
      process.kill(pidOf(box), 'SIGSTOP');
      controller.abort();
      return new Promise(() => {});
    };
    const { signal } = controller;
    // On a busy machine the read alone may take longer than a second.
    const limits = { timeoutMs: 10_000 };
    const error = await failureOf(box.run({ ...running('stop()'), hostFunctions: { wait, stop }, signal, limits }));
    expect(error).toMatchObject({ code: 'cancelled', details: { killed: true } });
    expectNumbers(error);
  });

  it('when something else kills it', async () => {
    const box = sandbox();
    const die = (): Promise<void> => {
      kill(pidOf(box));
      return new Promise(() => {});
    };
    const error = await failureOf(box.run({ ...running('die()'), hostFunctions: { wait, die } }));
    expect(error).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'killed' } });
    expect(error.details.spent).toEqual(numbers);
  });

  it('and the result of a tool has them', async () => {
    const appPath = folderWithLog();
    const tool = createExecuteSandboxScriptTool({
      sandbox: sandbox({ engine: 'mustardscript' }),
      appPath,
      hostFunctions: { wait: { handler: wait, declaration: 'declare function wait(): void;', description: 'Waits.' } },
      settings: { consent: 'always' },
    });
    const script = `${readAndWait}\n${tooLarge}`;
    expect(await tool.execute({ script })).toMatchObject({
      status: 'failed',
      error: { code: 'sidecar_crashed' },
      bytesRead: size,
      hostCalls,
      record: { stats: { bytesRead: size } },
    });
  });
});

it.skipIf(process.platform === 'win32')(
  'a run that called nothing and is killed at the deadline has its times',
  async () => {
    const { code, details } = await failureOf(
      // Long enough for the watchdog of the sidecar to come first, on a busy machine too.
      sandbox({ graceMs: 3_000 }).run({ script: stuck, limits: { timeoutMs: 300 } }),
    );
    expect({ code, killed: details.killed }).toEqual({ code: 'timeout', killed: true });
    const { executionMs = 0, cpuMs = 0 } = details.spent ?? {};
    expect(executionMs).toBeGreaterThan(300);
    expect(cpuMs).toBeGreaterThan(0);
  },
);

it.each([
  [
    'far less of a processor than of the wall clock',
    { executionMs: 8000, cpuMs: 1900 },
    ' The machine was busy: of 8.0 s the script had a processor for 1.9 s, so the same script may pass next time.',
  ],
  [
    'all of its time, but slowly',
    { executionMs: 7000, cpuMs: 2000 },
    ' The machine was busy: of 7.0 s the script had a processor for 2.0 s.',
  ],
  ['a processor whenever it needed one', { executionMs: 2100, cpuMs: 2050 }, ''],
])('a timeout says whether the machine was busy: %s', (_what, spent, words) => {
  expect(busyWords(spent, 2000)).toBe(words);
});

it('a run that called nothing has none but its time, and that where the machine was slow', async () => {
  const error = await failureOf(sandbox().run({ script: tooLarge, engine: 'mustardscript' }));
  expect(error.code).toBe('sidecar_crashed');
  const { bytesRead = 0, hostCalls = 0 } = error.details.spent ?? {};
  expect({ bytesRead, hostCalls }).toEqual({ bytesRead: 0, hostCalls: 0 });
});

it('what a sidecar tells of a run that then fails by itself is not asked', async () => {
  const spent = { executionMs: 1, cpuMs: 1, instructionsUsed: 1, heapBytesUsed: 1, hostCalls: 1, bytesRead: 77 };
  const progress = { method: 'sandbox/progress', params: { runId: '$runId', spent } };
  const answer = { id: '$id', error: { code: 1003, message: 'no', data: { code: 'script_error', details: {} } } };
  const error = await failureOf(saying([progress, answer]).run({ script: '1' }));
  expect(error.code).toBe('script_error');
  expect(error.details).not.toHaveProperty('spent');
});
