import { describe, expect, test } from 'vitest';
import { load } from './load.ts';

type Way = () => unknown;
type Effort = { rounds: number; warmup: number; budgetMs: number };

const { sideBySide } = await load<{
  sideBySide: (
    ways: Record<string, Way | { run: Way; perRound?: number; before?: Way }>,
    effort: Effort,
  ) => Promise<Record<string, number[]>>;
}>('measure.mjs');

/** Takes so long, whatever the machine. */
function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('sideBySide', () => {
  test('takes the ways in turn, and does not count the warm-up', async () => {
    const calls: string[] = [];
    const way = (name: string) => () => calls.push(name);
    const samples = await sideBySide(
      { a: way('a'), b: { run: way('b'), perRound: 2, before: way('-') } },
      { rounds: 2, warmup: 1, budgetMs: 60_000 },
    );
    expect(calls.join('')).toBe('a-b-b'.repeat(3));
    expect([samples['a']?.length, samples['b']?.length]).toEqual([2, 4]);
  });

  test('does not count what goes before', async () => {
    const samples = await sideBySide(
      { quick: { before: () => busyFor(20), run: () => {} } },
      { rounds: 5, warmup: 0, budgetMs: 60_000 },
    );
    // The least of five: whatever else the machine did, one of them was not disturbed for so long.
    expect(Math.min(...(samples['quick'] ?? []))).toBeLessThan(20);
  });

  test('ends when its time is over, but not before the third round', async () => {
    const samples = await sideBySide({ slow: () => busyFor(5) }, { rounds: 1000, warmup: 1000, budgetMs: 1 });
    expect(samples['slow']?.length).toBe(3);
  });

  test('waits for promises, and fails as they do', async () => {
    const failing = sideBySide({ bad: () => Promise.reject(new Error('no')) }, { rounds: 1, warmup: 0, budgetMs: 1 });
    await expect(failing).rejects.toThrow('no');
  });
});
