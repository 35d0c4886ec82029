import { distinct, round, sum } from '../answers.mjs';

const shares = [0, 0.02, 0.1, 0.35, 0.5];
const answers = Array.from({ length: 14 }, (_, at) => `q${at + 1}`);

/** A wide table that nobody has looked at yet: empty cells, ages in words, comments of several lines. */
export const survey = {
  files: ['survey.csv'],
  make(random, scale) {
    const emptyShares = answers.map(() => random.of(shares));
    const rows = Array.from({ length: 4000 * scale }, (_, at) => ({
      respondent: String(5000 + at),
      token: `${(at * 7919 + 13).toString(36)}-${random.int(9)}`,
      email: random.chance(0.01) ? '' : `p${at}@example.org`,
      age: ageOf(random),
      country: random.skewed(['SE', 'NO', 'DK', 'FI']),
      ...Object.fromEntries(
        answers.map((name, answer) => [name, random.chance(emptyShares[answer]) ? '' : String(1 + random.int(5))]),
      ),
      comment: random.skewed(['', 'fine', 'too long, really', 'first line\nsecond "line"']),
    }));
    const cell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(cell))];
    return { files: { 'survey.csv': lines.map((line) => `${line.join(',')}\n`).join('') }, model: rows };
  },
  questions: {
    'survey-empty': [
      'Which columns of survey.csv have more than 20 % empty cells?',
      'an array of the names of these columns, sorted as text',
      (rows) =>
        columnsOf(rows)
          .filter(([, values]) => values.filter((value) => value === '').length > 0.2 * rows.length)
          .map(([name]) => name)
          .toSorted(),
    ],
    'survey-keys': [
      'Which columns of survey.csv have a value in each row, and never the same value in two rows?',
      'an array of the names of these columns, sorted as text',
      (rows) =>
        columnsOf(rows)
          .filter(([, values]) => !values.includes('') && distinct(values) === rows.length)
          .map(([name]) => name)
          .toSorted(),
    ],
    'survey-save': [
      'The column age of survey.csv has numbers, but also texts such as "34 years" (which is 34), "n/a" and empty cells. Keep an NDJSON file adults.ndjson for me with respondent, age as a number, and country, of those who are 18 or older; leave out those without an age.',
      'an array [number of rows in that file, their average age rounded to two digits]',
      (rows) => {
        const ages = rows.map(({ age }) => parseInt(age, 10)).filter((age) => age >= 18);
        return [ages.length, round(sum(ages) / ages.length)];
      },
    ],
  },
};

function ageOf(random) {
  const age = 14 + random.int(70);
  return random.skewed([`${age}`, `${age}`, `${age}`, `${age} years`, 'n/a', '']);
}

const columnsOf = (rows) => Object.keys(rows[0]).map((name) => [name, rows.map((row) => row[name])]);
