import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import { jsonParse } from './json.ts';

/** A global function that the engine gets wrong, with one that does it right; assigned before the script begins. */
interface Replacement extends Helper {
  /** Whether the script may come to it. */
  isNeeded(facts: Facts): boolean;
}

const variable =
  (name: string) =>
  ({ references }: Facts): boolean =>
    references.has(name) || references.has('globalThis');

const member =
  (object: string, name: string) =>
  ({ references, members, hasComputedMembers }: Facts): boolean =>
    references.has('globalThis') || (references.has(object) && (members.has(name) || hasComputedMembers));

/** These take texts, which the engine makes of objects in a way of its own. */
const ofText = (name: string): Replacement => ({
  name,
  isNeeded: (facts) => (facts.hasOwnCoercion || facts.hasNamedObjects) && variable(name)(facts),
  code: `const __ms_native_${name} = ${name};
globalThis.${name} = function ${name}(value) { return __ms_native_${name}(__ms_string(value)); };`,
});

/**
 * | script                   | engine | V8    |
 * | ------------------------ | ------ | ----- |
 * | `isNaN('x')`             | false  | true  |
 * | `isFinite('12')`         | false  | true  |
 * | `Math.round(-2.5)`       | -3     | -2    |
 * | `Math.max(undefined, 1)` | 1      | NaN   |
 * | `Math.pow(1, NaN)`       | 1      | NaN   |
 * | `parseFloat('5e')`       | NaN    | 5     |
 * | `parseInt('0x1f', 16)`   | 0      | 31    |
 */
