// `Intl` and the methods that follow a locale: V8 does them, so that they give what V8 gives.
import { apply, askV8, defineProperty } from './host.js';

/** The methods of each class that format or compare, by how many arguments they take. */
const classes = {
  NumberFormat: { format: 1, formatToParts: 1, formatRange: 2 },
  DateTimeFormat: { format: 1, formatToParts: 1, formatRange: 2 },
  Collator: { compare: 2 },
  PluralRules: { select: 1, selectRange: 2 },
  RelativeTimeFormat: { format: 2, formatToParts: 2 },
  ListFormat: { format: 1, formatToParts: 1 },
  DisplayNames: { of: 1 },
  Segmenter: {},
};

/** Methods that work without their object: `list.map(format.format)`. */
const bound = new Set(['format', 'compare']);

/** Numbers and dates go as texts with a kind: JSON has no BigInt, NaN or date. */
function sent(value) {
  if (typeof value === 'bigint') return { kind: 'bigint', text: String(value) };
  if (typeof value === 'number') return { kind: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
  if (value instanceof Date) return { kind: 'date', text: String(value.getTime()) };
  if (value === undefined) return { kind: 'undefined' };
  if (typeof value === 'object' && value !== null) {
    if (typeof value[Symbol.iterator] === 'function') return { kind: 'list', list: [...value].map(sent) };
    const primitive = value.valueOf();
    return typeof primitive === 'object' ? { kind: 'value', value: String(value) } : sent(primitive);
  }
  return { kind: 'value', value };
}

/** Only the options' own JSON crosses. */
const optionsOf = (options) => (options === undefined ? null : { ...given(options) });

/** Whatever has a length and elements is a list of locales, also a typed array, which JSON would make an object of. */
function localesOf(locales) {
  if (locales === undefined) return null;
  return typeof given(locales) === 'object' ? apply(filter, locales, [() => true]) : locales;
}

function given(value) {
  if (value === null) throw new TypeError('Cannot convert undefined or null to object');
  return value;
}

function makeClass(name, methods) {
  const made = function (locales, options) {
    const self = new.target === undefined ? Object.create(made.prototype) : this;
    const [locale, settings] = [localesOf(locales), optionsOf(options)];
    const call = (method, args) => askV8('intl', name, locale, settings, method, args.map(sent));
    // A locale or an option that is wrong fails here, as in V8.
    const resolved = call('resolvedOptions', []);
    hidden(self, 'resolvedOptions', () => ({ ...resolved }));
    for (const [method, count] of Object.entries(methods)) {
      const run = (...args) =>
        call(
          method,
          Array.from({ length: count }, (_, index) => args[index]),
        );
      if (bound.has(method) || name !== 'Segmenter') hidden(self, method, run);
    }
    if (name === 'Segmenter') hidden(self, 'segment', (text) => call('segment', [String(text)]));
    return self;
  };
  defineProperty(made, 'name', { value: name, configurable: true });
  defineProperty(made.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
  defineProperty(made, 'supportedLocalesOf', {
    value: (locales) => askV8('supportedLocales', name, localesOf(locales)),
    configurable: true,
  });
  return made;
}

/** What V8 counts as its arguments: not the locales. */
const counting = (method, length) => defineProperty(method, 'length', { value: length, configurable: true });

const hidden = (object, name, value) => defineProperty(object, name, { value, configurable: true, writable: true });

/** Replaces a method by V8's. */
function byLocale(prototype, name) {
  const method = {
    [name](locales, options) {
      return askV8('localeMethod', name, sent(this), localesOf(locales), optionsOf(options));
    },
  }[name];
  hidden(prototype, name, counting(method, 0));
}

/** Where V8's default order is that of the code units. */
const plain = /^[a-z0-9]*$/;

export function installIntl() {
  const Intl = {};
  for (const [name, methods] of Object.entries(classes)) hidden(Intl, name, makeClass(name, methods));
  hidden(Intl, 'getCanonicalLocales', (locales) => askV8('canonicalLocales', localesOf(locales)));
  hidden(Intl, 'supportedValuesOf', (key) => askV8('supportedValues', key));
  defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
  hidden(globalThis, 'Intl', Intl);

  byLocale(Number.prototype, 'toLocaleString');
  byLocale(BigInt.prototype, 'toLocaleString');
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) byLocale(Date.prototype, name);

  const { localeCompare } = {
    localeCompare(that, locales, options) {
      if (this === undefined || this === null)
        throw new TypeError('String.prototype.localeCompare called on null or undefined');
      const [one, other] = [String(this), String(that)];
      if (one === other && options === undefined && locales === undefined) return 0;
      if (locales === undefined && options === undefined && apply(test, plain, [one]) && apply(test, plain, [other])) {
        return one < other ? -1 : 1;
      }
      return askV8('compare', one, other, localesOf(locales), optionsOf(options));
    },
  };
  hidden(String.prototype, 'localeCompare', counting(localeCompare, 1));
  for (const name of ['toLocaleUpperCase', 'toLocaleLowerCase']) {
    const own = String.prototype[name];
    const method = {
      [name](locales) {
        if (locales === undefined) return apply(own, this, []);
        return askV8('localeCase', name, String(this), localesOf(locales));
      },
    }[name];
    hidden(String.prototype, name, counting(method, 0));
  }
}
const { test } = RegExp.prototype;
const { filter } = Array.prototype;
