import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { runs } from '../full.ts';
import { PausableTimer } from '../../packages/sandbox-client/src/deadline.ts';

it('a timer fires once, and not before it has run for its time between pauses', async () => {
  const steps = fc.array(fc.record({ run: fc.nat({ max: 8 }), pause: fc.nat({ max: 8 }) }), { maxLength: 6 });
  const check = async (ms: number, pauses: { run: number; pause: number }[]): Promise<void> => {
    let ranMs = 0;
    let since = performance.now();
    const ran: number[] = [];
    const timer = new PausableTimer(ms, () => ran.push(ranMs + performance.now() - since));
    for (const { run, pause } of pauses) {
      await sleep(run);
      if (ran.length > 0) break;
      timer.pause();
      // Read after the pause: a machine that is busy between the two makes the time longer, and never too short.
      ranMs += performance.now() - since;
      await sleep(pause);
      expect(ran).toEqual([]);
      since = performance.now();
      timer.resume();
    }
    await vi.waitFor(() => expect(ran).toHaveLength(1));
    // Timers round down.
    expect(ran[0]).toBeGreaterThan(ms - 2);
    await sleep(10);
    expect(ran).toHaveLength(1);
  };
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 40 }), steps, check), runs(30));
});

it('a timer that was stopped never fires', async () => {
  const fired = vi.fn();
  new PausableTimer(1, fired).stop();
  await sleep(20);
  expect(fired).not.toHaveBeenCalled();
});
