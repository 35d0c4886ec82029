import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';

/**
 * The engine reads dates in ISO 8601 and in the form of HTTP headers, and what it reads is right, but for the year 99 in
 * a header, which is 1999. Here are the other
 * forms that are frequent in logs; what is in none of them is asked of V8. The time zone is UTC.
 *
 * | text                        | engine | V8                 |
 * | --------------------------- | ------ | ------------------ |
 * | `2024-01-02 03:04:05`       | NaN    | 1704164645000      |
 * | `2024-02-30`                | NaN    | the first of March |
 * | `Jan 2, 2024`, `2024/01/02` | NaN    | 1704153600000      |
 */
export const dates: Rule = {
  id: 'dates',
  on: ['NewExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'Date') return false;
    const [argument] = node.arguments;
    if (argument === undefined || node.arguments.length > 1 || argument.type === 'SpreadElement') return false;
    if (rewriter.facts.declared.has('Date')) return false;
    rewriter.write(node, `new Date(${rewriter.helper('dateFrom')}(`, argument, '))');
    return true;
  },
};

export const dateHelpers: Helper[] = [
  {
    name: 'readDate',
    code: String.raw`const __ms_nativeDate = Date.parse;
const __ms_loggedDate = /^([1-9]\d{3})[-\/](\d{1,2})[-\/](\d{1,2})(?: (\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?)?$/;
const __ms_americanDate = /^(\d{1,2})\/(\d{1,2})\/([1-9]\d{3})(?:,? (\d{2}:\d{2}(?::\d{2})?))?$/;
function __ms_readDate(value) {
  const text = __ms_string(value);
  const known = __ms_nativeDate(text);
  // Behind the year 100.
  if (known >= -59011459200000 || (known === known && /^[+-]?\d{4,6}-/.test(text))) return known;
  if (!/[0-9]/.test(text)) return NaN;
  let year, month, day, time, zone;
  const logged = __ms_loggedDate.exec(text);
  const american = logged === null ? __ms_americanDate.exec(text) : null;
  if (logged !== null) [, year, month, day, time, zone] = logged;
  else if (american !== null) [, month, day, year, time] = american;
  if (year !== undefined) {
    const date = year + '-' + month.padStart(2, '0') + '-' + day.padStart(2, '0');
    const offset = zone === undefined || zone === 'Z' || zone.includes(':') ? zone ?? 'Z' : zone.slice(0, 3) + ':' + zone.slice(3);
    const read = __ms_nativeDate(date + 'T' + (time ?? '00:00') + offset);
    if (read === read) return read;
  }
  return __ms_inV8('date', text) ?? NaN;
}`,
  },
  {
    name: 'dateFrom',
    code: `function __ms_dateFrom(value) {
  return typeof value === 'string' ? __ms_readDate(value) : value;
}`,
  },
];
