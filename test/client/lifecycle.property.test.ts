import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createSandbox, SandboxError } from '@mustard-sandbox/client';
import { runs } from '../full.ts';
import { gone } from './support.ts';

type Action =
  { kind: 'run' | 'hang' | 'stuck' | 'host' | 'crash'; abortAfterMs?: number } | { kind: 'kill' | 'pause'; ms: number };

const run = fc.record(
  {
    kind: fc.constantFrom('run' as const, 'hang' as const, 'stuck' as const, 'host' as const, 'crash' as const),
    abortAfterMs: fc.nat({ max: 60 }),
  },
  { requiredKeys: ['kind'] },
);
const disturbance = fc.record({ kind: fc.constantFrom('kill' as const, 'pause' as const), ms: fc.nat({ max: 40 }) });

const scripts = {
  run: '1 + 1',
  hang: 'while (true) {}',
  stuck: '"a".repeat(3000000).replaceAll("a", "aaaaaaaaaaaaaaaaaaaaaa").length',
  host: 'ask(1) + ask(2)',
  crash: '"a".repeat(500000000).length',
};

it('whatever happens, every call settles once with a value or a typed error, and no process is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 4, arbitrary: run }, disturbance), { maxLength: 12 }),
      async (actions: Action[]) => {
        const box = createSandbox({ maxProcesses: 2, maxCrashes: 1000, quarantineAfter: 1000, graceMs: 30 });
        const pids = new Set<number>();
        box.on('spawned', ({ pid }) => pid !== undefined && pids.add(pid));
        const outcomes: Promise<unknown>[] = [];
        const hostCalls = new Map<string, number>();
        for (const [index, action] of actions.entries()) {
          if (!('ms' in action)) outcomes.push(startRun(box, index, action, hostCalls));
          else if (action.kind === 'kill') killOne(box.stats().processes[0]?.pid);
          else await new Promise((resolve) => setTimeout(resolve, action.ms));
        }
        const settled = await Promise.all(outcomes);
        for (const outcome of settled) if (outcome instanceof Error) expect(outcome).toBeInstanceOf(SandboxError);
        expect([...hostCalls.values()].every((calls) => calls === 1)).toBe(true);
        await vi.waitFor(async () => expect(await box.run({ script: '1 + 1' })).toMatchObject({ value: 2 }), 10_000);
        await box.close();
        await gone(...pids);
      },
    ),
    runs(15),
  );
});

function startRun(
  box: ReturnType<typeof createSandbox>,
  index: number,
  { kind, abortAfterMs }: { kind: keyof typeof scripts; abortAfterMs?: number },
  hostCalls: Map<string, number>,
): Promise<unknown> {
  const hostFunctions = {
    ask: (n: unknown) => {
      const call = `${index}:${String(n)}`;
      hostCalls.set(call, (hostCalls.get(call) ?? 0) + 1);
      return 1;
    },
  };
  const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
  const script = `${scripts[kind]} // ${index}`;
  return box
    .run({ script, hostFunctions, limits: { timeoutMs: 60 }, ...(signal && { signal }) })
    .catch((error: unknown) => error);
}

function killOne(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
