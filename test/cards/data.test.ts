import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dataViews } from '../../packages/cards/src/output/data.ts';
import { openAtFirst, visibleNodes } from '../../packages/cards/src/output/tree.ts';

const kinds = (value: unknown): string[] => dataViews(JSON.stringify(value)).map(({ kind }) => kind);

describe('what an output is shown as', () => {
  test.each<[string, unknown, string[]]>([
    ['rows', [{ a: 1 }, { a: 2, b: 'x' }], ['table', 'tree']],
    [
      'rows over time',
      [
        { time: '2026-03-01T10', n: 1 },
        { time: '2026-03-01T11', n: 2 },
      ],
      ['line', 'table', 'tree'],
    ],
    [
      'pairs',
      [
        ['E1', 4],
        ['E2', 2],
      ],
      ['bars', 'tree'],
    ],
    [
      'pairs over time',
      [
        ['2026-03-01', 4],
        ['2026-03-02', 2],
      ],
      ['line', 'bars', 'tree'],
    ],
    ['counts by key', { E1: 4, E2: 2 }, ['bars', 'tree']],
    [
      'numbers below nothing, which have no bar',
      [
        ['a', -1],
        ['b', 2],
      ],
      ['tree'],
    ],
    [
      'codes of four digits, which are no years',
      [
        ['4000', 1],
        ['4001', 2],
      ],
      ['bars', 'tree'],
    ],
    ['rows of objects', [{ a: { b: 1 }, c: [] }], ['tree']],
    ['an empty array', [], ['tree']],
    ['a number', 42, []],
    ['a text', 'x', []],
  ])('%s', (_, value, expected) => expect(kinds(value)).toEqual(expected));

  test('a text that only looks like data is text', () => {
    expect(dataViews('[2026-03-01] ERROR')).toEqual([]);
    expect(dataViews('{"a": 1')).toEqual([]);
  });

  test('a line goes from the earliest to the latest, with the times as they were written', () => {
    const [line] = dataViews('[["2026-03-02T00:00:00Z",2],["2026-03-01 23:00",1]]');
    expect(line).toEqual({
      kind: 'line',
      label: '',
      times: [Date.UTC(2026, 2, 1, 23) / 1000, Date.UTC(2026, 2, 2) / 1000],
      series: [{ name: '', values: [1, 2] }],
    });
  });

  test('nothing that JSON can say is refused, and the tree has all of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        for (const view of dataViews(text)) if (view.kind === 'tree') expect(JSON.stringify(view.value)).toBe(text);
      }),
    );
  });
});

describe('a tree', () => {
  test('has a node for each value once everything is open', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, child: unknown) => sum + count(child), 1)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const all = { has: () => true } as unknown as ReadonlySet<string>;
        const nodes = visibleNodes(value as never, all);
        expect(nodes).toHaveLength(count(value));
        expect(new Set(nodes.map(({ path }) => path)).size).toBe(nodes.length);
      }),
    );
  });

  test('of ten thousand rows begins closed below its root', () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id }));
    expect(openAtFirst(rows)).toEqual(new Set(['$']));
  });
});
