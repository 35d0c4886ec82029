import { expect, it } from 'vitest';
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
