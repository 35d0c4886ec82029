import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load, type Summary } from './load.ts';

const { median, ratioOf, summarize } = await load<{
  median: (values: readonly number[]) => number;
  summarize: (values: readonly number[]) => Summary;
  ratioOf: (over: number[], under: number[][]) => { value: number; low: number; high: number };
}>('statistics.mjs');

const time = fc.double({ min: 0.001, max: 1e6, noNaN: true });
const times = fc.array(time, { minLength: 1, maxLength: 200 });

describe('summarize', () => {
  test('puts its numbers in order, between the least and the greatest', () => {
    fc.assert(
      fc.property(times, (values) => {
        const { n, min, p25, p50, p75, p99, max } = summarize(values);
        expect(n).toBe(values.length);
        expect([min, max]).toEqual([Math.min(...values), Math.max(...values)]);
        const inOrder = [min, p25, p50, p75, p99, max];
        expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
      }),
    );
  });

  test('has half of the values on either side of the median, in whatever order they came', () => {
    fc.assert(
      fc.property(times, (values) => {
        const { p50 } = summarize(values.toReversed());
        expect(p50).toBe(median(values));
        expect(values.filter((value) => value < p50).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > p50).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });

  test('interpolates between two values', () => {
    expect(summarize([10, 20])).toMatchObject({ p25: 12.5, p50: 15, p75: 17.5 });
    expect(median([3, 1, 2])).toBe(2);
  });

  test('refuses to say something about nothing', () => {
    expect(() => summarize([])).toThrow('Nothing was measured.');
  });
});

describe('ratioOf', () => {
  test('adds the medians of what it compares with', () => {
    expect(
      ratioOf(
        [30, 30, 90],
        [
          [4, 4, 4],
          [6, 1, 9],
        ],
      ).value,
    ).toBe(3);
  });

  test('is not moved by a machine that slows down during the run', () => {
    const slowing = (base: number) => Array.from({ length: 80 }, (_, index) => base * (1 + Math.floor(index / 10)));
    const { value, low, high } = ratioOf(slowing(6), [slowing(2), slowing(1)]);
    expect({ value, low, high }).toEqual({ value: 2, low: 2, high: 2 });
  });

  test('shows in its range that one part of the run was another', () => {
    const over = Array.from({ length: 80 }, (_, index) => (index < 10 ? 8 : 4));
    const under = Array.from({ length: 80 }, () => 2);
    expect(ratioOf(over, [under])).toEqual({ value: 2, low: 2, high: 4 });
  });

  test('has its value within its range, also for lists of different lengths', () => {
    fc.assert(
      fc.property(times, times, (over, under) => {
        const { value, low, high } = ratioOf(over, [under]);
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
      }),
    );
  });
});
