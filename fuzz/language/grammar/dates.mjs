import fc from 'fast-check';
import { calls, code, list, oneOf } from './code.mjs';

const getters = ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];
const table = [
  ...getters.flatMap((part) => [`date.get${part}() num`, `date.getUTC${part}() num`]),
  ...[
    'date.getTime() num',
    'date.valueOf() num',
    'date.getTimezoneOffset() num',
    'date.toISOString() str',
    'date.toJSON() any',
  ],
  ...['date.toString() str', 'date.toDateString() str', 'date.toTimeString() str', 'date.toUTCString() str'],
  ...[
    'date.toLocaleDateString(locale?) str',
    'date.toLocaleTimeString(locale?) str',
    'date.toLocaleString(locale?) str',
  ],
  ...['date.toLocaleDateString(locale, dateOptions) str', 'date.toLocaleTimeString(locale, timeOptions) str'],
  ...['Date.parse(dateText) num', 'Date.UTC(year, month?, day?, int?, int?, int?, int?) num', 'Date.parse(str) num'],
  ...['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'].map(
    (part) => `date.setUTC${part}(part) num`,
  ),
  ...['FullYear', 'Month', 'Date', 'Hours', 'Minutes'].map((part) => `date.set${part}(part, part?) num`),
].join('\n');

/** Dates as logs, mails, forms and tables have them; some are none. */
const written = fc
  .record({
    year: fc.constantFrom('2024', '1999', '2000', '1970', '0099', '24'),
    month: fc.constantFrom('01', '02', '12', '1', '13'),
    day: fc.constantFrom('01', '02', '29', '31', '5', '32'),
    time: fc.constantFrom(
      '03:04:05',
      '00:00',
      '23:59:59.999',
      '24:00:00',
      '3:4',
      '12:30:45.1',
      '12:30:45,678',
      '25:00',
    ),
    zone: fc.constantFrom('', 'Z', '+02:00', '-0530', ' GMT', ' UTC', ' +0000', ' EST', ' GMT+0100', '+00:00'),
    name: fc.constantFrom('Jan', 'Feb', 'December', 'mar', 'Sept'),
    form: fc.nat({ max: 9 }),
  })
  .map(({ year, month, day, time, zone, name, form }) =>
    [
      `${year}-${month}-${day}T${time}${zone}`,
      `${year}-${month}-${day} ${time}${zone}`,
      `${year}-${month}-${day}`,
      `${month}/${day}/${year} ${time}`,
      `${day} ${name} ${year} ${time}${zone}`,
      `Tue, ${day} ${name} ${year} ${time}${zone}`,
      `${day}/${name}/${year}:${time}${zone}`,
      `${name} ${day}, ${year}`,
      `${year}/${month}/${day} ${time}${zone}`,
      `${name} ${day} ${year} ${time}${zone}`,
    ].at(form),
  )
  .map((text) => `'${text}'`);

const whole = oneOf(
  '0',
  '86400000',
  '1700000000000',
  '(-1)',
  '951782400000',
  '8.64e15',
  '1e20',
  'NaN',
  '1.9',
  '1714521600123',
);

/** Dates. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function dates(g) {
  const kinds = {
    ...g,
    dateText: written,
    locale: oneOf("'en-US'", "'en-US'", 'undefined'),
    year: oneOf('2024', '1999', '0', '99', '1970', 'NaN', '275760'),
    month: oneOf('0', '1', '11', '12', '-1', '1.5'),
    day: oneOf('1', '29', '31', '0', '366', '-1'),
    part: oneOf('0', '1', '31', '-1', '2024', '59', '400', '1.5', 'NaN'),
    dateOptions: oneOf(
      '{}',
      "{ year: 'numeric', month: 'short', day: 'numeric' }",
      "{ weekday: 'long' }",
      "{ month: 'long', year: 'numeric' }",
      "{ timeZone: 'UTC' }",
    ),
    timeOptions: oneOf('{}', '{ hour12: false }', "{ hour: '2-digit', minute: '2-digit' }", "{ timeZone: 'UTC' }"),
  };
  const made = calls(table, kinds);
  made.date = [
    code`new Date(${written})`,
    code`new Date(${whole})`,
    code`new Date(${kinds.year}, ${kinds.month}, ${kinds.day})`,
    code`new Date(Date.UTC(${kinds.year}, ${kinds.month}, ${kinds.day}, ${g.int}))`,
    code`new Date(${list(fc.oneof(whole, kinds.month), { min: 2, max: 7 })})`,
    code`new Date(${g.date})`,
    code`new Date(+${g.date} + ${oneOf('86400000', '1', '3600e3 * 5')})`,
  ];
  made.any = [
    ...(made.any ?? []),
    code`[${g.date}, ${g.date}].sort((a, b) => a - b).map((d) => d.getTime())`,
    code`(${g.dateLike})`,
  ];
  return made;
}
