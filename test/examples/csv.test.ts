import { describe, expect, test } from 'vitest';
import { failureOf } from '../client/support.ts';
import { isFull } from '../full.ts';
import { attach, runExample, seeded } from './support.ts';

interface Order {
  region: string;
  product: string;
  cents: number;
}

const regions = ['north', 'south', 'east', 'Übersee, "Süd"', 'two\nlines', ''];

function makeOrders(rows: number): Order[] {
  const random = seeded(1);
  return Array.from({ length: rows }, () => ({
    region: regions[Math.floor(random() * regions.length)] as string,
    product: random() < 0.02 ? 'a "quoted", thing' : `item ${Math.floor(random() * 500)}`,
    cents: Math.floor(random() * 100_000),
  }));
}

function toCsv(orders: Order[], lineBreak = '\n'): string {
  const quote = (field: string): string => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
  const rows = orders.map(({ region, product, cents }, index) =>
    [String(index), region, product, (cents / 100).toFixed(2)].map(quote).join(','),
  );
  return ['id,region,product,amount', ...rows, ''].join(lineBreak);
}

function groupOrders(orders: Order[], by: 'region' | 'product'): { group: string; rows: number; sum: number }[] {
  const groups = new Map<string, { rows: number; cents: number }>();
  for (const order of orders) {
    const group = groups.get(order[by]) ?? { rows: 0, cents: 0 };
    groups.set(order[by], { rows: group.rows + 1, cents: group.cents + order.cents });
  }
  const sorted = [...groups].sort(([, a], [, b]) => b.cents - a.cents);
  return sorted.map(([group, { rows, cents }]) => ({ group, rows, sum: cents / 100 }));
}

const columns = { by: 'region', sum: 'amount' };

/** More than the scripts read at a time. */
const rows = isFull ? 40_000 : 15_000;

describe('csv-group-by.js', () => {
  test.each(['\n', '\r\n'])('groups and sums, with quotes and line breaks in fields (%j)', async (lineBreak) => {
    const orders = makeOrders(rows);
    const scope = attach('orders.csv', toCsv(orders, lineBreak));
    const { value } = await runExample('csv-group-by.js', { scope, inputs: columns });
    expect(value).toEqual({ rows, groups: 6, notNumbers: 0, top: groupOrders(orders, 'region') });
  });

  test('gives the largest of many groups', async () => {
    const orders = makeOrders(20_000);
    const inputs = { by: 'product', sum: 'amount', top: 7 };
    const { value } = await runExample('csv-group-by.js', { scope: attach('o.csv', toCsv(orders)), inputs });
    const groups = groupOrders(orders, 'product');
    expect(value).toMatchObject({ groups: groups.length, top: groups.slice(0, 7) });
  });

  test('counts rows only, of a file as spreadsheets write it', async () => {
    const scope = attach('a.csv', '\uFEFFregion;amount\r\nsouth;1\r\n"no;rth";2\r\nsouth;3');
    const { value } = await runExample('csv-group-by.js', { scope, inputs: { by: 'region', separator: ';' } });
    const top = [
      { group: 'south', rows: 2 },
      { group: 'no;rth', rows: 1 },
    ];
    expect(value).toEqual({ rows: 3, groups: 2, top });
  });

  test('tells of fields that are no numbers', async () => {
    const scope = attach('a.csv', 'region,amount\na,1\na,\na,n/a\na');
    const { value } = await runExample('csv-group-by.js', { scope, inputs: columns });
    expect(value).toEqual({ rows: 4, groups: 1, notNumbers: 3, top: [{ group: 'a', rows: 4, sum: 1 }] });
  });

  test.each([
    ['a column that is not there', 'id,amount\n1,2\n', 'there is no column region; there are: id, amount'],
    ['a quote that is never closed', 'region,amount\n"a,1\nb,2\n', 'a quote is never closed: "a,1'],
    [
      'the same in a big file',
      `region,amount\n"a,1\n${`${'b'.repeat(98)},2\n`.repeat(20_000)}`,
      'a quote in it is never closed',
    ],
  ])('refuses %s', async (_, content, message) => {
    const error = await failureOf(runExample('csv-group-by.js', { scope: attach('a.csv', content), inputs: columns }));
    expect(error).toMatchObject({ code: 'script_error' });
    expect(error.message).toContain(message);
  });
});

