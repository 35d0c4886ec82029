import { byKey, countBy, distinct, rank, sum, sumBy, top } from './answers.mjs';

const types = ['view', 'click', 'purchase', 'signup', 'error'];

/** Events as NDJSON; about one line in a hundred is cut off or garbled. */
export const events = {
  files: ['events.ndjson'],
  make(random, scale) {
    const records = [];
    const lines = [];
    for (let at = 0; at < 50_000 * scale; at++) {
      const event = {
        id: at,
        type: random.skewed(types),
        user: { id: random.int(700), country: random.skewed(['DE', 'US', 'FR', 'JP']) },
        value: random.chance(0.3) ? null : random.int(10_000) / 100,
        tags: Array.from({ length: random.int(4) }, () => random.of(['a', 'b', 'new', 'vip'])),
      };
      const text = JSON.stringify(event);
      const isBroken = random.chance(0.01);
      lines.push(
        isBroken ? (random.chance(0.5) ? text.slice(0, 5 + random.int(text.length - 10)) : `# ${text}`) : text,
      );
      if (!isBroken) records.push(event);
    }
    return {
      files: { 'events.ndjson': `${lines.join('\n')}\n` },
      model: { records, broken: lines.length - records.length },
    };
  },
  questions: {
    'events-broken': ['How many lines of events.ndjson are not valid JSON?', 'a number', ({ broken }) => broken],
    'events-types': [
      'How many valid events of each type are in events.ndjson?',
      'an object from type to count',
      ({ records }) => byKey(countBy(records, ({ type }) => type)),
    ],
    'events-countries': [
      'How many different users (by user.id) of each user.country have a purchase in events.ndjson? Lines that are not valid JSON do not count.',
      'an object from country to number',
      ({ records }) =>
        Object.fromEntries(
          ['DE', 'FR', 'JP', 'US'].map((country) => [
            country,
            distinct(
              records
                .filter(({ type, user }) => type === 'purchase' && user.country === country)
                .map(({ user }) => user.id),
            ),
          ]),
        ),
    ],
    'events-vip': [
      'How many valid events in events.ndjson have the tag "vip" at least twice?',
      'a number',
      ({ records }) => records.filter(({ tags }) => tags.filter((tag) => tag === 'vip').length >= 2).length,
    ],
    'events-median': [
      'What is the median of value over the valid events of type click in events.ndjson, null left out, by nearest rank: sort the n values and take number ceil(0.5 * n), counting from 1?',
      'a number',
      ({ records }) =>
        rank(
          records.filter(({ type, value }) => type === 'click' && value !== null).map(({ value }) => value),
          0.5,
        ),
    ],
    'events-top-users': [
      'Which three users (user.id) have the highest sum of value over the valid events in events.ndjson, null as 0?',
      'an array of ids, the highest first',
      ({ records }) =>
        top(
          sumBy(
            records,
            ({ user }) => user.id,
            ({ value }) => Math.round((value ?? 0) * 100),
          ),
          3,
        ).map(([id]) => id),
    ],
    'events-null': [
      'How many valid events in events.ndjson have null as value, and how many tags do those have in all?',
      'an array [events, tags]',
      ({ records }) => {
        const some = records.filter(({ value }) => value === null);
        return [some.length, sum(some.map(({ tags }) => tags.length))];
      },
    ],
  },
};
