import { byKey, countBy, distinct, round, sum, sumBy, top } from './answers.mjs';

const paths = [
  '/',
  '/login',
  '/cart',
  '/api/items',
  '/api/items/7',
  '/api/orders',
  '/img/logo.png',
  '/search',
  '/admin',
  '/health',
];
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64)',
  'curl/8.5.0',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
  'okhttp/4.12.0',
];

/** A web server's log in the combined format. */
export const access = {
  files: ['access.log'],
  make(random, scale) {
    const records = Array.from({ length: 60_000 * scale }, (_, at) => ({
      ip: `10.${random.int(4)}.${random.int(8)}.${random.int(30)}`,
      minute: Math.floor(at / (40 * scale)),
      method: random.skewed(['GET', 'GET', 'POST', 'PUT', 'DELETE']),
      path: random.skewed(paths),
      query: random.chance(0.2) ? `?q=${random.int(50)}` : '',
      status: random.skewed([200, 200, 200, 304, 404, 302, 500, 503]),
      bytes: random.chance(0.05) ? undefined : random.int(90_000),
      agent: random.skewed(agents),
    }));
    const stamp = (minute) => {
      const date = new Date(Date.UTC(2026, 3, 20) + minute * 60_000);
      return `20/Apr/2026:${date.toISOString().slice(11, 19)} +0000`;
    };
    const lines = records.map(
      ({ ip, minute, method, path, query, status, bytes, agent }) =>
        `${ip} - - [${stamp(minute % 1440)}] "${method} ${path}${query} HTTP/1.1" ${status} ${bytes ?? '-'} "-" "${agent}"`,
    );
    return { files: { 'access.log': `${lines.join('\n')}\n` }, model: records };
  },
  questions: {
    'access-status': [
      'How many requests of each status are in access.log?',
      'an object from status to count',
      (all) => byKey(countBy(all, ({ status }) => String(status))),
    ],
    'access-top-ips': [
      'Which five addresses made the most requests in access.log?',
      'an array of [address, count], the most first; of equals the address that sorts first as text',
      (all) =>
        top(
          countBy(all, ({ ip }) => ip),
          5,
        ),
    ],
    'access-bytes': [
      'How many bytes were sent in all according to access.log ("-" is none)?',
      'a number',
      (all) => sum(all.map(({ bytes }) => bytes ?? 0)),
    ],
    'access-errors': [
      'Which share of the requests in access.log ended with a status of 500 or more, in percent rounded to two digits?',
      'a number',
      (all) => round((100 * all.filter(({ status }) => status >= 500).length) / all.length),
    ],
    'access-slowest-path': [
      'Which path (without its query) got the most bytes in access.log?',
      'an array [path, bytes]',
      (all) =>
        top(
          sumBy(
            all,
            ({ path }) => path,
            ({ bytes }) => bytes ?? 0,
          ),
          1,
        )[0],
    ],
    'access-bots': [
      'How many different addresses used Googlebot in access.log?',
      'a number',
      (all) => distinct(all.filter(({ agent }) => agent.startsWith('Googlebot')).map(({ ip }) => ip)),
    ],
    'access-post-404': [
      'How many POST requests to paths below /api/ got 404 in access.log?',
      'a number',
      (all) =>
        all.filter(({ method, path, status }) => method === 'POST' && path.startsWith('/api/') && status === 404)
          .length,
    ],
    'access-minute': [
      'What is the highest number of requests within one minute of the clock in access.log?',
      'a number',
      (all) => Math.max(...countBy(all, ({ minute }) => minute % 1440).values()),
    ],
  },
};
