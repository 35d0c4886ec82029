import { member, variable, type Replacement } from './replacement.ts';

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
export const numberGlobals: Replacement[] = [
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
  {
    name: 'Number.MIN_VALUE',
    isNeeded: member('Number', 'MIN_VALUE'),
    code: 'Number.MIN_VALUE = 5e-324;',
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
