import { factsOf, legendOf, parseChart, tableOf } from '@mustard-sandbox/charts';
import { SandboxError } from '@mustard-sandbox/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyChart } from './arbitrary.ts';

const bar = {
  version: 1,
  type: 'bar',
  x: { label: 'a', scale: 'category', values: ['x', 'y'] },
  y: { label: 'b', scale: 'linear', values: [1, 2] },
};

describe('a file that says it is a chart', () => {
  test('is one when all of it fits', () => {
    expect(parseChart(JSON.stringify(bar))).toEqual(bar);
  });

  test.each<[string, unknown, string]>([
    ['no JSON', undefined, 'it is no JSON'],
    ['a list', [], 'expected object'],
    ['another version', { ...bar, version: 2 }, 'version: '],
    ['a key too many', { ...bar, onclick: 'alert(1)' }, `unknown option 'onclick'`],
    ['a key too many of a column', { ...bar, x: { ...bar.x, href: 'x' } }, `'x.href'`],
    ['a number among names', { ...bar, x: { ...bar.x, values: ['x', 1] } }, 'x.values.1'],
    ['text among numbers', { ...bar, y: { ...bar.y, values: [1, '2'] } }, 'y.values.1'],
    ['a number that no axis has room for', { ...bar, y: { ...bar.y, values: [1, 5e-324] } }, 'y: row 1 has 5e-324'],
    [
      'a time that is none',
      { version: 1, type: 'histogram', x: { label: 'a', scale: 'time', values: [8.7e15] } },
      'x: row 0 has 8700000000000000',
    ],
    ['an unknown scale', { ...bar, y: { ...bar.y, scale: 'sqrt' } }, 'y'],
    ['columns of different length', { ...bar, y: { ...bar.y, values: [1] } }, 'y: it has not as many values'],
    ['no points', { ...bar, x: { ...bar.x, values: [] }, y: { ...bar.y, values: [] } }, 'it has no rows'],
    ['a column that it lacks', { version: 1, type: 'bar', x: bar.x }, 'y: a bar needs it'],
    ['too many points', { ...bar, y: { ...bar.y, values: Array.from({ length: 50_001 }, () => 1) } }, 'y.values'],
  ])('is refused with %s', (_, value, message) => {
    const text = value === undefined ? '{' : JSON.stringify(value);
    expect(() => parseChart(text)).toThrow(message);
    expect(() => parseChart(text)).toThrow(SandboxError);
  });

  test('is refused when it is too long, before it is parsed', () => {
    expect(() => parseChart(' '.repeat(4 * 1024 * 1024 + 1))).toThrow('4194304 bytes');
  });

  test('never ends in anything but a chart or a SandboxError, and has no prototype of its own', () => {
    const near = fc.record({
      version: fc.constant(1),
      type: fc.constantFrom('bar', 'line', 'box'),
      x: fc.jsonValue(),
      y: fc.jsonValue(),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          near.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            parseChart(text.replace('{', '{"__proto__":{"polluted":true},'));
          } catch (error) {
            expect(error).toBeInstanceOf(SandboxError);
          }
          expect('polluted' in {}).toBe(false);
        },
      ),
    );
  });
});

describe('what a chart shows in words', () => {
  test('its table has every value of every column', () => {
    fc.assert(
      fc.property(anyChart, (chart) => {
        const { columns, rows } = tableOf(chart);
        const length = (chart.x ?? chart.y)!.values.length;
        expect(rows).toHaveLength(length);
        for (const row of rows) expect(Object.keys(row)).toEqual(columns.map(String));
      }),
    );
  });

  test('columns of one name are told apart, and one that is used twice is there once', () => {
    const values = [1, 2];
    const twice = parseChart(
      JSON.stringify({
        version: 1,
        type: 'scatter',
        x: { label: 'n', scale: 'linear', values },
        y: { label: 'n', scale: 'linear', values: [3, 4] },
        color: { label: 'n', scale: 'linear', values },
      }),
    );
    expect(tableOf(twice)).toEqual({
      columns: ['n', 'n (y)'],
      rows: [
        { n: 1, 'n (y)': 3 },
        { n: 2, 'n (y)': 4 },
      ],
    });
  });

  test('a column called __proto__ is one', () => {
    const chart = parseChart(JSON.stringify({ ...bar, x: { ...bar.x, label: '__proto__' } }));
    const { columns, rows } = tableOf(chart);
    expect(columns).toEqual(['__proto__', 'b']);
    expect(Object.entries(rows[0]!)).toEqual([
      ['__proto__', 'x'],
      ['b', 1],
    ]);
  });

  test('its bounds are those of its values', () => {
    fc.assert(
      fc.property(anyChart, (chart) => {
        for (const { name, bounds } of factsOf(chart).axes) {
          const values = chart[name]!.values.filter((value) => typeof value === 'number');
          if (bounds === undefined) expect(values).toEqual([]);
          else if ('min' in bounds) {
            expect([bounds.min, bounds.max]).toEqual([Math.min(...values), Math.max(...values)]);
          }
        }
      }),
    );
  });

  test('its legend has each name once', () => {
    const color = { label: 'c', scale: 'category', values: ['q', 'q'] };
    expect(legendOf(parseChart(JSON.stringify({ ...bar, color })))).toEqual({ label: 'c', names: ['q'] });
  });
});
