import { messageOf } from '@mustard-sandbox/protocol';
import { setFlagsAgain } from '../../v8-flags.ts';

/** What V8 does for a script in QuickJS: pure functions of values that JSON can say. */
type Native = (...args: never[]) => unknown;

// Scripts know no other time zone.
process.env['TZ'] = 'UTC';

/** A value as the prelude sends it for formatting: see `sent` in prelude/intl.js. */
type Sent =
  | { kind: 'bigint' | 'number' | 'date'; text: string }
  | { kind: 'undefined' }
  | { kind: 'list'; list: Sent[] }
  | { kind: 'value'; value: unknown };

function received(sent: Sent): unknown {
  switch (sent.kind) {
    case 'bigint':
      return BigInt(sent.text);
    case 'number':
      return Number(sent.text);
    case 'date':
      return new Date(Number(sent.text));
    case 'undefined':
      return undefined;
    case 'list':
      return sent.list.map(received);
    default:
      return sent.value;
  }
}

type Locales = string | string[] | null;
type Options = Record<string, unknown> | null;

/** Making a formatter takes fifty times as long as using it, and scripts format in loops. */
const formatters = new Map<string, Record<string, (...args: unknown[]) => unknown>>();
const mostFormatters = 50;

function formatterOf(
  name: string,
  locales: Locales,
  options: Options,
): Record<string, (...args: unknown[]) => unknown> {
  const key = JSON.stringify([name, locales, options]);
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    const Formatter = intlClass(name);
    formatter = new Formatter(locales ?? undefined, options ?? undefined) as typeof formatter & object;
    if (formatters.size === mostFormatters) formatters.clear();
    formatters.set(key, formatter);
  }
  return formatter;
}

function intlClass(name: string): new (locales?: unknown, options?: unknown) => unknown {
  const found = (Intl as unknown as Record<string, unknown>)[name];
  if (typeof found !== 'function') throw new TypeError(`Intl.${name} is not available`);
  return found as new () => unknown;
}

const binary = (text: string): Buffer => Buffer.from(text, 'latin1');
const urlParts = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
];
const partsOf = (url: URL): object => Object.fromEntries(urlParts.map((part) => [part, url[part as 'href']]));

const natives: Record<string, Native> = {
  intl: (name: string, locales: Locales, options: Options, method: string, args: Sent[]) => {
    const formatter = formatterOf(name, locales, options);
    if (method === 'segment') return segments(formatter as unknown as Intl.Segmenter, args[0] as unknown as Sent);
    return formatter[method]?.(...args.map(received)) ?? null;
  },
  supportedLocales: (name: string, locales: Locales) =>
    (intlClass(name) as unknown as typeof Intl.NumberFormat).supportedLocalesOf(locales ?? undefined),
  canonicalLocales: (locales: Locales) => Intl.getCanonicalLocales(locales ?? undefined),
  supportedValues: (key: 'calendar') => Intl.supportedValuesOf(key),
  localeMethod: (method: 'toLocaleString', sent: Sent, locales: Locales, options: Options) =>
    (received(sent) as Date)[method](locales ?? undefined, options ?? undefined),
  localeCase: (method: 'toLocaleUpperCase', text: string, locales: string) => text[method](locales),
  compare: (one: string, other: string, locales: Locales, options: Options) =>
    formatterOf('Collator', locales, options)['compare']?.(one, other),
  parseDate: (text: string) => Date.parse(text),
  encode: (text: string) => Buffer.from(text).toString('latin1'),
  encodingOf: (label: string) => new TextDecoder(label).encoding,
  decode: decodeBytes,
  parseParameters: (text: string) => [...new URLSearchParams(text)],
  writeParameters: (pairs: [string, string][]) => new URLSearchParams(pairs).toString(),
  parseUrl: (url: string, base: string | null) => partsOf(new URL(url, base ?? undefined)),
  canParseUrl: (url: string, base: string | null) => URL.canParse(url, base ?? undefined),
  changeUrl: (href: string, part: 'search', value: string) => {
    const url = new URL(href);
    url[part] = value;
    return partsOf(url);
  },
};

function segments(segmenter: Intl.Segmenter, sent: Sent): unknown {
  return [...segmenter.segment(String(received(sent)))].map(({ segment, index, isWordLike }) => ({
    segment,
    index,
    ...(isWordLike !== undefined && { isWordLike }),
  }));
}

