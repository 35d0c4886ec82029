import { byKey, countBy, round, sumBy } from '../answers.mjs';

const places = ['München', 'Köln', 'Düsseldorf', 'Berlin', 'Dresden', ''];
const where =
  'kunden.csv is an export in windows-1252 with the columns Kundennr, Name, PLZ, Ort, Umsatz and Seit, separated by semicolons. Umsatz is written as 1.234,50 and may be empty, Seit as 31.12.2026.';

/** What old programs export: windows-1252 and UTF-16, commas in numbers, days first, zeros at the start of codes. */
export const exports = {
  files: ['kunden.csv', 'versand.csv'],
  make(random, scale) {
    const customers = Array.from({ length: 6000 * scale }, (_, at) => ({
      id: at,
      name: `${random.of(['Jürgen', 'Zoë', 'Anna', 'Björn'])} ${random.of(['Groß', 'Weiß', 'Müller', 'Schäfer'])}`,
      code: String(1000 + random.int(2000 * scale)).padStart(5, '0'),
      place: random.skewed(places),
      cents: random.chance(0.05) ? undefined : random.int(500_000),
      since: dayOf(random, 2018 + random.int(8)),
    }));
    const shipments = Array.from({ length: 8000 * scale }, (_, at) => ({
      id: `S${at}`,
      promised: dayOf(random, 2026),
      delivered: random.chance(0.15) ? '' : dayOf(random, 2026),
      country: random.skewed(['DE', 'AT', 'CH', 'CZ']),
    }));
    const table = (separator, header, rows) => [header, ...rows].map((row) => `${row.join(separator)}\r\n`).join('');
    const sold = customers.map(({ id, name, code, place, cents, since }) => [
      id,
      name,
      code,
      place,
      amountOf(cents),
      german(since),
    ]);
    const sent = shipments.map(({ id, promised, delivered, country }) => [
      id,
      german(promised),
      german(delivered),
      country,
    ]);
    const files = {
      // Of these letters both encodings have the same bytes.
      'kunden.csv': Buffer.from(table(';', ['Kundennr', 'Name', 'PLZ', 'Ort', 'Umsatz', 'Seit'], sold), 'latin1'),
      'versand.csv': Buffer.from(
        `\uFEFF${table('\t', ['Sendung', 'Zugesagt', 'Zugestellt', 'Land'], sent)}`,
        'utf16le',
      ),
    };
    return { files, model: { customers, shipments } };
  },
  questions: {
    'latin-places': [
      `${where} What is the Umsatz of each Ort, without the customers that have no Ort?`,
      'an object from Ort to the sum as a number, rounded to two digits',
      ({ customers }) =>
        byKey(
          [
            ...sumBy(
              customers.filter(({ place }) => place !== ''),
              ({ place }) => place,
              ({ cents = 0 }) => cents,
            ),
          ].map(([place, cents]) => [place, round(cents / 100)]),
        ),
    ],
    'latin-duplicates': [
      `${where} Customers with the same Name and the same PLZ are likely to be one. Which PLZ has the most customers beyond the first of each Name, and how many are these?`,
      'an array [PLZ as text of five digits, number]; of equals the PLZ that sorts first',
      ({ customers }) => {
        const names = countBy(customers, ({ code, name }) => `${code}/${name}`);
        const further = sumBy(
          [...names],
          ([key]) => key.slice(0, 5),
          ([, count]) => count - 1,
        );
        return [...further].reduce((most, one) =>
          one[1] > most[1] || (one[1] === most[1] && one[0] < most[0]) ? one : most,
        );
      },
    ],
    'latin-chart': [
      `${where} Draw me a bar chart of the number of customers by the year of Seit.`,
      'an object from year (as 2024) to the number of customers, as it is in the chart',
      ({ customers }) => byKey(countBy(customers, ({ since }) => since.slice(0, 4))),
    ],
    'utf16-late': [
      'versand.csv is an export in UTF-16 with the columns Sendung, Zugesagt, Zugestellt and Land, separated by tabs; days are written as 31.12.2026. How many shipments of each Land were delivered (Zugestellt) on a later day than promised (Zugesagt)? Those without a day in Zugestellt do not count.',
      'an object from Land to number',
      ({ shipments }) =>
        byKey(
          countBy(
            shipments.filter(({ promised, delivered }) => delivered > promised),
            ({ country }) => country,
          ),
        ),
    ],
  },
};

const dayOf = (random, year) =>
  `${year}-${String(1 + random.int(12)).padStart(2, '0')}-${String(1 + random.int(28)).padStart(2, '0')}`;
const german = (day) => day.split('-').toReversed().join('.');
const amountOf = (cents) =>
  cents === undefined ? '' : (cents / 100).toLocaleString('de-DE', { minimumFractionDigits: 2 });
