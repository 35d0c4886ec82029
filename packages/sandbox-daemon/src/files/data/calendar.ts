import type { SandboxValue } from '@mustard-sandbox/protocol';

/** The parts of a line such as `DTSTART;TZID=Europe/Berlin:20240301T100000`. */
interface Property {
  name: string;
  parameters: Record<string, string>;
  value: string;
}

type Entry = Record<string, SandboxValue>;

const maxDepth = 10;
/** The properties with times, which iCalendar writes without separators. */
const times = new Set(['dtstart', 'dtend', 'due', 'dtstamp', 'created', 'last-modified', 'completed', 'recurrence-id']);
/** The properties with texts, in which marks and line ends are escaped. */
const texts = new Set(['summary', 'description', 'location', 'comment', 'contact', 'categories', 'resources']);

/**
 * The entries of an iCalendar file. Each has its kind, such as `event`, and its properties by name in lower case. A property
 * that occurs several times is a list. Times are ISO 8601, and in UTC only if the file says so. `tzid` is the time zone of
 * the start.
 *
 * @throws {Error} for a file that is cut off or is not a calendar
 */
export function calendarEntries(text: string): SandboxValue {
  const entries: Entry[] = [];
  const open: { name: string; entry: Entry }[] = [];
  let isCalendar = false;
  for (const line of unfolded(text)) {
    const property = propertyIn(line);
    const value = property.value.trim().toUpperCase();
    if (property.name === 'begin') {
      if (open.length >= maxDepth) throw new Error('its parts nest too deep');
      isCalendar ||= value === 'VCALENDAR';
      open.push({ name: value, entry: newEntry(value) });
    } else if (property.name === 'end') {
      const ended = open.pop();
      if (ended?.name !== value) throw new Error(`END:${value.slice(0, 40)} ends nothing`);
      // Alarms and the rules of time zones are not entries of their own.
      if (open.at(-1)?.name === 'VCALENDAR' && value !== 'VTIMEZONE') entries.push(ended.entry);
    } else if (open.length === 0) throw new Error('a property stands outside of a calendar');
    else add((open.at(-1) as { entry: Entry }).entry, property);
  }
  if (open.length > 0) throw new Error(`it is cut off within ${open.at(-1)?.name.slice(0, 40)}`);
  if (!isCalendar) throw new Error('it has no VCALENDAR');
  return entries;
}

function newEntry(name: string): Entry {
  const entry = Object.create(null) as Entry;
  entry['kind'] = name.replace(/^V/, '').toLowerCase();
  return entry;
}

/** Joins lines: one that begins with a space continues the line before. */
function* unfolded(text: string): Generator<string, void> {
  let line = '';
  for (const next of text.split(/\r?\n/)) {
    if (/^[ \t]/.test(next)) line += next.slice(1);
    else {
      if (line !== '') yield line;
      line = next;
    }
  }
  if (line.trim() !== '') yield line;
}

/** This is parsed by hand, because a parameter in quotation marks may contain every separator. */
function propertyIn(line: string): Property {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    if (isQuoted || (line[at] !== ';' && line[at] !== ':')) continue;
    parts.push(line.slice(start, at));
    start = at + 1;
    if (line[at] !== ':') continue;
    const [name = '', ...given] = parts;
    return { name: name.toLowerCase(), parameters: parametersIn(given), value: line.slice(start) };
  }
  throw new Error(`this line is no property: ${line.slice(0, 60)}`);
}

function parametersIn(given: readonly string[]): Record<string, string> {
  const parameters = Object.create(null) as Record<string, string>;
  for (const parameter of given) {
    const equals = parameter.indexOf('=');
    parameters[parameter.slice(0, equals).toLowerCase()] = parameter.slice(equals + 1).replaceAll('"', '');
  }
  return parameters;
}

function add(entry: Entry, { name, parameters, value }: Property): void {
  const read = times.has(name) ? timeOf(value) : texts.has(name) ? textOf(value) : value;
  const zone = parameters['tzid'];
  if (name === 'dtstart' && zone !== undefined) entry['tzid'] = zone;
  const before = entry[name];
  if (before === undefined) entry[name] = read;
  else if (Array.isArray(before)) before.push(read);
  else entry[name] = [before, read];
}

/** `20240301T100000Z` as `2024-03-01T10:00:00Z`. A local time has no `Z`. */
function timeOf(value: string): string {
  return value.replace(
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/,
    (_, year: string, month: string, day: string, hour?: string, minute?: string, second?: string, zone = '') =>
      `${year}-${month}-${day}${hour === undefined ? '' : `T${hour}:${minute}:${second}${zone}`}`,
  );
}

function textOf(value: string): string {
  return value.replaceAll(/\\([\\;,nN])/g, (_, mark: string) => (/n/i.test(mark) ? '\n' : mark));
}
