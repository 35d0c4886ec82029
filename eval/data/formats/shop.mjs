import { createRequire } from 'node:module';
import { byKey, countBy, rank, round, sum, sumBy } from '../answers.mjs';

const start = createRequire(import.meta.url)('sql.js');
const { Database } = await start();

const tables = {
  customers: ['id INTEGER PRIMARY KEY', 'email TEXT', 'country TEXT', 'joined TEXT'],
  orders: ['id INTEGER PRIMARY KEY', 'customer_id INTEGER', 'placed INTEGER', 'shipped INTEGER', 'status TEXT'],
  items: ['order_id INTEGER', 'sku TEXT', 'quantity INTEGER', 'cents INTEGER'],
  refunds: ['order_id INTEGER', 'cents INTEGER'],
};
const where =
  'shop.db is an SQLite database with the tables customers (id, email, country, joined), orders (id, customer_id, placed, shipped, status), items (order_id, sku, quantity, cents: the price of one piece) and refunds (order_id, cents). placed and shipped are seconds since 1970 (UTC).';
const revenue =
  'The revenue of an order is the sum of quantity * cents over its items, and cancelled orders (status "cancelled") have none.';

/** An SQLite database of a shop: customers twice, orders without customer, unshipped ones, refunds. */
export const shop = {
  files: ['shop.db'],
  make(random, scale) {
    const customers = Array.from({ length: 800 * scale }, (_, id) => {
      const email = `user${random.int(700 * scale)}@example.org`;
      return {
        id,
        email: random.of([email, email, email.toUpperCase(), `${email} `]),
        country: random.chance(0.1) ? null : random.skewed(['DE', 'FR', 'IT', 'PL']),
        joined: `2025-${String(1 + random.int(12)).padStart(2, '0')}-15`,
      };
    });
    const orders = Array.from({ length: 6000 * scale }, (_, id) => {
      const placed = Date.UTC(2026, 0, 1) / 1000 + random.int(250 * 86_400);
      return {
        id,
        customer_id: random.chance(0.04) ? null : random.int(customers.length),
        placed,
        shipped: random.chance(0.2) ? null : placed + 3600 + random.int(9 * 86_400),
        status: random.skewed(['done', 'done', 'open', 'cancelled']),
      };
    });
    const items = orders.flatMap(({ id }) =>
      Array.from({ length: random.int(5) }, () => ({
        order_id: id,
        sku: `S-${random.int(200)}`,
        quantity: 1 + random.int(4),
        cents: 99 + random.int(9000),
      })),
    );
    const refunds = orders
      .filter(() => random.chance(0.06))
      .map(({ id }) => ({ order_id: id, cents: 100 + random.int(3000) }));
    const model = { customers, orders, items, refunds };
    return { files: { 'shop.db': databaseOf(model) }, model };
  },
  questions: {
    'sqlite-countries': [
      `${where} ${revenue} What is the revenue of each country in cents? Orders without a customer, or whose customer has no country, are of the country "unknown".`,
      'an object from country to cents',
      (all) =>
        byKey(
          sumBy(
            withRevenue(all),
            ({ customer_id: id }) => all.customers[id ?? -1]?.country ?? 'unknown',
            ({ cents }) => cents,
          ),
        ),
    ],
    'sqlite-emails': [
      `${where} How many email addresses belong to more than one customer, if case and blanks around an address do not matter?`,
      'a number',
      ({ customers }) =>
        [...countBy(customers, ({ email }) => email.trim().toLowerCase()).values()].filter((count) => count > 1).length,
    ],
    'sqlite-shipping': [
      `${where} How long did shipping take in seconds, from placed to shipped, for each status? Take the 90th percentile of the orders that were shipped by nearest rank: sort the n values and take number ceil(0.9 * n), counting from 1.`,
      'an object from status to seconds',
      ({ orders }) =>
        Object.fromEntries(
          ['cancelled', 'done', 'open'].map((status) => [
            status,
            rank(
              orders
                .filter((order) => order.status === status && order.shipped !== null)
                .map(({ placed, shipped }) => shipped - placed),
              0.9,
            ),
          ]),
        ),
    ],
    'sqlite-refunds': [
      `${where} ${revenue} Of the orders placed in June 2026 (UTC) that are not cancelled, which share of the revenue was refunded?`,
      'a number: percent, rounded to two digits',
      (all) => {
        const june = withRevenue(all).filter(
          ({ placed }) => new Date(placed * 1000).toISOString().slice(0, 7) === '2026-06',
        );
        const ids = new Set(june.map(({ id }) => id));
        const refunded = sum(all.refunds.filter(({ order_id: id }) => ids.has(id)).map(({ cents }) => cents));
        return round((100 * refunded) / sum(june.map(({ cents }) => cents)));
      },
    ],
    'sqlite-save': [
      `${where} ${revenue} Keep a workbook spenders.xlsx for me with the id, the email and the revenue in cents of each customer who has a revenue of more than 200,000 cents, the highest first.`,
      'an array [number of rows in that workbook, sum of their revenue in cents]',
      (all) => {
        const known = withRevenue(all).filter(({ customer_id: id }) => id !== null);
        const spent = sumBy(
          known,
          ({ customer_id: id }) => id,
          ({ cents }) => cents,
        );
        const high = [...spent.values()].filter((cents) => cents > 200_000);
        return [high.length, sum(high)];
      },
    ],
  },
};

function databaseOf(rows) {
  const database = new Database();
  database.run('BEGIN');
  for (const [table, columns] of Object.entries(tables)) {
    database.run(`CREATE TABLE ${table} (${columns.join(', ')})`);
    const statement = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
    for (const row of rows[table]) statement.run(Object.values(row));
    statement.free();
  }
  database.run('COMMIT');
  const bytes = database.export();
  database.close();
  return bytes;
}

/** The orders that are not cancelled, with their cents. */
function withRevenue({ orders, items }) {
  const cents = sumBy(
    items,
    ({ order_id: id }) => id,
    (item) => item.quantity * item.cents,
  );
  return orders
    .filter(({ status }) => status !== 'cancelled')
    .map((order) => ({ ...order, cents: cents.get(order.id) ?? 0 }));
}
