import type { Helper } from '../helper.ts';
import type { Facts } from '../facts.ts';
import type { MethodCall, Methods } from '../methods.ts';
import { isNumeric } from '../numbers.ts';
import type { AnyNode } from '../syntax.ts';

/** What is no text keeps its own method. */
const ofText = (name: string, parameters: string, body: string): Helper => ({
  name,
  code: `function __ms_${name}(text${parameters}) {
  if (typeof text !== 'string') return text.${name}(${parameters.slice(2)});
  ${body}
}`,
});

/** The engine takes a last argument that is `undefined` for 0. */
const optional = (name: string, before = ''): Helper => ({
  name,
  code: `function __ms_${name}(value, first${before}, last) {
  return last === undefined ? value.${name}(first${before}) : value.${name}(first${before}, last);
}`,
});

const trimmed = (name: string, sides: string): Helper =>
  ofText(
    name,
    '',
    `let rest = text.${name}();
  for (;;) {
    ${sides}
    else return rest;
  }`,
  );
const trimHead = `if (rest.startsWith('\\ufeff')) rest = rest.slice(1).trimStart();`;
const trimTail = `if (rest.endsWith('\\ufeff')) rest = rest.slice(0, -1).trimEnd();`;

export const textHelpers: Helper[] = [
  ofText(
    'charAt',
    ', at',
    `const index = Math.trunc(Number(at)) || 0;
  return index < 0 ? '' : text.charAt(index);`,
  ),
  ofText(
    'split',
    ', separator, limit',
    'return limit === undefined ? text.split(separator) : text.split(separator, limit >>> 0);',
  ),
  ...['slice', 'substring', 'endsWith', 'padStart', 'padEnd'].map((name) => optional(name)),
  optional('fill', ', start'),
  {
    name: 'lastIndexOf',
    code: `function __ms_lastIndexOf(list, item, from) {
  if (typeof list === 'string') return from === undefined || from !== from ? list.lastIndexOf(item) : list.lastIndexOf(item, from);
  return list.lastIndexOf(item, from === undefined ? 0 : from);
}`,
  },
  ...['match', 'search'].map((name) => ({
    name,
    code: `function __ms_${name}(text, pattern) { return text.${name}(pattern === undefined ? '' : pattern); }`,
  })),
  {
    name: 'repeat',
    code: `function __ms_repeat(text, count) { return text.repeat(count === undefined || count !== count ? 0 : count); }`,
  },
  trimmed('trim', `${trimHead}\n    else ${trimTail}`),
  trimmed('trimStart', trimHead),
  trimmed('trimEnd', trimTail),
];

/**
 * | script                | engine    | V8           |
 * | --------------------- | --------- | ------------ |
 * | `'abc'.charAt(-1)`    | `'a'`     | `''`         |
 * | `'a,b'.split(',', -1)` | `[]`     | `['a', 'b']` |
 * | `'\ufeffa'.trim()`    | `\ufeffa` | `a`          |
 * | `'abc'.slice(1, undefined)` | `''`  | `bc`         |
 */
export const texts: Methods = {
  id: 'texts',
  names: new Set(textHelpers.map(({ name }) => name)),
  helperFor(call, facts) {
    return isRight(call, facts) ? undefined : call.name;
  },
};

/** Whether the source shows that the engine's own method does it right. */
function isRight({ name, args }: MethodCall, { numeric }: Facts): boolean {
  const [first, second] = args;
  if (args.some(({ type }) => type === 'SpreadElement')) return true;
  const isGiven = (node: AnyNode | undefined): boolean =>
    node === undefined || node.type === 'Literal' || node.type === 'TemplateLiteral' || isNumeric(node, numeric);
  switch (name) {
    case 'charAt':
      return first?.type === 'Literal' && typeof first.value === 'number';
    case 'split':
      return second === undefined;
    case 'slice':
    case 'substring':
    case 'endsWith':
    case 'padStart':
    case 'padEnd':
    case 'lastIndexOf':
      return isGiven(second) && !isNotANumber(second);
    case 'match':
    case 'search':
      return first?.type !== 'Identifier' || first.name !== 'undefined';
    case 'repeat':
      return isGiven(first) && !isNotANumber(first);
    case 'fill':
      return args.length < 3 || isGiven(args[2]);
    default:
      return false;
  }
}

/** A sum may be `NaN`; a length may not. */
function isNotANumber(node: AnyNode | undefined): boolean {
  return node?.type === 'Identifier' && node.name === 'NaN';
}
