import { gzipSync } from 'node:zlib';
import { byKey, countBy, round, sumBy, top } from '../answers.mjs';
import { tarOf } from './tar.mjs';
import { zipOf } from './xlsx.mjs';

const codes = ['E_DISK', 'E_AUTH', 'E_TIMEOUT', 'E_PARSE'];
const hosts = ['web-1', 'web-2', 'web-3'];
const stampOf = (at) => new Date(Date.UTC(2026, 8, 1) + at * 37_000).toISOString();

/** A ZIP of a server and a packed tar of logs, which scripts look into without unpacking them. */
export const archives = {
  files: ['backup.zip', 'logs.tar.gz'],
  make(random, scale) {
    const model = recordsOf(random, scale);
    const files = { 'backup.zip': zipOf(backedUp(model)), 'logs.tar.gz': gzipSync(tarOf(logsOf(model))) };
    return { files, model };
  },
  questions: {
    'zip-errors': [
      'backup.zip has the file app/server.log (and an older one, app/old/server.log, which does not count). How many of its ERROR lines have each code, such as E_DISK?',
      'an object from code to number',
      ({ server }) =>
        byKey(
          countBy(
            server.filter(({ level }) => level === 'ERROR'),
            ({ code }) => code,
          ),
        ),
    ],
    'zip-plans': [
      'backup.zip has data/users.csv (id, name, plan) and data/payments.ndjson (user: the id, cents). What did the users of each plan pay in all? Lines of payments.ndjson that are not valid JSON do not count. A user without a plan, or who is not in users.csv, has the plan "none".',
      'an object from plan to cents',
      ({ users, payments }) =>
        byKey(
          sumBy(
            payments.filter(({ isBroken }) => !isBroken),
            ({ user }) => users[user]?.plan || 'none',
            ({ cents }) => cents,
          ),
        ),
    ],
    'tar-hosts': [
      'logs.tar.gz has the log of each web server, web-1/error.log, web-2/error.log and so on, with lines such as "[2026-09-01T00:00:00.000Z] [error] pid 7: text". Which share of the lines of each server is of the level error or crit?',
      'an object from server (as web-1) to percent, rounded to two digits',
      ({ web }) =>
        Object.fromEntries(
          web.map(({ host, levels }) => [
            host,
            round((100 * levels.filter((level) => level === 'error' || level === 'crit').length) / levels.length),
          ]),
        ),
    ],
    'tar-slow': [
      'db/slow.log in logs.tar.gz has two lines for each slow query: "# Query_time: 1.234" in seconds, and then the query, "SELECT * FROM orders WHERE …". Which table took the most time in all?',
      'an array [table, seconds], the seconds rounded to three digits',
      ({ slow }) => {
        const [[table, ms]] = top(
          sumBy(
            slow,
            (query) => query.table,
            (query) => query.ms,
          ),
          1,
        );
        return [table, round(ms / 1000, 3)];
      },
    ],
  },
};

function recordsOf(random, scale) {
  const users = Array.from({ length: 400 * scale }, (_, id) => ({
    id,
    name: random.of(['Ada, L.', 'Bo "B" Berg', 'Cleo', 'Dan']),
    plan: random.of(['free', 'free', 'team', 'pro', '']),
  }));
  return {
    users,
    server: Array.from({ length: 20_000 * scale }, () => logged(random)),
    old: Array.from({ length: 2000 * scale }, () => logged(random)),
    payments: Array.from({ length: 8000 * scale }, () => ({
      user: random.int(users.length + 5),
      cents: 100 + random.int(20_000),
      isBroken: random.chance(0.02),
    })),
    slow: Array.from({ length: 3000 * scale }, () => ({
      table: random.skewed(['orders', 'users', 'audit', 'carts']),
      ms: 200 + random.int(9000),
    })),
    web: hosts.map((host, at) => ({
      host,
      levels: Array.from({ length: (3000 + 500 * at) * scale }, () =>
        random.skewed(['notice', 'warn', 'error', 'crit']),
      ),
    })),
  };
}

const logged = (random) => ({
  level: random.skewed(['INFO', 'INFO', 'WARN', 'ERROR']),
  code: random.skewed(codes),
  user: random.int(90),
});

const logOf = (records) =>
  records
    .map(({ level, code, user }, at) => {
      const what = level === 'INFO' ? `served user ${user}` : `${code}: could not serve user ${user}`;
      return `${stampOf(at)} ${level} ${what}\n`;
    })
    .join('');

const quoted = (text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function backedUp({ server, old, users, payments }) {
  const lines = payments.map(({ user, cents, isBroken }) => {
    const line = JSON.stringify({ user, cents });
    return isBroken ? line.slice(0, -3) : line;
  });
  return {
    'README.txt': 'Backup of 1 September 2026.\n',
    'app/server.log': logOf(server),
    'app/old/server.log': logOf(old),
    'data/users.csv': `id,name,plan\n${users.map(({ id, name, plan }) => `${id},${quoted(name)},${plan}\n`).join('')}`,
    'data/payments.ndjson': `${lines.join('\n')}\n`,
  };
}

function logsOf({ web, slow }) {
  const files = web.map(({ host, levels }) => [
    `${host}/error.log`,
    levels.map((level, at) => `[${stampOf(at)}] [${level}] pid ${at % 9}: no error here, or is there\n`).join(''),
  ]);
  const queries = slow.map(
    ({ table, ms }, at) =>
      `# Query_time: ${(ms / 1000).toFixed(3)}\nSELECT * FROM ${table} WHERE id > ${at} ORDER BY id;\n`,
  );
  return Object.fromEntries([...files, ['db/slow.log', queries.join('')]]);
}