export const globals: Replacement[] = [
  {
    name: 'isNaN',
    isNeeded: variable('isNaN'),
    code: `globalThis.isNaN = function isNaN(value) { return Number.isNaN(Number(typeof value === 'object' ? __ms_toNumber(value) : value)); };`,
  },
  {
    name: 'isFinite',
    isNeeded: variable('isFinite'),
    code: `globalThis.isFinite = function isFinite(value) { return Number.isFinite(Number(typeof value === 'object' ? __ms_toNumber(value) : value)); };`,
  },
  {
    name: 'Math.round',
    isNeeded: member('Math', 'round'),
    code: `const __ms_floor = Math.floor;
Math.round = function round(value) {
  const number = typeof value === 'number' ? value : Number(value);
  const below = __ms_floor(number);
  if (below === number) return number;
  if (number - below < 0.5) return below;
  return below === -1 ? -0 : below + 1;
};`,
  },
  {
    name: 'Math.min',
    isNeeded: member('Math', 'min'),
    code: `Math.min = function min(...values) {
  let found = Infinity;
  for (const value of values) {
    const number = typeof value === 'number' ? value : __ms_operandNumber(value);
    if (number < found || (number === 0 && found === 0 && Object.is(number, -0))) found = number;
    else if (number !== number) found = NaN;
  }
  return found;
};`,
  },
  {
    name: 'Math.pow',
    isNeeded: member('Math', 'pow'),
    code: `Math.pow = function pow(base, exponent) { return __ms_power(base, exponent); };`,
  },
  {
    name: 'parseInt',
    isNeeded: ({ references, members }) =>
      references.has('parseInt') || members.has('parseInt') || references.has('globalThis'),
    code: `const __ms_nativeInt = parseInt;
globalThis.parseInt = function parseInt(text, radix) {
  if (typeof text === 'string' && text.length < 15 && !text.includes('\\ufeff')) {
    if (radix === undefined) return __ms_nativeInt(text);
    if (radix === 10) return __ms_nativeInt(text, 10);
  }
  let digits = __ms_string(text);
  const base = (typeof radix === 'number' ? radix : __ms_operandNumber(radix)) | 0 || undefined;
  if (digits.includes('\\ufeff')) digits = __ms_trimStart(digits);
  if (base === 16 && /^\\s*[+-]?0[xX]/.test(digits)) digits = digits.replace(/0[xX]/, '');
  if (digits.length < 15) return base === undefined ? __ms_nativeInt(digits) : __ms_nativeInt(digits, base);
  const match = base === undefined || base === 10 ? /^\\s*([+-]?\\d+)/.exec(digits) : null;
  if (match !== null && !/^\\s*[+-]?0[xX]/.test(digits)) return Number(match[1]);
  if (__ms_hasV8) return __ms_inV8('int', digits, base ?? null) ?? NaN;
  __ms_refuse('parseInt reads numbers of at most 14 digits in other bases than 10 here');
};
Number.parseInt = globalThis.parseInt;`,
  },
  {
    name: 'parseFloat',
    isNeeded: ({ references, members }) =>
      references.has('parseFloat') || members.has('parseFloat') || references.has('globalThis'),
    code: String.raw`const __ms_nativeFloat = parseFloat;
globalThis.parseFloat = function parseFloat(given) {
  const whole = typeof given === 'string' ? given : __ms_string(given);
  const text = whole.includes('\ufeff') ? __ms_trimStart(whole) : whole;
  const number = __ms_nativeFloat(text);
  if (number === number) return number;
  const match = /^\s*([+-]?(?:\d+\.?\d*|\.\d+))[eE]/.exec(text);
  return match === null ? number : Number(match[1]);
};
Number.parseFloat = globalThis.parseFloat;`,
  },
  ...['encodeURIComponent', 'encodeURI', 'decodeURIComponent', 'decodeURI'].map(ofText),
  {
    name: 'Number.MIN_VALUE',
    isNeeded: member('Number', 'MIN_VALUE'),
    code: 'Number.MIN_VALUE = 5e-324;',
  },
  {
    name: 'Object.fromEntries',
    isNeeded: member('Object', 'fromEntries'),
    code: `Object.fromEntries = function fromEntries(entries) {
  if (entries === null || entries === undefined) throw new TypeError(String(entries) + ' is not iterable');
  const made = {};
  for (const entry of entries) {
    if (typeof entry !== 'object' || entry === null) throw new TypeError('Iterator value ' + String(entry) + ' is not an entry object');
    made[typeof entry[0] === 'string' ? entry[0] : __ms_key(entry[0])] = entry[1];
  }
  return made;
};`,
  },
  {
    name: 'Object.groupBy',
    isNeeded: member('Object', 'groupBy'),
    code: `const __ms_nativeGroupBy = Object.groupBy;
Object.groupBy = function groupBy(items, call) {
  if (!Array.isArray(items) || typeof call !== 'function') return __ms_nativeGroupBy(items, call);
  const groups = {};
  for (let at = 0; at < items.length; at++) {
    const key = __ms_key(call(items[at], at));
    if (Object.hasOwn(groups, key)) groups[key].push(items[at]);
    else groups[key] = [items[at]];
  }
  return groups;
};`,
  },
  {
    name: 'Date.parse',
    isNeeded: member('Date', 'parse'),
    code: 'Date.parse = function parse(text) { return __ms_readDate(text); };',
  },
  {
    name: 'Array.from',
    isNeeded: (facts) => facts.suspendsInCallback && member('Array', 'from')(facts),
    code: `const __ms_nativeFrom = Array.from;
Array.from = function from(values, call, self) {
  if (call === undefined) return __ms_nativeFrom(values);
  if (!Array.isArray(values) || typeof call !== 'function') return __ms_map(__ms_nativeFrom(values), call, self);
  // The callback may change the list.
  const made = [];
  for (let at = 0; at < values.length; at++) made.push(self === undefined ? call(values[at], at) : call.call(self, values[at], at));
  return made;
};`,
  },
  { ...jsonParse, isNeeded: member('JSON', 'parse') },
  {
    name: 'String.raw',
    isNeeded: member('String', 'raw'),
    code: `String.raw = function raw(strings, ...values) {
  return strings.raw.map((text, at) => (at < values.length && at < strings.raw.length - 1 ? text + __ms_string(values[at]) : text)).join('');
};`,
  },
  {
    name: 'structuredClone',
    isNeeded: variable('structuredClone'),
    code: `globalThis.structuredClone = function structuredClone(value) {
  const copies = new Map();
  const copy = (from) => {
    if (typeof from === 'function') __ms_refuse('a function cannot be cloned');
    if (typeof from !== 'object' || from === null) return from;
    if (copies.has(from)) return copies.get(from);
    if (from instanceof Date) return new Date(from.getTime());
    if (from instanceof RegExp) return new RegExp(from.source, from.flags);
    if (from instanceof Error) { const made = new Error(from.message); made.name = from.name; return made; }
    const made = Array.isArray(from) ? new Array(from.length) : from instanceof Map ? new Map() : from instanceof Set ? new Set() : {};
    copies.set(from, made);
    if (from instanceof Map) for (const [key, item] of from) made.set(copy(key), copy(item));
    else if (from instanceof Set) for (const item of from) made.add(copy(item));
    else for (const key of Object.keys(from)) made[key] = copy(from[key]);
    return made;
  };
  return copy(value);
};`,
  },
  {
    name: 'Object.freeze',
    isNeeded: ({ references, members }) =>
      references.has('Object') &&
      (members.has('freeze') || members.has('seal') || members.has('isFrozen') || members.has('preventExtensions')),
    code: `const __ms_frozen = new Set();
Object.freeze = function freeze(value) { __ms_frozen.add(value); return value; };
Object.seal = function seal(value) { return value; };
Object.preventExtensions = function preventExtensions(value) { return value; };
Object.isFrozen = function isFrozen(value) { return (typeof value !== 'object' && typeof value !== 'function') || value === null || __ms_frozen.has(value); };`,
  },
  {
    name: 'Object.own',
    isNeeded: ({ references, members }) =>
      (references.has('Object') &&
        (members.has('getOwnPropertyNames') || members.has('defineProperty') || members.has('create'))) ||
      references.has('Reflect'),
    code: `Object.getOwnPropertyNames = function getOwnPropertyNames(value) {
  if (typeof value === 'function' || value instanceof RegExp || value instanceof Error) __ms_refuse('Object.getOwnPropertyNames of a ' + typeof value + ' that is no plain object is not supported');
  const names = Object.keys(value);
  return Array.isArray(value) ? [...names.slice(0, value.length), 'length', ...names.slice(value.length)] : names;
};
Object.defineProperty = function defineProperty(object, name, descriptor) {
  if (!('value' in descriptor)) __ms_refuse('Object.defineProperty takes a value only here, no get and no set');
  if (descriptor.enumerable !== true) __ms_refuse('Object.defineProperty makes enumerable properties only here: add enumerable: true');
  object[name] = descriptor.value;
  return object;
};
Object.create = function create(base, properties) {
  if (base !== null) __ms_refuse('Object.create takes null only here: there are no prototypes');
  const made = {};
  if (properties !== undefined) for (const name of Object.keys(properties)) Object.defineProperty(made, name, properties[name]);
  return made;
};`,
  },
  {
    name: 'Reflect',
    isNeeded: variable('Reflect'),
    code: `globalThis.Reflect = {
  ownKeys: (value) => Object.getOwnPropertyNames(value),
  has: (value, name) => name in value,
  get: (value, name) => value[name],
  set: (value, name, item) => { value[name] = item; return true; },
  deleteProperty: (value, name) => delete value[name],
  apply: (call, self, args) => call.apply(self, args),
};`,
  },
  {
    name: 'WeakMap',
    isNeeded: variable('WeakMap'),
    code: 'globalThis.WeakMap = Map;',
  },
  {
    name: 'WeakSet',
    isNeeded: variable('WeakSet'),
    code: 'globalThis.WeakSet = Set;',
  },
  {
    name: 'performance',
    isNeeded: variable('performance'),
    code: `const __ms_began = Date.now();
globalThis.performance = { now: () => Date.now() - __ms_began, timeOrigin: __ms_began };`,
  },
  {
    name: 'base64',
    isNeeded: ({ references }) => references.has('atob') || references.has('btoa'),
    code: `const __ms_base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
globalThis.btoa = function btoa(...given) {
  const [value] = given;
  if (given.length === 0) throw new TypeError('The "data" argument must be specified');
  const codes = __ms_string(value).split('').map((letter) => letter.codePointAt(0));
  if (codes.some((code) => code > 255)) __ms_refuse('btoa takes characters up to U+00FF only');
  const parts = [];
  for (let at = 0; at < codes.length; at += 3) {
    const bits = codes[at] * 65536 + (codes[at + 1] ?? 0) * 256 + (codes[at + 2] ?? 0);
    const left = codes.length - at;
    parts.push(__ms_base64[bits >> 18], __ms_base64[(bits >> 12) & 63], left > 1 ? __ms_base64[(bits >> 6) & 63] : '=', left > 2 ? __ms_base64[bits & 63] : '=');
  }
  return parts.join('');
};
const __ms_sextets = new Map(__ms_base64.split('').map((letter, at) => [letter, at]));
globalThis.atob = function atob(...given) {
  const [value] = given;
  if (given.length === 0) throw new TypeError('The "input" argument must be specified');
  const text = __ms_string(value).replace(/[\\t\\n\\f\\r ]/g, '');
  const plain = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
  if (plain.length % 4 === 1 || /[^A-Za-z0-9+\\/]/.test(plain)) __ms_refuse('atob takes base64 only');
  if (__ms_hasV8 && plain.length > 200) return __ms_inV8('latin1', plain);
  const parts = [];
  let bits = 0;
  let count = 0;
  for (const letter of plain.split('')) {
    bits = (bits << 6) | __ms_sextets.get(letter);
    count += 6;
    if (count >= 8) { count -= 8; parts.push(String.fromCharCode((bits >> count) & 255)); bits &= (1 << count) - 1; }
  }
  return parts.join('');
};`,
  },
  {
    name: 'Math.max',
    isNeeded: member('Math', 'max'),
    code: `Math.max = function max(...values) {
  let found = -Infinity;
  for (const value of values) {
    const number = typeof value === 'number' ? value : __ms_operandNumber(value);
    if (number > found || (number === 0 && found === 0 && Object.is(found, -0))) found = number;
    else if (number !== number) found = NaN;
  }
  return found;
};`,
  },
];
