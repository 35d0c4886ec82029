import { byKey, countBy, distinct, rank, top } from './answers.mjs';

const services = ['auth', 'billing', 'catalog', 'gateway', 'search', 'worker'];
const codes = ['E_TIMEOUT', 'E_DB_LOCK', 'E_UPSTREAM', 'E_AUTH', 'E_PARSE', 'E_DISK', 'E_QUOTA', 'E_DNS'];

/** A service's log: one record a line, and beneath some errors the lines of a stack trace. */
export const log = {
  files: ['app.log'],
  make(random, scale) {
    const records = [];
    let time = Date.UTC(2026, 2, 1);
    for (let at = 0; at < 120_000 * scale; at++) {
      time += random.int(1400) + (random.chance(0.0005) ? 60_000 + random.int(600_000) : 0);
      const level = random.skewed(['INFO', 'INFO', 'INFO', 'DEBUG', 'WARN', 'ERROR']);
      const code = level === 'ERROR' ? random.skewed(codes) : undefined;
      const frames = code !== undefined && random.chance(0.1) ? 1 + random.int(4) : 0;
      const service = random.skewed(services);
      const [user, ms] = [random.int(900), random.int(50 + 3 * services.indexOf(service)) ** 2];
      records.push({ time, level, code, frames, service, user, ms });
    }
    const lines = records.flatMap(({ time: at, level, code, frames, service, user, ms }) => [
      `${new Date(at).toISOString()} ${level.padEnd(5)} [${service}] ${code ? `${code}: request failed` : 'request done'} user=u${user} took=${ms}ms`,
      ...Array.from(
        { length: frames },
        (_, frame) => `    at ${service}.handler${frame} (${service}/main.js:${10 + frame})`,
      ),
    ]);
    return { files: { 'app.log': `${lines.join('\n')}\n` }, model: { records, lines: lines.length } };
  },
  questions: {
    'log-lines': ['How many lines does app.log have?', 'a number', ({ lines }) => lines],
    'log-levels': [
      'How many records of each level (DEBUG, ERROR, INFO, WARN) are in app.log?',
      'an object from level to count',
      ({ records }) => byKey(countBy(records, ({ level }) => level)),
    ],
    'log-top-codes': [
      'What are the three most common error codes (such as E_DISK) in app.log?',
      'an array of [code, count], the most common first',
      ({ records }) =>
        top(
          countBy(
            records.filter(({ code }) => code),
            ({ code }) => code,
          ),
          3,
        ),
    ],
    'log-p95': [
      'What is the 95th percentile of took (in ms) of each service in app.log, by nearest rank: sort the n values and take number ceil(0.95 * n), counting from 1?',
      'an object from service to number',
      ({ records }) =>
        Object.fromEntries(
          services.map((service) => [
            service,
            rank(
              records.filter((record) => record.service === service).map(({ ms }) => ms),
              0.95,
            ),
          ]),
        ),
    ],
    'log-gap': [
      'What is the longest pause between one record and the next in app.log, in milliseconds?',
      'a number',
      ({ records }) => Math.max(...records.slice(1).map(({ time }, at) => time - records[at].time)),
    ],
    'log-users': [
      'How many different users have an ERROR in app.log?',
      'a number',
      ({ records }) => distinct(records.filter(({ level }) => level === 'ERROR').map(({ user }) => user)),
    ],
    'log-hours': [
      'On which hour (as 2026-03-01T05) does app.log have the most ERROR records?',
      'an array [hour, count]; of equals the earliest hour',
      ({ records }) =>
        top(
          countBy(
            records.filter(({ level }) => level === 'ERROR'),
            ({ time }) => new Date(time).toISOString().slice(0, 13),
          ),
          1,
        )[0],
    ],
    'log-traces': [
      'How many errors in app.log have a stack trace (lines that begin with four spaces and "at") right below them?',
      'a number',
      ({ records }) => records.filter(({ frames }) => frames > 0).length,
    ],
    'log-first': [
      'What is the timestamp of the first and of the last E_AUTH in app.log?',
      'an array [first, last] of timestamps as they stand there',
      ({ records }) =>
        ['at', 'findLast'].map((_, which) =>
          new Date(
            (which === 0
              ? records.find(({ code }) => code === 'E_AUTH')
              : records.findLast(({ code }) => code === 'E_AUTH')
            ).time,
          ).toISOString(),
        ),
    ],
  },
};
