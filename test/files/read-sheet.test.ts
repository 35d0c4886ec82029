import { join } from 'node:path';
import { truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { profile } from '../../packages/sandbox-daemon/src/files/profile/profile.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import { rangeOf } from '../../packages/sandbox-daemon/src/files/sheets/cells.ts';
import { dateOf, isDateFormat } from '../../packages/sandbox-daemon/src/files/sheets/dates.ts';
import { readSheet, type SheetRows } from '../../packages/sandbox-daemon/src/files/sheets/read-sheet.ts';
import { accessTo, errorOf, makeFolder } from './support.ts';
import { cellsOf, partsOf, workbookOf, zipOf, type Parts } from './workbooks.ts';

const read = (content: Buffer, options?: object): SheetRows => {
  const { rows, ...facts } = readSheet(accessTo(makeFolder({ 'a.xlsx': content })), ['a.xlsx', options]);
  // Rows have no prototype.
  return { ...facts, rows: JSON.parse(JSON.stringify(rows)) as SheetRows['rows'] };
};

const sales = workbookOf({
  sheets: {
    Sales: cellsOf([
      ['region', 'total'],
      ['north', 1.5],
      ['south', 2],
    ]),
    Other: '',
  },
});

test('rows by the names in the first one, and the names of the sheets', () => {
  expect(read(sales)).toEqual({
    sheets: ['Sales', 'Other'],
    sheet: 'Sales',
    rows: [
      { region: 'north', total: 1.5 },
      { region: 'south', total: 2 },
    ],
    truncated: false,
  });
  expect(read(sales, { limit: 1 })).toMatchObject({ rows: [{ region: 'north' }], truncated: true });
  expect(read(sales, { header: false }).rows).toEqual([
    ['region', 'total'],
    ['north', 1.5],
    ['south', 2],
  ]);
  expect(read(sales, { sheet: 'Other' })).toMatchObject({ sheet: 'Other', rows: [] });
  expect(read(sales, { sheet: 2 }).sheet).toBe('Other');
});

test.each([
  ['B1:B3', [{ total: 1.5 }, { total: 2 }]],
  ['A2:B3', [{ north: 'south', 1.5: 2 }]],
  ['B:B', [{ total: 1.5 }, { total: 2 }]],
  ['2:2', []],
  ['$A$1:$A$2', [{ region: 'north' }]],
])('the range %s', (range, rows) => {
  expect(read(sales, { range }).rows).toEqual(rows);
});

test('what is no range is refused', () => {
  for (const range of ['', '!', 'B2:A1', 'A1:B2:C3', '1A', 'ZZZZ1']) expect(rangeOf(range)).toBeUndefined();
  expect(rangeOf('B7')).toEqual({ top: 7, bottom: 7, left: 2, right: 2 });
});

test('each kind of cell', () => {
  const cells =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><f>1+1</f><v>x &amp; &#x79;</v></c><c r="C1" t="b"><v>1</v></c>' +
    '<c r="D1" t="e"><v>#N/A</v></c><c r="E1" s="1"><v>45292</v></c><c r="F1" s="2"><v>45292.5</v></c><c r="G1" s="1"/>' +
    '<c r="I1"><v>1e3</v></c></row><row/><x:row r="4" xmlns:x="y"><x:c r="B4" t="inlineStr"><x:is><x:r><x:t>two </x:t></x:r><x:r><x:t xml:space="preserve">parts</x:t></x:r></x:is></x:c></x:row>';
  const parts: Parts = {
    sheets: { A: cells },
    shared: '<si><t>shared</t><rPh><t>not this</t></rPh></si>',
    styles:
      '<numFmts><numFmt numFmtId="200" formatCode="[Red]dd/mm/yyyy\\ hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="200"/></cellXfs>',
  };
  expect(read(workbookOf(parts), { header: false }).rows).toEqual([
    ['shared', 'x & y', true, '#N/A', '2024-01-01', '2024-01-01T12:00:00', null, null, 1000],
    [null, 'two parts'],
  ]);
});

test('dates of both systems, and formats that are none', () => {
  expect([0, 1, 59, 60, 61, 45_292].map((serial) => dateOf(serial, false))).toEqual([
    ...['00:00:00', '1900-01-01', '1900-02-28', '1900-02-29', '1900-03-01', '2024-01-01'].map((date) =>
      date === '1900-02-29' ? '1900-02-28' : date,
    ),
  ]);
  expect(dateOf(43_830, true)).toBe('2024-01-01');
  expect(dateOf(0.5, false)).toBe('12:00:00');
  expect(dateOf(1e12, false)).toBe(1e12);
  for (const code of ['General', '0.00', '#,##0 "days"', '[Red]0', '\\d0', '@'])
    expect(isDateFormat(165, code)).toBe(false);
  for (const code of ['yyyy-mm-dd', 'h:mm AM/PM', '[h]:mm', 'd. mmm']) expect(isDateFormat(165, code)).toBe(true);
});

test('names that are missing or twice', () => {
  const cells = cellsOf([
    ['a', null, 'A', 'a'],
    [1, 2, 3, 4, 5],
  ]);
  expect(read(workbookOf({ sheets: { S: cells } })).rows).toEqual([{ a: 1, B: 2, A_2: 3, a_3: 4, E: 5 }]);
});

test('a sheet as a table of query and of profile', async () => {
  const rows = Array.from({ length: 500 }, (_, at) => [
    at,
    `r${at % 3}`,
    at % 2 === 0 ? at / 2 : null,
    `2024-01-0${(at % 9) + 1}`,
  ]);
  const content = workbookOf({
    sheets: { First: cellsOf([['x'], [1]]), Data: cellsOf([['id', 'region', 'half', 'day'], ...rows]) },
  });
  const files = accessTo(makeFolder({ 'a.xlsx': content }));
  const sql = 'select region, count(*) n, sum(half) s, typeof(min(day)) as type from t group by all order by 1';
  const found = await query(files, [sql, { t: { path: 'a.xlsx', sheet: 'Data' } }]);
  expect(found.rows.map((row) => ({ ...row }))).toEqual(
    ['r0', 'r1', 'r2'].map((region) => {
      const of = rows.filter((row) => row[1] === region);
      return { region, n: of.length, s: of.reduce((sum, row) => sum + Number(row[2] ?? 0), 0), type: 'DATE' };
    }),
  );
  expect(await profile(files, ['a.xlsx', { sheet: 'Data' }])).toMatchObject({
    format: 'sheet',
    rows: 500,
    columns: [
      { name: 'id', type: 'BIGINT', key: true },
      { distinct: 3 },
      { type: 'BIGINT', nulls: 250 },
      { type: 'DATE' },
    ],
  });
});

describe('a file that is made to hold up or take in', () => {
  const parts = partsOf({ sheets: { S: cellsOf([['a'], [1]]) } });
  const sheet = 'xl/worksheets/sheet1.xml';
  const failed = (content: Buffer, options?: object) => errorOf(() => read(content, options)).toJSON();

  test.each([
    ['no ZIP', Buffer.from('a,b\n'), /cut off, or no ZIP/],
    ['another ZIP', zipOf({ 'a.txt': 'a' }), /no spreadsheet of Excel/],
    ['cut off', sales.subarray(0, sales.length >> 1), /cut off/],
    ['a part that is missing', zipOf({ ...parts, 'xl/_rels/workbook.xml.rels': '<Relationships/>' }), /has no sheet/],
    ['XML that is cut off', zipOf({ ...parts, [sheet]: '<worksheet><sheetData><row' }), /cut off/],
    [
      'entities of its own',
      zipOf({ ...parts, [sheet]: '<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>' }),
      /declares entities/,
    ],
    ['a tag that never ends', zipOf({ ...parts, [sheet]: `<row a="${'x'.repeat(5e6)}` }), /too long/],
    ['a cell far out', zipOf({ ...parts, [sheet]: '<row r="1"><c r="ZZZZ1"><v>1</v></c></row>' }), /has no place/],
    [
      'a path that leads out',
      zipOf({
        ...parts,
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="rId1" Target="/../../etc/passwd"/></Relationships>',
      }),
      /has no sheet/,
    ],
  ])('%s', (_, content, message) => {
    expect(failed(content)).toMatchObject({
      code: 'script_error',
      message: expect.stringMatching(message) as string,
      details: { name: 'NotReadableError', capability: 'read_sheet' },
    });
  });

  test('a bomb ends at the limit of what a run may read, without being held', () => {
    const bomb = zipOf({ ...parts, [sheet]: `<row r="1"><c r="A1"><v>${' '.repeat(2e8)}</v></c></row>` });
    expect(bomb.length).toBeLessThan(1e6);
    const files = accessTo(makeFolder({ 'a.xlsx': bomb }), { maxTotalReadBytes: 2 ** 21 });
    expect(errorOf(() => readSheet(files, ['a.xlsx']))).toMatchObject({ code: 'limit_exceeded' });
  });

  test('texts by the million end before memory does', () => {
    const shared = `<si><t>${'x'.repeat(1000)}</t></si>`.repeat(80_000);
    const content = zipOf({
      ...parts,
      'xl/sharedStrings.xml': `<sst>${shared}</sst>`,
      [sheet]: '<row r="1"><c r="A1" t="s"><v>5</v></c></row>',
    });
    expect(failed(content, { header: false })).toMatchObject({
      message: expect.stringMatching(/more texts/) as string,
    });
  });

  test('a directory that promises more, lies about places or is locked', () => {
    const many = Buffer.from(sales);
    many.writeUInt16LE(0xffff, many.length - 12);
    expect(failed(many)).toMatchObject({ message: expect.stringMatching(/more than 4 GB or 65,534 files/) as string });
    const astray = Buffer.from(sales);
    astray.writeUInt32LE(5, astray.indexOf('PK\x01\x02') + 42);
    expect(failed(astray)).toMatchObject({ message: expect.stringMatching(/not where it should be/) as string });
    const locked = Buffer.from(sales);
    locked.writeUInt16LE(1, locked.indexOf('PK\x01\x02') + 8);
    expect(failed(locked)).toMatchObject({ message: expect.stringMatching(/password/) as string });
  });

  test('5 GB of nothing', () => {
    const root = makeFolder({ 'a.xlsx': sales });
    truncateSync(join(root, 'a.xlsx'), 5 * 2 ** 30);
    expect(errorOf(() => readSheet(accessTo(root), ['a.xlsx']))).toMatchObject({ code: 'script_error' });
  });

  test('names like __proto__ are data', () => {
    const { rows } = read(
      workbookOf({
        sheets: {
          S: cellsOf([
            ['__proto__', 'constructor'],
            ['x', 'y'],
          ]),
        },
      }),
      { header: false },
    );
    expect(rows[0]).toEqual(['__proto__', 'constructor']);
    const [row] = readSheet(
      accessTo(makeFolder({ 'a.xlsx': workbookOf({ sheets: { S: cellsOf([['__proto__'], ['x']]) } }) })),
      ['a.xlsx'],
    ).rows;
    expect(Object.entries(row as object)).toEqual([['__proto__', 'x']]);
  });

  test('paths and options are refused as those of others', () => {
    const files = accessTo(makeFolder({ 'a.xlsx': sales, to: { link: '/etc/hostname' } }));
    for (const path of ['../a.xlsx', '/a.xlsx', '.env', 'to', 7]) {
      expect(errorOf(() => readSheet(files, [path]))).toMatchObject({ code: 'capability_denied' });
    }
    expect(errorOf(() => readSheet(files, ['a.xlsx', { sheets: 1 }]))).toMatchObject({ code: 'invalid_request' });
    expect(errorOf(() => readSheet(files, ['a.xlsx', { range: '!' }]))).toMatchObject({ code: 'invalid_request' });
    expect(errorOf(() => readSheet(files, ['b.xlsx']))).toMatchObject({ details: { name: 'NotFoundError' } });
  });
});