/** The text of bytes; in a stream, `rest` may be the start of a character. */
function decodeBytes(
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
  bytes: string,
  stream: boolean,
): unknown {
  const decoder = new TextDecoder(label, options);
  if (!stream) return { text: decoder.decode(binary(bytes)), rest: '' };
  // What would change with more bytes waits for them: a character has at most four.
  for (let held = 0; held < 4 && held <= bytes.length; held++) {
    const part = bytes.slice(0, bytes.length - held);
    const whole = new TextDecoder(label, { ...options, fatal: false }).decode(binary(part));
    if (new TextDecoder(label, options).decode(binary(part), { stream: true }) === whole) {
      return { text: whole, rest: bytes.slice(bytes.length - held) };
    }
  }
  return { text: decoder.decode(binary(bytes)), rest: '' };
}

/** What V8 does with one long text. */
const textNatives: Record<string, (text: string, ...args: never[]) => unknown> = {
  match: (text, source: string, flags: string) => text.match(new RegExp(source, flags)),
  replace: (text, source: string, flags: string, replacement: string) =>
    text.replace(new RegExp(source, flags), replacement),
  split,
  matches: matchesFrom,
};

/** V8's engine of linear time, once it has taken over, also splits at an empty match at the end: that is not a part. */
function split(text: string, source: string, flags: string): (string | undefined)[] {
  const parts: (string | undefined)[] = text.split(new RegExp(source, flags));
  const atEnd = new RegExp(source, `${flags.replace(/[gy]/g, '')}y`);
  atEnd.lastIndex = text.length;
  if (parts.at(-1) !== '' || !atEnd.test(text)) return parts;
  parts.length = 0;
  let start = 0;
  for (const found of text.matchAll(new RegExp(source, `${flags.replace(/[gy]/g, '')}g`))) {
    if (found.index >= text.length) break;
    const end = found.index + found[0].length;
    if (end === start) continue;
    parts.push(text.slice(start, found.index));
    for (const group of found.slice(1)) parts.push(group);
    start = end;
  }
  parts.push(text.slice(start));
  return parts;
}

/** At most `most` matches from `start` on, and where to go on, if there may be more. */
function matchesFrom(text: string, source: string, flags: string, start: number, most: number): unknown {
  const pattern = new RegExp(source, flags);
  pattern.lastIndex = start;
  const matches: unknown[][] = [];
  let names: [string, number[]][] | null = null;
  for (let found; matches.length < most && (found = pattern.exec(text)) !== null;) {
    if (matches.length === 0 && found.groups !== undefined) names = namesOf(source);
    matches.push([found.index, ...found]);
    if (found[0] === '') pattern.lastIndex += text.codePointAt(found.index)! > 0xffff && pattern.unicode ? 2 : 1;
  }
  return { matches, names, next: matches.length < most ? null : pattern.lastIndex };
}

/** The numbers of each named group: alternatives may share a name. */
function namesOf(source: string): [string, number[]][] {
  const names = new Map<string, number[]>();
  let number = 0;
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') at++;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '(' && !inClass) {
      const name = /^\(\?<([^=!>][^>]*)>/.exec(source.slice(at, at + 300))?.[1];
      if (name === undefined && source[at + 1] === '?') continue;
      number++;
      if (name !== undefined) names.set(name, [...(names.get(name) ?? []), number]);
    }
  }
  return [...names];
}

/**
 * @param args a list as JSON
 * @param text for an operation on a long text
 * @returns JSON
 * @throws what V8 throws: an error of the script's
 */
export function runNative(name: string, args: string, text: string | undefined): string {
  if (text !== undefined) setFlagsAgain();
  const native = text === undefined ? natives[name] : textNatives[name];
  if (native === undefined) throw new TypeError(`There is no operation ${name}.`);
  const given = JSON.parse(args) as never[];
  const result = text === undefined ? native(...given) : (native as (...all: unknown[]) => unknown)(text, ...given);
  return JSON.stringify(result ?? null);
}

/** An error that V8 threw, as the prelude throws it again. */
export function nativeFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : 'Error';
  return JSON.stringify({ name, message: messageOf(error) });
}
