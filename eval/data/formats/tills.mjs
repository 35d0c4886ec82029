import { gzipSync } from 'node:zlib';
import { byKey, countBy, round, sum, sumBy } from '../answers.mjs';

const packed = ['2025-10', '2025-11', '2025-12'];
const plain = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06'];
const months = [...packed, ...plain];
const where =
  'The folder tills of the project has a CSV for each month, tills/2026-01.csv to tills/2026-06.csv, and older ones in tills/archive/*.csv.gz. Their columns are receipt, till, sold_at, item, quantity, amount and payment; no field is in quotes. A line that has not exactly seven fields is broken and does not count.';
const once = 'Some lines were written twice in the same file: what has the same receipt counts once.';

/** What the tills of a shop sold, a CSV a month, some packed: broken lines, repeated ones, amounts that are missing. */
export const tills = {
  files: ['project/tills/2026-01.csv', 'project/tills/2026-02.csv'],
  make(random, scale) {
    const files = {};
    const model = {};
    for (const month of months) {
      const sales = Array.from({ length: 4000 * scale }, (_, at) => saleOf(random, month, at));
      const lines = [];
      let broken = 0;
      for (const sale of sales) {
        const line = Object.values(sale).join(',');
        lines.push(line);
        if (random.chance(0.01)) lines.push(line);
        if (random.chance(0.015)) {
          lines.push(brokenOf(random, line));
          broken++;
        }
      }
      const text = `receipt,till,sold_at,item,quantity,amount,payment\n${lines.join('\n')}\n`;
      const isPacked = packed.includes(month);
      files[`project/tills/${isPacked ? `archive/${month}.csv.gz` : `${month}.csv`}`] = isPacked
        ? gzipSync(text)
        : text;
      model[month] = { sales, broken };
    }
    return { files, model };
  },
  questions: {
    'tills-broken': [
      `${where} How many broken lines does each of the six files have that are not packed?`,
      'an object from the name of the file without folders (as 2026-01.csv) to the number',
      (all) => Object.fromEntries(plain.map((month) => [`${month}.csv`, all[month].broken])),
    ],
    'tills-revenue': [
      `${where} ${once} What is the sum of amount in each of the nine months, packed or not? An amount of "n/a" counts as 0; some amounts are negative, because something was given back.`,
      'an object from month (as 2025-10) to the sum, rounded to two digits',
      (all) =>
        Object.fromEntries(
          months.map((month) => [month, round(sum(all[month].sales.map(({ amount }) => Number(amount) || 0)))]),
        ),
    ],
    'tills-closed': [
      `${where} Which tills sold something in some of the six files that are not packed, but not in all of them?`,
      'an array of tills, sorted',
      (all) => {
        const used = plain.map((month) => new Set(all[month].sales.map(({ till }) => till)));
        const known = [...new Set(used.flatMap((some) => [...some]))].toSorted();
        return known.filter((till) => !used.every((some) => some.has(till)));
      },
    ],
    'tills-items': [
      `${where} ${once} Over the six files that are not packed, which item was given back most often (amount below 0)?`,
      'an array [item, how many times]; of equals the item that sorts first',
      (all) => {
        const back = plain.flatMap((month) => all[month].sales).filter(({ amount }) => amount.startsWith('-'));
        const counts = [...countBy(back, ({ item }) => item)];
        return counts.reduce((most, one) =>
          one[1] > most[1] || (one[1] === most[1] && one[0] < most[0]) ? one : most,
        );
      },
    ],
    'tills-save': [
      `${where} ${once} Make me one CSV cards.csv of what was paid by card (payment is typed as card, Card or CARD) in the six files that are not packed, with a column month.`,
      'an object from month (as 2026-01) to the sum of quantity in the rows of that CSV',
      (all) => {
        const rows = plain.flatMap((month) => all[month].sales.map((sale) => ({ ...sale, month })));
        return byKey(
          sumBy(
            rows.filter(({ payment }) => payment.toLowerCase() === 'card'),
            ({ month }) => month,
            ({ quantity }) => quantity,
          ),
        );
      },
    ],
  },
};

function saleOf(random, month, at) {
  const hour = String(8 + random.int(12)).padStart(2, '0');
  const cents = 50 + random.int(9000);
  // The seventh till was not used any more.
  const isClosed = month >= '2026-04';
  return {
    receipt: `R${month.replace('-', '')}-${at}`,
    till: `T${1 + random.int(isClosed ? 6 : 7)}`,
    soldAt: `${month}-${String(1 + random.int(28)).padStart(2, '0')} ${hour}:${10 + random.int(50)}`,
    item: random.skewed(['bread', 'milk', 'coffee', 'soap', 'pen', 'apple pie']),
    quantity: 1 + random.int(5),
    amount: random.chance(0.01) ? 'n/a' : `${random.chance(0.04) ? '-' : ''}${(cents / 100).toFixed(2)}`,
    payment: random.of(['card', 'card', 'Card', 'CARD', 'cash', 'voucher']),
  };
}

/** A line that lost fields at its end, or got one more. */
function brokenOf(random, line) {
  const fields = line.split(',');
  return random.chance(0.3) ? `${line},?` : fields.slice(0, 2 + random.int(4)).join(',');
}
