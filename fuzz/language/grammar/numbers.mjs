import { calls, code, oneOf, rounded } from './code.mjs';

const table = `
num.toFixed(digits?) str
num.toString(radix?) str
num.toPrecision(precision?) str
num.toExponential(digits?) str
num.toLocaleString() str
num.toLocaleString(locale) str
num.toLocaleString(locale, numberOptions) str
num.valueOf() num
Math.abs(num) num
Math.ceil(num) num
Math.floor(num) num
Math.round(num) num
Math.trunc(num) num
Math.sign(num) num
Math.sqrt(num) num
Math.fround(num) num
Math.clz32(num) num
Math.imul(num, num) num
Math.max(num, num?, num?) num
Math.min(num, num?, num?) num
`;

/** What may differ in the last digit, by the docs: `rounded` keeps that from spreading to what is made of it. */
const inexact = `
Math.cbrt(num) num
Math.pow(num, num) num
Math.hypot(num, num?) num
Math.log2(num) num
Math.log10(num) num
Math.log(num) num
Math.exp(int) num
Math.atan2(num, num) num
Math.sin(num) num
Math.cos(num) num
Math.tan(num) num
`;

/** Numbers and their formatting. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function numbers(g) {
  const kinds = {
    ...g,
    digits: oneOf('0', '1', '2', '2', '3', '5', '10', '20', '100', '-1'),
    radix: oneOf('2', '8', '10', '16', '36', '1', '37'),
    precision: oneOf('1', '2', '3', '6', '15', '17', '21', '100', '0'),
    locale: oneOf("'en-US'", 'undefined'),
    numberOptions: oneOf(
      ...['{}', '{ minimumFractionDigits: 2 }', '{ maximumFractionDigits: 0 }', '{ maximumFractionDigits: 2 }'],
      ...["{ style: 'percent' }", "{ style: 'currency', currency: 'USD' }", '{ useGrouping: false }'],
      ...['{ minimumFractionDigits: 1, maximumFractionDigits: 1 }', '{ minimumIntegerDigits: 2 }'],
    ),
  };
  const made = calls(table, kinds);
  made.num.push(...(calls(inexact, kinds).num ?? []).map(rounded));
  made.num.push(
    code`Math.max(...${g.nums})`,
    code`Math.min(...${g.nums})`,
    code`Math.${oneOf('PI', 'E', 'LN2', 'SQRT2')}`,
    code`Number.${oneOf('MAX_SAFE_INTEGER', 'EPSILON', 'MIN_VALUE', 'MAX_VALUE', 'NEGATIVE_INFINITY')}`,
  );
  made.str.push(
    code`new Intl.NumberFormat(${kinds.locale}, ${kinds.numberOptions}).format(${g.num})`,
    code`String(${oneOf('10n', '(2n ** 64n)', '(-5n)', '0n')} ${oneOf('+', '*', '-')} ${oneOf('3n', '7n', '(2n ** 65n)')})`,
    code`String(BigInt(${g.num}))`,
  );
  return made;
}
