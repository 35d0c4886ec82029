import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { memberName } from '../syntax.ts';

const formats = new Map([
  ['NumberFormat', 'numberFormat'],
  ['DateTimeFormat', 'dateTimeFormat'],
]);

/**
 * The engine formats for `en-US`, with the most frequent options; the others V8 does.
 *
 *     new Intl.NumberFormat('en-US', { notation: 'compact' })   →   __ms_numberFormat('en-US', { notation: 'compact' })
 */
export const intl: Rule = {
  id: 'intl',
  on: ['NewExpression', 'CallExpression'],
  rewrite(node, rewriter) {
    if ((node.type !== 'NewExpression' && node.type !== 'CallExpression') || rewriter.facts.isAsync) return false;
    const { callee } = node;
    if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier' || callee.object.name !== 'Intl')
      return false;
    const helper = formats.get(memberName(callee) ?? '');
    const args = node.arguments;
    if (helper === undefined || rewriter.facts.declared.has('Intl') || args.length > 2) return false;
    if (args.some(({ type }) => type === 'SpreadElement')) return false;
    rewriter.output.write(`${rewriter.helper(helper)}(`, node);
    for (const argument of args) rewriter.write(node, argument, ', ');
    rewriter.output.write(')', node);
    return true;
  },
};

export const intlHelpers: Helper[] = [
  {
    name: 'numberFormat',
    code: `function __ms_byV8(make, check, format) {
  try { return make(); } catch (error) {
    if (!(error instanceof Error) || !/^Intl/.test(error.message)) throw error;
  }
  check();
  const refuse = (name) => () => __ms_refuse(name + ' of Intl is not supported with these options: use format');
  return { format, formatToParts: refuse('formatToParts'), formatRange: refuse('formatRange'), resolvedOptions: refuse('resolvedOptions') };
}
function __ms_numberFormat(...args) {
  const text = (value) => __ms_localeText(value, 'toLocaleString', args);
  const format = (value) => {
    if (typeof value === 'bigint') __ms_refuse('Intl of a BigInt is not supported with these options: use Number(big)');
    return text(typeof value === 'number' ? value : Number(value));
  };
  return __ms_byV8(() => new Intl.NumberFormat(...args), () => text(0), format);
}`,
  },
  {
    name: 'dateTimeFormat',
    code: `function __ms_dateTimeFormat(...args) {
  const [, options] = args;
  const parts = ['weekday', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits', 'dateStyle', 'timeStyle'];
  const isChosen = typeof options === 'object' && options !== null && parts.some((name) => options[name] !== undefined);
  const text = (date) => __ms_localeText(date, isChosen ? 'toLocaleString' : 'toLocaleDateString', args);
  const format = (value) => {
    const date = value === undefined ? new Date() : value instanceof Date ? value : new Date(value);
    if (Number.isNaN(date.getTime())) throw new RangeError('Invalid time value');
    return text(date);
  };
  return __ms_byV8(() => new Intl.DateTimeFormat(...args), () => text(new Date(0)), format);
}`,
  },
];
