import type { SandboxValue } from '@mustard-sandbox/client';
import { expect, it } from 'vitest';
import type { SidecarResult } from '../../packages/sandbox-client/src/asks.ts';
import { offerParallel } from '../../packages/sandbox-client/src/parallel/parallel-runs.ts';
import { buildRunRequest, type RunRequest } from '../../packages/sandbox-client/src/run-request.ts';
import { failureOf } from './support.ts';

// What a sidecar asks for that its script has taken over. An honest one never does, so here the test calls for it.

const limits = { timeoutMs: 1_000, instructions: 1_000 };
const scope = { root: '/nowhere', deny: ['x'], maxTotalReadBytes: 100 };
const asked = { script: 'the script', paths: ['a'], left: { ms: 1e9, bytes: 1e9 }, values: [] };

/** The function behind `parallel` of a run, and the runs that it started; each uses this much. */
function parallelOf(used: { ms?: number; bytesRead?: number; instructions?: number } = {}): {
  call: (...args: unknown[]) => Promise<SandboxValue>;
  started: RunRequest[];
  end: () => Promise<void>;
} {
  const settings = { limits, maxTimeoutMs: 10_000, engine: 'auto' as const };
  const options = { script: 'parallel', scope, hostFunctions: { ask: () => 1 } };
  const request = buildRunRequest('1', options, settings, undefined);
  const started: RunRequest[] = [];
  const answer = {
    value: { json: 1 },
    engine: 'quickjs' as const,
    executionMs: used.ms ?? 0,
    instructionsUsed: used.instructions ?? 0,
    heapBytesUsed: 0,
    hostCalls: 0,
    bytesRead: used.bytesRead ?? 0,
    residentBytes: 0,
  };
  const perform = (child: RunRequest): Promise<SidecarResult> => {
    started.push(child);
    return Promise.resolve({ answer, value: 1, bytes: 1 });
  };
  const runs = offerParallel(request, { most: 2, perform, nextId: () => '2' });
  const call = async (...args: unknown[]): Promise<SandboxValue> => await runs!.take(args as SandboxValue[]);
  return { call, started, end: () => runs!.during(Promise.resolve()) };
}

it('a run that is started has the scope of the run, its limits, and no functions of the host', async () => {
  const { call, started } = parallelOf();
  await call({ ...asked, values: [{ w: 1 }] });
  expect(started).toMatchObject([
    {
      params: {
        script: 'the script',
        scope,
        limits,
        inputs: { json: { parallel_path: 'a', parallel_value: { w: 1 } } },
      },
      timeoutMs: 1_000,
    },
  ]);
  expect(started[0]?.params.hostFunctions).toBeUndefined();
  expect(started[0]?.hostCalls.names).toEqual([]);
});

it('a sidecar that lies about what is left gets no more', async () => {
  const { call, started } = parallelOf({ ms: 400, bytesRead: 40, instructions: 400 });
  await call(asked);
  await call(asked);
  expect(started.map(({ params }) => [params.limits, params.scope?.maxTotalReadBytes])).toMatchObject([
    [limits, 100],
    [{ timeoutMs: 600, instructions: 600 }, 60],
  ]);
  await failureOf(call({ ...asked, paths: ['a', 'b', 'c', 'd'] }));
  expect(await failureOf(call(asked))).toMatchObject({ code: 'timeout', details: { limit: 'timeout_ms' } });
});

it.each([
  ['nothing', []],
  ['no paths', [{ ...asked, paths: [] }]],
  ['paths that are none', [{ ...asked, paths: [1] }]],
  ['more paths than one call may have', [{ ...asked, paths: Array.from({ length: 1_001 }, () => 'a') }]],
  ['a field too many', [{ ...asked, scope: { root: '/' } }]],
  ['less than nothing', [{ ...asked, left: { ms: -1, bytes: 1 } }]],
  ['no number', [{ ...asked, left: { ms: NaN, bytes: Infinity } }]],
])('%s is refused', async (_, args) => {
  const { call, started } = parallelOf();
  expect((await failureOf(call(...args))).code).toBe('invalid_request');
  expect(started).toEqual([]);
});

it('two calls at a time are refused, and one after the run', async () => {
  const { call, end } = parallelOf();
  const first = call(asked);
  expect((await failureOf(call(asked))).message).toContain('one call at a time');
  await first;
  await end();
  expect((await failureOf(call(asked))).message).toContain('while the run is under way');
});
