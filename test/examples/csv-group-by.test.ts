import { describe, expect, test } from 'vitest';
import { failureOf } from '../client/support.ts';
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

describe('csv-group-by.js', () => {
  test.each(['\n', '\r\n'])('groups and sums, with quotes and line breaks in fields (%j)', async (lineBreak) => {
    const orders = makeOrders(40_000);
    const scope = attach('orders.csv', toCsv(orders, lineBreak));
    const { value } = await runExample('csv-group-by.js', { scope });
    expect(value).toEqual(groupOrders(orders, 'region'));
  });

  test('gives the largest of many groups', async () => {
    const orders = makeOrders(20_000);
    const scope = attach('o.csv', toCsv(orders));
    const inputs = { file: 'attachments:o.csv', by: 'product', sum: 'amount', top: 7 };
    const { value } = await runExample('csv-group-by.js', { scope, inputs });
    expect(value).toEqual(groupOrders(orders, 'product').slice(0, 7));
  });

  test('no line break at the end', async () => {
    const { value } = await runExample('csv-group-by.js', { scope: attach('orders.csv', 'region,amount\na,1\na,2') });
    expect(value).toEqual([{ group: 'a', rows: 2, sum: 3 }]);
  });

  test('a column that is not there', async () => {
    const scope = attach('orders.csv', toCsv(makeOrders(1)));
    const error = await failureOf(runExample('csv-group-by.js', { scope, inputs: { by: 'country' } }));
    expect(error).toMatchObject({ code: 'script_error' });
    expect(error.message).toContain('no column country; there are: id, region, product, amount');
  });
});
