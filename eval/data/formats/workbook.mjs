import { byKey, countBy, round, sum, sumBy } from '../answers.mjs';
import { workbookOf } from './xlsx.mjs';

const regions = ['North', 'South', 'East', 'West'];
const header = ['Order', 'Date', 'Region', 'Rep', 'Net', 'Discount', 'Total', 'Status'];
const where =
  'In sales.xlsx the sheet Orders has a title, then in row 4 the header Order, Date, Region, Rep, Net, Discount, Total, Status, then the orders, and at last a line with their sum, whose Order is "Total". Some orders were pasted twice: one number (Order) is one order.';

/** A workbook as a department keeps it: a title, mixed dates, repeated orders, formulas, errors, a sum below. */
export const workbook = {
  files: ['sales.xlsx'],
  make(random, scale) {
    const orders = Array.from({ length: 3000 * scale }, (_, at) => orderOf(random, at));
    const shown = orders.flatMap((order) => (random.chance(0.03) ? [order, order] : [order]));
    const rows = shown.map((order, at) => rowOf(order, at + 5));
    const good = shown.filter(({ isBroken }) => !isBroken);
    const stated = {
      lines: shown.length,
      average: sum(good.map(({ net }) => net)) / 100 / good.length,
    };
    const targets = Object.fromEntries(
      regions.map((region, at) => [region, firstQuarter(orders, region) + (at % 2 === 0 ? -500_00 : 700_00)]),
    );
    const last = rows.length + 4;
    const book = workbookOf({
      Summary: {
        rows: [
          ['Sales 2026'],
          [],
          ['Lines', { formula: `COUNTA(Orders!A5:A${last})`, value: stated.lines }],
          ['Average net', { formula: `AVERAGE(Orders!E5:E${last})`, value: stated.average }],
          ['Checked by', null],
        ],
        merged: ['A1:D1'],
      },
      Orders: {
        rows: [
          ['Orders 2026 (draft, do not send)'],
          ['Exported on', { day: '2026-12-31' }],
          [],
          header,
          ...rows,
          [],
          [
            'Total',
            null,
            null,
            null,
            null,
            null,
            { formula: `SUM(G5:G${last})`, value: sum(good.map(({ total }) => total)) / 100 },
          ],
        ],
        merged: ['A1:H1'],
      },
      Targets: {
        rows: [
          ['Targets in EUR', 'of paid orders'],
          ['Region', 'Q1', 'Q2'],
          ...regions.map((region) => [region, targets[region] / 100, null]),
        ],
      },
    });
    return { files: { 'sales.xlsx': book }, model: { orders, stated, targets } };
  },
  questions: {
    'xlsx-total': [
      `${where} What is the sum of Total over all orders, without those whose Total is an error (#N/A)?`,
      'a number, rounded to two digits',
      ({ orders }) => round(sum(good(orders).map(({ total }) => total)) / 100),
    ],
    'xlsx-regions': [
      `${where} How many orders does each region have? The regions are typed with different case and with blanks around them.`,
      'an object from the region in lower case to the number of orders',
      ({ orders }) => byKey(countBy(orders, ({ region }) => region.toLowerCase())),
    ],
    'xlsx-months': [
      `${where} How many orders are there in each month? Most dates are dates, some are text such as 31.12.2026.`,
      'an object from month (as 2026-03) to the number of orders; months without orders are left out',
      ({ orders }) => byKey(countBy(orders, ({ day }) => day.slice(0, 7))),
    ],
    'xlsx-targets': [
      `${where} Regions are typed with different case and with blanks around them, and some dates are text such as 31.12.2026. The sheet Targets has its header (Region, Q1, Q2) in row 2. Which regions reached their target for Q1 with the Total of their paid orders (Status "paid") from January to March? A Total that is an error counts as 0.`,
      'an array of regions as they are written in the sheet Targets, sorted',
      ({ orders, targets }) => regions.filter((region) => firstQuarter(orders, region) >= targets[region]).toSorted(),
    ],
    'xlsx-summary': [
      'What does the sheet Summary of sales.xlsx state as "Lines" and as "Average net", in the cells to the right of these words?',
      'an array [lines, average net], the average rounded to three digits',
      ({ stated }) => [stated.lines, round(stated.average, 3)],
    ],
  },
};

function orderOf(random, at) {
  const net = 1000 + random.int(400_000);
  const discount = random.of([null, 0, 0.05, 0.1]);
  return {
    id: `A-${10_001 + at}`,
    day: `2026-${String(1 + random.int(12)).padStart(2, '0')}-${String(1 + random.int(28)).padStart(2, '0')}`,
    isText: random.chance(0.15),
    region: random.skewed(regions),
    typed: random.int(8),
    rep: random.chance(0.08) ? null : random.of(['Ann', 'Bo', 'Céline', 'Dirk']),
    net,
    discount,
    total: Math.round(net * (1 - (discount ?? 0))),
    isBroken: random.chance(0.02),
    status: random.skewed(['paid', 'paid', 'open', 'cancelled']),
  };
}

function rowOf({ id, day, isText, region, typed, rep, net, discount, total, isBroken, status }, line) {
  const written = [region.toUpperCase(), ` ${region}`, `${region} `, region.toLowerCase()][typed] ?? region;
  return [
    id,
    isText ? day.split('-').toReversed().join('.') : { day },
    written,
    rep,
    isBroken ? { error: '#N/A' } : net / 100,
    discount,
    isBroken ? { error: '#N/A' } : { formula: `ROUND(E${line}*(1-F${line}),2)`, value: total / 100 },
    status,
  ];
}

const good = (orders) => orders.filter(({ isBroken }) => !isBroken);

function firstQuarter(orders, region) {
  const some = good(orders).filter(({ status, day }) => status === 'paid' && day < '2026-04');
  const totals = sumBy(
    some,
    (order) => order.region,
    ({ total }) => total,
  );
  return totals.get(region) ?? 0;
}
