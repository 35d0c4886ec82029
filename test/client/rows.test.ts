import { conditionOf, isAs, rowsScript, type RowsRequest } from '@mustard-sandbox/protocol/rows';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowsOf } from '../../packages/cards/src/table/rows.ts';
import { makeFolder } from '../files/support.ts';
import { shared } from './support.ts';

/** On a busy machine. */
const limits = { timeoutMs: 10_000 };
interface Page {
  rows: Record<string, unknown>[];
  total: number;
}

async function read(outputs: string, file: string, request: RowsRequest, columns: string[]): Promise<Page> {
  const { value } = await shared().run({ script: rowsScript(`outputs:${file}`, request, columns), limits, outputs });
  return value as unknown as Page;
}

/** Rows as DuckDB reads them from CSV: numbers, texts and what is not there. */
const rows = Array.from({ length: 300 }, (_, index) => ({
  id: index,
  name: [`it's "${index}"`, `Ünder ${index % 10}`, 'x_y%z', `north ${index}`][index % 4] as string,
  value: index % 11 === 0 ? null : (index * 37) % 101,
}));
const columns = Object.keys(rows[0]!);

async function saved(): Promise<string> {
  const outputs = makeFolder();
  await shared().run({ script: `save('t.csv', rows)`, inputs: { rows }, limits, outputs });
  return outputs;
}

describe('a page of a stored table', () => {
  test('is what the same rows in a page would give, for whatever is asked', async () => {
    const outputs = await saved();
    const written = fc.constantFrom(
      '',
      '1',
      '> 50',
      '<= 5',
      '= 7',
      '>=100',
      "= it's",
      '= NORTH 3',
      '<',
      "'; select 1 --",
      'ünder',
      '%',
      '_',
    );
    const request = fc.record({
      search: fc.constantFrom('', 'NORTH', "it's", '"', '%', '_', '9', '\\', "' or 1=1 --", 'Ünder 1'),
      filters: fc.record({ name: written, value: written }, { requiredKeys: [] }),
      offset: fc.nat(320),
      limit: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(request, async (request) => {
        const expected = rowsOf({ kind: 'table', columns, rows }, request);
        const page = await read(outputs, 't.csv', request, columns);
        expect(page.total).toBe(expected.length);
        expect(page.rows).toEqual(expected.slice(request.offset, request.offset + request.limit));
      }),
      { numRuns: 30 },
    );
  });

  test('is sorted, with what is not there at the end', async () => {
    const outputs = await saved();
    for (const isDescending of [false, true]) {
      const asked = { sorting: { column: 'value', isDescending }, offset: 0, limit: 300 };
      const page = await read(outputs, 't.csv', asked, columns);
      const expected = rowsOf({ kind: 'table', columns, rows }, asked);
      expect(page.rows.map(({ value }) => value)).toEqual(expected.map(({ value }) => value));
    }
  });

  test.each(['"', "a' or '1'='1", 'select', '__proto__', 'a"; select 1; --', '日本'])(
    'a column called %s is a column and nothing else',
    async (name) => {
      const outputs = makeFolder();
      const script = `save('t.ndjson', [JSON.parse(text)])`;
      await shared().run({
        script,
        inputs: { text: `{${JSON.stringify(name)}:5,"z":1}` },
        limits,
        outputs,
      });
      const asked = { search: '5', filters: { [name]: '= 5' }, sorting: { column: name, isDescending: true } };
      const { total, rows } = await read(outputs, 't.ndjson', { ...asked, offset: 0, limit: 10 }, [name, 'z']);
      expect(total).toBe(1);
      expect(Object.entries(rows[0] ?? {})).toEqual([
        [name, 5],
        ['z', 1],
      ]);
    },
  );

  test('a column that is not there, and a file that is none, end in an error and nothing else', async () => {
    const outputs = await saved();
    const asked = { offset: 0, limit: 10, sorting: { column: 'nope', isDescending: false } };
    await expect(read(outputs, 't.csv', asked, columns)).rejects.toMatchObject({ code: 'script_error' });
    await expect(read(outputs, '../t.csv', { offset: 0, limit: 1 }, [])).rejects.toMatchObject({
      code: 'script_error',
    });
  });

  test('numbers that are none become a page', async () => {
    const outputs = await saved();
    for (const offset of [Number.NaN, -5, 1.5]) {
      const { rows } = await read(outputs, 't.csv', { offset, limit: 2 }, columns);
      expect(rows).toHaveLength(2);
    }
  });
});

describe('what a person writes above a column', () => {
  test.each<[string, string | number | boolean | null, boolean]>([
    ['', 'a', true],
    ['A', 'cab', true],
    ['> 5', 6, true],
    ['>5', 5, false],
    ['>= 5', 5, true],
    ['< 5', 'a', false],
    ['= a b', 'A B', true],
    ['= 5', 5, true],
    ['= 5', '5', true],
    ['> 5', null, false],
    ['<', 'a', true],
    ['true', true, true],
  ])('%j of %j: %s', (written, cell, expected) => {
    const condition = conditionOf(written);
    expect(condition === undefined || isAs(condition, cell)).toBe(expected);
  });
});
