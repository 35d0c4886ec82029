import { byKey, countBy, round, sum, sumBy, top } from './answers.mjs';

const names = ["O'Neil", 'Smith', 'Müller; Sons', 'de la Cruz (old)', 'Kim, Lee'];

/** A dump of two tables: inserts of many rows each, with quotes, semicolons and parentheses in strings. */
export const dump = {
  files: ['dump.sql'],
  make(random, scale) {
    const accounts = Array.from({ length: 400 }, (_, at) => ({
      id: at + 1,
      name: `${random.of(names)} ${at}`,
      plan: random.skewed(['free', 'pro', 'team']),
      deleted: random.chance(0.1),
    }));
    const payments = Array.from({ length: 20_000 * scale }, (_, at) => ({
      id: at + 1,
      account: 1 + random.int(400),
      cents: random.int(9000),
      note: random.chance(0.2) ? `it's (${at}), ok;` : null,
    }));
    const value = (one) =>
      one === null ? 'NULL' : typeof one === 'string' ? `'${one.replaceAll("'", "''")}'` : String(one);
    const insert = (table, rows) => {
      const parts = [];
      for (let at = 0; at < rows.length; at += 50)
        parts.push(
          `INSERT INTO ${table} VALUES ${rows
            .slice(at, at + 50)
            .map((row) => `(${row.map(value).join(',')})`)
            .join(',')};`,
        );
      return parts.join('\n');
    };
    const text = [
      '-- dump of shop',
      'CREATE TABLE accounts (id INTEGER, name TEXT, plan TEXT, deleted INTEGER);',
      insert(
        'accounts',
        accounts.map(({ id, name, plan, deleted }) => [id, name, plan, deleted ? 1 : 0]),
      ),
      'CREATE TABLE payments (id INTEGER, account_id INTEGER, cents INTEGER, note TEXT);',
      insert(
        'payments',
        payments.map(({ id, account, cents, note }) => [id, account, cents, note]),
      ),
      '',
    ].join('\n');
    return { files: { 'dump.sql': text }, model: { accounts, payments } };
  },
  questions: {
    'dump-rows': [
      'How many rows are inserted into each of the two tables in dump.sql?',
      'an object from table to count',
      ({ accounts, payments }) => ({ accounts: accounts.length, payments: payments.length }),
    ],
    'dump-plans': [
      'How many accounts in dump.sql that are not deleted have each plan?',
      'an object from plan to count',
      ({ accounts }) =>
        byKey(
          countBy(
            accounts.filter(({ deleted }) => !deleted),
            ({ plan }) => plan,
          ),
        ),
    ],
    'dump-total': [
      'What is the sum of cents over all payments in dump.sql?',
      'a number',
      ({ payments }) => sum(payments.map(({ cents }) => cents)),
    ],
    'dump-notes': [
      'How many payments in dump.sql have a note that is not NULL?',
      'a number',
      ({ payments }) => payments.filter(({ note }) => note !== null).length,
    ],
    'dump-by-plan': [
      'What is the sum of cents of the payments by the plan of their account (account_id is id of accounts) in dump.sql, deleted accounts included?',
      'an object from plan to sum',
      ({ accounts, payments }) =>
        byKey(
          sumBy(
            payments,
            ({ account }) => accounts[account - 1].plan,
            ({ cents }) => cents,
          ),
        ),
    ],
    'dump-top': [
      'Which account has the highest sum of cents in the payments of dump.sql?',
      'an array [name of the account, sum]',
      ({ accounts, payments }) => {
        const [[id, most]] = top(
          sumBy(
            payments,
            ({ account }) => account,
            ({ cents }) => cents,
          ),
          1,
        );
        return [accounts[id - 1].name, most];
      },
    ],
    'dump-average': [
      'What is the average of cents of a payment in dump.sql, rounded to two digits?',
      'a number',
      ({ payments }) => round(sum(payments.map(({ cents }) => cents)) / payments.length),
    ],
  },
};
