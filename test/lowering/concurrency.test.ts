import { expect, it, test } from 'vitest';
import { run } from './support.ts';

/** Functions that only come back when all that belong together were called. */
function together(count: number): { meet: (n: unknown) => Promise<number>; most: () => number } {
  let waiting = 0;
  let most = 0;
  const open: (() => void)[] = [];
  return {
    most: () => most,
    async meet(n) {
      most = Math.max(most, ++waiting);
      await new Promise<void>((resolve) => {
        open.push(resolve);
        if (open.length === count) for (const go of open) go();
      });
      waiting--;
      return Number(n);
    },
  };
}

it.each([
  'await Promise.all([meet(1), meet(2), meet(3)])',
  'await Promise.all([1, 2, 3].map(meet))',
  'await Promise.all([1, 2, 3].map(async (n) => await meet(n)))',
  'const a = meet(1); const b = meet(2); const c = meet(3); [await a, await b, await c]',
])('calls run side by side: %s', async (script) => {
  const { meet, most } = together(3);
  expect((await run(script, { host: { meet } })).value).toEqual([1, 2, 3]);
  expect(most()).toBe(3);
});

test('a race is over with the first, though the other never ends', async () => {
  const host = { slow: () => new Promise<never>(() => {}), quick: () => 'quick' };
  expect((await run('await Promise.race([slow(), quick()])', { host })).value).toBe('quick');
});

test('what a function throws can be caught, and settles any()', async () => {
  const host = {
    bad: () => {
      throw new RangeError('too much');
    },
    good: () => 7,
  };
  expect((await run('await Promise.any([bad(), good()])', { host })).value).toBe(7);
  const caught =
    'try { await Promise.all([bad()]) } catch (error) { [error.name, error.message, error instanceof RangeError] }';
  expect((await run(caught, { host })).value).toEqual(['RangeError', 'too much', true]);
});

test('too many at once is a limit', async () => {
  const { meet } = together(100);
  const script = 'await Promise.all([1, 2, 3, 4].map(meet))';
  await expect(run(script, { host: { meet }, limits: { outstandingHostCalls: 3 } })).rejects.toMatchObject({
    code: 'limit_exceeded',
  });
});
