import { byKey, round, sum, sumBy, top } from '../answers.mjs';

const countries = ['Arland', 'Borduria', 'Costaguana', 'Dinotopia', 'Elbonia', 'Freedonia'];
const people = ['ann', 'bo', 'cleo', 'dan', 'eva'];
const meetings = 'the entries of team.ics that are not cancelled (STATUS)';

/** A page with tables for the eye, and a calendar: cells that span rows, footnotes, folded lines, alarms. */
export const pages = {
  files: ['cities.html', 'team.ics'],
  make(random, scale) {
    const cities = countries.flatMap((country) =>
      Array.from({ length: 2 + Math.ceil((8 + random.int(12)) * scale) }, (_, at) => ({
        country,
        name: `${country.slice(0, 3)}ville ${at + 1}`,
        people: random.chance(0.1) ? undefined : 1000 + random.int(3_000_000),
        note: random.chance(0.15) ? random.int(9) + 1 : undefined,
      })),
    );
    const airports = Array.from({ length: 10 + Math.round(60 * scale) }, (_, at) => ({
      code: `A${String(at).padStart(2, '0')}`,
      city: random.of(cities),
      tenths: random.int(400),
    }));
    const events = Array.from({ length: 1500 * scale }, (_, at) => ({
      at,
      day: `2026${String(1 + random.int(12)).padStart(2, '0')}${String(1 + random.int(28)).padStart(2, '0')}`,
      minutes: random.chance(0.12) ? undefined : 15 * (1 + random.int(8)),
      hasDuration: random.chance(0.3),
      isCancelled: random.chance(0.1),
      category: random.skewed(['planning', 'review', 'customer']),
      attendees: people.filter(() => random.chance(0.4)),
    }));
    const files = { 'cities.html': pageOf(cities, airports), 'team.ics': calendarOf(random, events) };
    return { files, model: { cities, airports, events } };
  },
  questions: {
    'html-population': [
      'cities.html has a table with the caption "Cities", with Country, City and Population. The cell of a country spans the rows of its cities. What is the population of each country, as the sum over its cities? Footnotes such as [2] are no part of a number, and "–" counts as 0.',
      'an object from country to number',
      ({ cities }) =>
        byKey(
          sumBy(
            cities,
            ({ country }) => country,
            (city) => city.people ?? 0,
          ),
        ),
    ],
    'html-airports': [
      'cities.html has a table with the caption "Cities" (Country, City, Population; the cell of a country spans the rows of its cities) and one with the caption "Airports" (Code, City, Passengers in millions). How many million passengers does each country have? Leave out countries without an airport.',
      'an object from country to millions, rounded to one digit',
      ({ airports }) =>
        byKey(
          [
            ...sumBy(
              airports,
              ({ city }) => city.country,
              ({ tenths }) => tenths,
            ),
          ].map(([country, tenths]) => [country, tenths / 10]),
        ),
    ],
    'ics-hours': [
      `How many hours do ${meetings} take in all, by category (CATEGORIES)? Take each entry once. Some entries have DTEND, others DURATION such as PT1H15M; those of whole days (DTSTART is a date) do not count.`,
      'an object from category to hours, rounded to two digits',
      ({ events }) =>
        byKey(
          [
            ...sumBy(
              held(events).filter(({ minutes }) => minutes !== undefined),
              ({ category }) => category,
              ({ minutes }) => minutes,
            ),
          ].map(([category, minutes]) => [category, round(minutes / 60)]),
        ),
    ],
    'ics-attendees': [
      `Who attends (ATTENDEE) most of ${meetings}, those of whole days too?`,
      'an array [address, number of entries], the address in lower case without "mailto:"; of equals the address that sorts first',
      ({ events }) =>
        top(
          new Map(
            people.map((who) => [
              `${who}@example.org`,
              sum(held(events).map(({ attendees }) => Number(attendees.includes(who)))),
            ]),
          ),
          1,
        )[0],
    ],
  },
};

const held = (events) => events.filter(({ isCancelled }) => !isCancelled);

function pageOf(cities, airports) {
  const rows = cities.map(({ country, name, people: count, note }, at) => {
    const isFirst = cities[at - 1]?.country !== country;
    const rowspan = cities.filter((city) => city.country === country).length;
    const number = count === undefined ? '–' : count.toLocaleString('en-US');
    return `<tr>${isFirst ? `<td rowspan="${rowspan}">${country}</td>` : ''}<td><a href="/c/${at}">${name}</a></td><td class="n">${number}${note === undefined ? '' : `<sup>[${note}]</sup>`}</td></tr>`;
  });
  const listed = airports.map(
    ({ code, city, tenths }) => `<tr><td>${code}<td>${city.name}<td>${(tenths / 10).toFixed(1)}`,
  );
  return `<!doctype html><html><head><title>Cities</title><style>td { color: red }</style></head><body>
<table><tr><td><a href="/">Home</a></td><td>Cities &amp; airports</td></tr></table>
<table><caption>Cities</caption><thead><tr><th>Country</th><th>City</th><th>Population</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table><p>Numbers are of 2025.</p>
<table><caption>Airports</caption><tr><th>Code<th>City<th>Passengers
${listed.join('\n')}
</table></body></html>\n`;
}

/** A line of a calendar has at most 75 bytes, and goes on in the next one after a blank. */
const folded = (line) => line.replace(/(.{70})(?=.)/g, '$1\r\n ');

function calendarOf(random, events) {
  const lines = events.flatMap((event) => [
    'BEGIN:VEVENT',
    `UID:${event.at}@example.org`,
    `SUMMARY:Talk about the plan\\, part ${event.at}\\; with the others who are there and those who are not`,
    ...timesOf(random, event),
    `CATEGORIES:${event.category}`,
    ...event.attendees.map(
      (who) =>
        `ATTENDEE;CN="${who}, of the team";ROLE=REQ-PARTICIPANT:${random.of(['mailto', 'MAILTO'])}:${who}@example.org`,
    ),
    ...(event.isCancelled ? ['STATUS:CANCELLED'] : random.of([['STATUS:CONFIRMED'], []])),
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-PT15M',
    'DURATION:PT5M',
    'END:VALARM',
    'END:VEVENT',
  ]);
  const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//team//EN', ...lines, 'END:VCALENDAR', ''];
  return all.map(folded).join('\r\n');
}

function timesOf(random, { day, minutes, hasDuration }) {
  if (minutes === undefined) return [`DTSTART;VALUE=DATE:${day}`];
  const start = 60 * (8 + random.int(10));
  const clock = (at) => `${day}T${String(Math.floor(at / 60)).padStart(2, '0')}${String(at % 60).padStart(2, '0')}00`;
  const zone = random.of([';TZID=Europe/Berlin', ';TZID=Europe/Berlin', '']);
  const end = zone === '' ? 'Z' : '';
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [
    `DTSTART${zone}:${clock(start)}${end}`,
    hasDuration
      ? `DURATION:PT${hours > 0 ? `${hours}H` : ''}${rest > 0 ? `${rest}M` : ''}`
      : `DTEND${zone}:${clock(start + minutes)}${end}`,
  ];
}
