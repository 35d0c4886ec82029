import { byKey, countBy, distinct, rank, round, sum, sumBy, top } from './answers.mjs';

const regions = ['north', 'south', 'east', 'west'];
const notes = ['', 'call first', 'fragile, "top" up', 'line one\nline two', 'a, b\r\nc', 'say ""hi""'];

/** Orders, with commas, quotes and newlines within quoted fields, and the customers they belong to. */
export const orders = {
  files: ['orders.csv', 'customers.json'],
  make(random, scale) {
    const customers = Array.from({ length: 500 }, (_, id) => ({
      id,
      name: `Customer ${id}`,
      tier: random.skewed(['basic', 'plus', 'gold']),
    }));
    const rows = Array.from({ length: 40_000 * scale }, (_, id) => ({
      id: 1000 + id,
      customer: random.int(500),
      region: random.skewed(regions),
      day: `2026-0${1 + random.int(6)}-${String(1 + random.int(28)).padStart(2, '0')}`,
      cents: 99 + random.int(50_000),
      quantity: 1 + random.int(9),
      note: random.skewed(notes),
      coupon: random.chance(0.1) ? random.of(['SPRING', 'VIP']) : '',
    }));
    const cell = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value);
    const lines = rows.map(({ id, customer, region, day, cents, quantity, note, coupon }) =>
      [id, customer, region, day, (cents / 100).toFixed(2), quantity, note, coupon].map(cell).join(','),
    );
    const header = 'order_id,customer_id,region,ordered_on,unit_price,quantity,note,coupon';
    const files = { 'orders.csv': `${header}\n${lines.join('\n')}\n`, 'customers.json': JSON.stringify(customers) };
    return { files, model: { rows, customers } };
  },
  questions: {
    'orders-count': [
      'How many orders (not lines: fields may hold newlines) are in orders.csv?',
      'a number',
      ({ rows }) => rows.length,
    ],
    'orders-revenue': [
      'What is the revenue (unit_price * quantity) of each region in orders.csv, rounded to two digits?',
      'an object from region to number',
      ({ rows }) =>
        Object.fromEntries(
          Object.entries(
            byKey(
              sumBy(
                rows,
                ({ region }) => region,
                ({ cents, quantity }) => cents * quantity,
              ),
            ),
          ).map(([region, cents]) => [region, round(cents / 100)]),
        ),
    ],
    'orders-p90': [
      'What is the 90th percentile of unit_price of each region in orders.csv, by nearest rank: sort the n values and take number ceil(0.9 * n), counting from 1?',
      'an object from region to number',
      ({ rows }) =>
        Object.fromEntries(
          regions.map((region) => [
            region,
            rank(
              rows.filter((row) => row.region === region).map(({ cents }) => cents),
              0.9,
            ) / 100,
          ]),
        ),
    ],
    'orders-newlines': [
      'How many orders in orders.csv have a newline within their note?',
      'a number',
      ({ rows }) => rows.filter(({ note }) => note.includes('\n')).length,
    ],
    'orders-coupons': [
      'How many orders in orders.csv used each coupon (leave out those without)?',
      'an object from coupon to count',
      ({ rows }) =>
        byKey(
          countBy(
            rows.filter(({ coupon }) => coupon !== ''),
            ({ coupon }) => coupon,
          ),
        ),
    ],
    'orders-best-month': [
      'Which month (as 2026-03) has the most orders in orders.csv?',
      'an array [month, count]',
      ({ rows }) =>
        top(
          countBy(rows, ({ day }) => day.slice(0, 7)),
          1,
        )[0],
    ],
    'orders-tier': [
      'What is the revenue (unit_price * quantity) by the tier of the customer? orders.csv has customer_id, customers.json the id and tier of each. Rounded to two digits.',
      'an object from tier to number',
      ({ rows, customers }) =>
        Object.fromEntries(
          Object.entries(
            byKey(
              sumBy(
                rows,
                ({ customer }) => customers[customer].tier,
                ({ cents, quantity }) => cents * quantity,
              ),
            ),
          ).map(([tier, cents]) => [tier, round(cents / 100)]),
        ),
    ],
    'orders-top-customers': [
      'Which three customers spent the most (unit_price * quantity) in orders.csv, by their name in customers.json?',
      'an array of names, the highest first',
      ({ rows, customers }) =>
        top(
          sumBy(
            rows,
            ({ customer }) => customer,
            ({ cents, quantity }) => cents * quantity,
          ),
          3,
        ).map(([id]) => customers[id].name),
    ],
    'orders-none': [
      'How many of the customers in customers.json have ordered fewer than 70 times according to orders.csv (none counts as fewer)?',
      'a number',
      ({ rows, customers }) => {
        const counts = countBy(rows, ({ customer }) => customer);
        return customers.filter(({ id }) => (counts.get(id) ?? 0) < 70).length;
      },
    ],
    'orders-average': [
      'What is the average quantity of an order in orders.csv, rounded to three digits?',
      'a number',
      ({ rows }) => round(sum(rows.map(({ quantity }) => quantity)) / rows.length, 3),
    ],
    'orders-days': [
      'On how many different days were there orders in orders.csv?',
      'a number',
      ({ rows }) => distinct(rows.map(({ day }) => day)),
    ],
  },
};
