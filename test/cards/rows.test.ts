import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkedPage } from '../../packages/cards/src/table/page.ts';
import { csvOf, rowsOf } from '../../packages/cards/src/table/rows.ts';

const rows = [
  { a: 'Anna', n: 2 },
  { a: 'Bob', n: null },
  { a: 'anna', n: 10 },
];
const data = { kind: 'table' as const, columns: ['a', 'n'], rows };

describe('the rows of a table', () => {
  test('are searched, filtered and sorted', () => {
    expect(rowsOf(data, { search: ' ANNA ' })).toEqual([rows[0], rows[2]]);
    expect(rowsOf(data, { filters: { n: '> 5' } })).toEqual([rows[2]]);
    expect(rowsOf(data, { filters: { a: 'b', n: '' } })).toEqual([rows[1]]);
    expect(rowsOf(data, { sorting: { column: 'n', isDescending: true } }).map(({ n }) => n)).toEqual([10, 2, null]);
    expect(rowsOf(data, {})).toBe(rows);
  });

  test('are all there as CSV, whatever is in them', () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a,b', '"', 'x\ny', '\r', ' ', ''));
    fc.assert(
      fc.property(fc.array(fc.record({ a: cell, b: cell }), { minLength: 1 }), (rows) => {
        expect(parseCsv(csvOf(['a', 'b'], rows))).toEqual([['a', 'b'], ...rows.map(({ a, b }) => [a, b])]);
      }),
    );
  });
});

describe('a page that a host gives', () => {
  test.each([
    undefined,
    null,
    5,
    'rows',
    {},
    { rows: [] },
    { rows: 'a', total: 1 },
    { rows: [5], total: 1 },
    { rows: [[1]], total: 1 },
    { rows: [null], total: 1 },
  ])('is refused: %j', (answer) =>
    expect(() => checkedPage(answer, { first: 0, limit: 10 })).toThrow('The answer has'),
  );

  test('has no more rows than were asked for, and as many in all as can be', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ index }));
    expect(checkedPage({ rows: many, total: -3 }, { first: 50, limit: 10 })).toEqual({
      rows: many.slice(0, 10),
      total: 60,
    });
    for (const total of [1e300, Number.NaN, 1.5]) {
      expect(checkedPage({ rows: [{}], total }, { first: 0, limit: 10 }).total).toBe(1);
    }
    expect(checkedPage({ rows: [], total: 0 }, { first: 100, limit: 10 })).toEqual({ rows: [], total: 0 });
  });
});

/** By RFC 4180, written for this test. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\n)/gy;
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
