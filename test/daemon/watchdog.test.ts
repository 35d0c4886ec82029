import { expect, it } from 'vitest';
import { Engines } from '../../packages/sandbox-daemon/src/engine/engines.ts';
import { loadBinding, type Binding } from '../../packages/sandbox-daemon/src/engine/mustardscript/binding.ts';
import { limitsSchema, scopeSchema } from '@mustard-sandbox/protocol';
import { runScript } from '../../packages/sandbox-daemon/src/server/run.ts';
import { SharedState, sharedBytes } from '../../packages/sandbox-daemon/src/server/watchdog-state.ts';

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('the clock of the deadline stands still with the process, also while the thread is awake', () => {
  const state = new SharedState(new SharedArrayBuffer(sharedBytes));
  state.sleep(1, state.generation());
  const before = state.now();
  // As with Ctrl-Z: the thread stops between two sleeps.
  standStill(1_500);
  const between = state.now();
  state.sleep(1, state.generation());
  const after = state.now();
  expect(between).toBeGreaterThanOrEqual(before);
  expect(after).toBeGreaterThanOrEqual(between);
  // Some 350 ms are left to the script, which a busy machine may explain.
  expect(after - before).toBeLessThan(1_000);
});

it('a run that it ends is a timeout, also where the main thread sees some time left', async () => {
  const loaded = loadBinding();
  const binding = loaded.binding as Binding;
  const cancelAtOnce = (token: string | undefined): void => binding.cancelCancellationToken(token as string);
  const run = runScript(
    {
      runId: 'test',
      script: 'for (;;) {}',
      engine: 'mustardscript',
      scope: scopeSchema.parse({}),
      limits: limitsSchema.parse({ timeoutMs: 5_000 }),
      hostFunctions: [],
    },
    {
      engines: new Engines(loaded, new URL('.', import.meta.url)),
      watchdog: { arm: cancelAtOnce, disarm() {}, now: () => 0 },
      signal: new AbortController().signal,
      console: expect.unreachable,
      read() {},
      line: { send: expect.unreachable, next: () => expect.unreachable() },
    },
  );
  await expect(run).rejects.toMatchObject({ code: 'timeout', details: { limit: 'timeout_ms', value: 5_000 } });
});