describe('csv-join.js', () => {
  const random = seeded(6);
  const countries = ['FR', 'DE', 'Côte d’Ivoire', 'a, "b"'];
  const customers = new Map(
    Array.from({ length: 900 }, (_, id) => [`C${id}`, countries[Math.floor(random() * 4)] as string]),
  );
  const orders = Array.from({ length: 30_000 }, () => ({
    customer: `C${Math.floor(random() * 1000)}`,
    cents: Math.floor(random() * 10_000),
  }));
  const quote = (field: string): string => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
  const scope = (): ReturnType<typeof attach> => {
    const big = ['customer,amount', ...orders.map((order) => `${order.customer},${order.cents / 100}`)].join('\n');
    const small = ['id,country', ...[...customers].map(([id, country]) => `${id},${quote(country)}`)].join('\r\n');
    const files = { 'orders.csv': big, 'customers.csv': small };
    return { attachments: Object.entries(files).flatMap(([name, text]) => attach(name, text).attachments ?? []) };
  };

  test('groups the one by a column of the other', async () => {
    const groups = new Map<string, { rows: number; cents: number }>();
    const missing = new Map<string, number>();
    for (const { customer, cents } of orders) {
      const country = customers.get(customer);
      if (country === undefined) missing.set(customer, (missing.get(customer) ?? 0) + 1);
      else {
        const group = groups.get(country) ?? { rows: 0, cents: 0 };
        groups.set(country, { rows: group.rows + 1, cents: group.cents + cents });
      }
    }
    const unmatched = [...missing.values()].reduce((a, b) => a + b);
    const inputs = { on: 'customer', key: 'id', by: 'country', sum: 'amount', top: 100 };
    const { value } = await runExample('csv-join.js', { scope: scope(), inputs });
    expect(value).toEqual({
      rows: 30_000,
      matched: 30_000 - unmatched,
      unmatched,
      groups: [...groups]
        .map(([group, { rows, cents }]) => ({ group, rows, sum: cents / 100 }))
        .toSorted((a, b) => b.sum - a.sum),
      missing: expect.any(Array),
    });
    const { missing: found } = value as { missing: { key: string; rows: number }[] };
    expect(new Map(found.map(({ key, rows }) => [key, rows]))).toEqual(missing);
  });

  test('a column that only one of them has', async () => {
    const error = await failureOf(
      runExample('csv-join.js', { scope: scope(), inputs: { on: 'customer', by: 'country' } }),
    );
    expect(error.message).toContain('there is no column customer; there are: id, country');
  });
});

describe('histogram.js', () => {
  interface Histogram {
    count: number;
    min: number;
    max: number;
    mean: number;
    bins: { from: number; to: number; count: number }[];
  }
  const random = seeded(8);
  const lists: [string, number[]][] = [
    ['of one kind', Array.from({ length: 30_000 }, () => Math.floor(random() * 10_000) / 100)],
    ['below and above 0', Array.from({ length: 5000 }, () => Math.floor((random() - 0.5) * 1000))],
    ['with one that is far off', [...Array.from({ length: 5000 }, () => Math.floor(random() * 100)), 1e9]],
    ['all the same', [7, 7, 7]],
    ['tiny', [1e-9, 2e-9, 5e-9]],
  ];

  function expectBins({ bins, ...found }: Histogram, numbers: number[]): void {
    expect(found).toMatchObject({ count: numbers.length, min: Math.min(...numbers), max: Math.max(...numbers) });
    expect(found.mean).toBeCloseTo(numbers.reduce((a, b) => a + b) / numbers.length, 6);
    expect(bins.length).toBeLessThanOrEqual(20);
    for (const { from, to, count } of bins) {
      expect(count).toBe(numbers.filter((number) => number >= from && number < to).length);
    }
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(numbers.length);
  }

  test.each(lists)('of a column, numbers %s', async (_, numbers) => {
    const scope = attach('a.csv', ['id,"the, number"', ...numbers.map((number, id) => `${id},${number}`)].join('\n'));
    const { value } = await runExample('histogram.js', { scope, inputs: { column: 'the, number' } });
    expectBins(value as unknown as Histogram, numbers);
  });

  test.each(lists)('of JSON lines, numbers %s', async (_, numbers) => {
    const scope = attach('a.jsonl', numbers.map((ms) => JSON.stringify({ ms, s: 'x' })).join('\r\n'));
    const { value } = await runExample('histogram.js', { scope, inputs: { before: '"ms":' } });
    expectBins(value as unknown as Histogram, numbers);
  });

  test('nothing to count', async () => {
    const scope = attach('a.csv', 'a,b\nx,\ny,n/a\n');
    expect((await runExample('histogram.js', { scope, inputs: { column: 'b' } })).value).toEqual({
      count: 0,
      notNumbers: 2,
    });
  });
});
