import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load, type Summary } from './load.ts';

interface Growth {
  name: string;
  title: string;
  x: string;
  xUnit: string;
  y: string;
  unit: string;
  rows: { x: number; values: Record<string, Summary> }[];
}

const { plot } = await load<{ plot: (growth: Growth) => string }>('report/plot.mjs');
const { roundScale } = await load<{
  roundScale: (values: number[]) => { place: (value: number) => number; ticks: number[] };
}>('report/scale.mjs');

function summary(p50: number): Summary {
  return { n: 9, p50, p25: p50 * 0.9, p75: p50 * 1.2, p99: p50 * 3, min: p50 * 0.8, max: p50 * 4 };
}

function growth(medians: number[], title = 'A title'): Growth {
  const rows = medians.map((p50, index) => ({
    x: 10 ** index,
    values: { one: summary(p50), 'the other': summary(2 * p50) },
  }));
  return { name: 'growth-x', title, x: 'things', xUnit: 'count', y: 'time', unit: 'ms', rows };
}

/** Centres of the points of the first series. */
function points(svg: string): { x: number; y: number }[] {
  return [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)]
    .map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
    .slice(1);
}

const positive = fc.double({ min: 1e-4, max: 1e9, noNaN: true });

describe('plot', () => {
  test('puts greater values higher and larger sizes further right, all within its frame', () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 2, maxLength: 8 }), (medians) => {
        const places = points(plot(growth(medians)));
        expect(places.length).toBe(medians.length);
        for (const { x, y } of places) {
          expect(x >= 84 && x <= 696 && y >= 64 && y <= 308).toBe(true);
        }
        for (const [i, a] of places.entries()) {
          for (const [j, b] of places.entries()) {
            if (i < j) expect(a.x).toBeLessThan(b.x);
            if ((medians[i] as number) < (medians[j] as number)) expect(a.y).toBeGreaterThanOrEqual(b.y);
          }
        }
      }),
    );
  });

  test('says in words what it shows', () => {
    const svg = plot(growth([0.25, 3000]));
    expect(svg).toContain('<title id="title">A title</title>');
    expect(svg).toContain(
      'From 1 to 10, things. one: from 250 µs to 3.00 s (median). the other: from 500 µs to 6.00 s',
    );
  });

  test('is XML, whatever its title', () => {
    const svg = plot(growth([1, 2], 'a < b & "c"'));
    expect(svg).toContain('<title id="title">a &lt; b &amp; &quot;c&quot;</title>');
    expect(svg).not.toMatch(/&(?!lt;|amp;|quot;)/);
    const open: string[] = [];
    for (const [, end, name, , empty] of svg.matchAll(/<(\/?)([a-z]+)((?:"[^"]*"|[^">])*?)(\/?)>/g)) {
      if (end === '/') expect(open.pop()).toBe(name);
      else if (empty !== '/') open.push(name as string);
    }
    expect(open).toEqual([]);
  });

  test('never says NaN', () => {
    fc.assert(
      fc.property(positive, (value) => {
        expect(plot(growth([value, value]))).not.toMatch(/NaN|Infinity|undefined/);
      }),
    );
  });
});

describe('roundScale', () => {
  test('holds every value and has at least two ticks, at its ends too', () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 9 }), (values) => {
        const { place, ticks } = roundScale(values);
        for (const value of values) expect(place(value) > -1e-6 && place(value) < 1 + 1e-6).toBe(true);
        for (const tick of ticks) expect(place(tick) > -1e-3 && place(tick) < 1 + 1e-3).toBe(true);
        expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
      }),
      // The axis began at 50.
      { examples: [[[49.99500049995, 50.005000500050016]]] },
    );
  });

  test('has round numbers', () => {
    expect(roundScale([3, 4]).ticks).toEqual([2, 5]);
    expect(roundScale([0.3, 45]).ticks.map((tick) => Number(tick.toPrecision(3)))).toEqual([0.5, 1, 5, 10, 50]);
    expect(roundScale([1, 5000]).ticks).toEqual([1, 10, 100, 1000]);
  });
});
