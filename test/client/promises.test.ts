import { createHook } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { shared } from './support.ts';

/** How many promises this process makes during `work`. */
async function promisesOf(work: () => Promise<unknown>): Promise<number> {
  let promises = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises++;
    },
  });
  hook.enable();
  await work();
  hook.disable();
  return promises;
}

// Where a host uses `AsyncLocalStorage`, each promise is dear on Node 20 and 22. The counts hold for a quiet machine: on a
// busy one the sidecar tells of its progress in between. So each is tried until it holds.
it.each([
  ['answers at once makes 8 promises', (value: unknown) => value, 8],
  ['is async makes 13 promises', async (value: unknown) => value, 13],
])('a call of a host function that %s', async (_, same, expected) => {
  const script = 'let last = 0; for (let i = 0; i < calls; i++) last = same(i); last';
  const run = (calls: number): Promise<unknown> => shared().run({ script, inputs: { calls }, hostFunctions: { same } });
  const perCall = async (): Promise<number> => {
    const few = await promisesOf(() => run(10));
    const many = await promisesOf(() => run(210));
    return Math.round((many - few) / 200);
  };
  await run(1);
  await expect.poll(perCall).toBeLessThanOrEqual(expected);
});

it('a run without host functions makes 20 promises', async () => {
  const run = (): Promise<unknown> => shared().run({ script: '1 + 1' });
  await run();
  await expect.poll(() => promisesOf(run)).toBeLessThanOrEqual(20);
});
