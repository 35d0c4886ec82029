import type { Helper } from '../helper.ts';
import type { Facts } from '../facts.ts';
import type { MethodCall, Methods } from '../rule.ts';
import { isGivenNumber } from '../numbers.ts';
import type { Rule } from '../rule.ts';
import { methodCall, type AnyNode } from '../syntax.ts';

/** What is no text keeps its own method. */
const ofText = (name: string, parameters: string, body: string): Helper => ({
  name,
  code: `function __ms_${name}(text${parameters}) {
  if (typeof text !== 'string') return text.${name}(${parameters.slice(2)});
  ${body}
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
  {
    name: 'split',
    code: `function __ms_split(text, separator, limit) {
  if (typeof text !== 'string') return limit === undefined ? text.split(separator) : text.split(separator, limit);
  const given = typeof separator === 'object' ? __ms_needle(text, separator, false) : separator;
  return limit === undefined ? text.split(given) : text.split(given, __ms_num(limit) >>> 0);
}`,
  },
  {
    name: 'lastIndexOf',
    code: `function __ms_lastIndexOf(list, item, from) {
  if (typeof list === 'string') {
    const at = __ms_operandNumber(from);
    const wanted = typeof item === 'object' ? __ms_needle(list, item, false) : item;
    return at !== at ? list.lastIndexOf(wanted) : list.lastIndexOf(wanted, at);
  }
  return list.lastIndexOf(item, from === undefined ? 0 : from);
}`,
  },
  ofText(
    'repeat',
    ', count',
    `const times = typeof count === 'number' ? count : count === undefined ? 0 : Number(count);
  if (text === '' && times >= 0 && times < Infinity) return '';
  if (text.length * times > 536870888) throw new RangeError(times === Infinity ? 'Invalid count value: Infinity' : 'Invalid string length');
  return text.repeat(times === times ? times : 0);`,
  ),
  ...['padStart', 'padEnd'].map((name) =>
    ofText(
      name,
      ', length, fill',
      `const filling = fill === undefined ? ' ' : typeof fill === 'string' ? fill : __ms_string(fill);
  if (length > 536870888 && filling !== '') throw new RangeError('Invalid string length');
  return filling === '' ? text : text.${name}(length, filling);`,
    ),
  ),
  trimmed('trim', `${trimHead}\n    else ${trimTail}`),
  trimmed('trimStart', trimHead),
  trimmed('trimEnd', trimTail),
];

/**
 * | script                | engine    | V8           |
 * | --------------------- | --------- | ------------ |
 * | `'a,b'.split(',', -1)` | `[]`     | `['a', 'b']` |
 * | `'\ufeffa'.trim()`    | `\ufeffa` | `a`          |
 * | `'a'.repeat(1e10)`    | ends the process | RangeError |
 */
export const texts: Methods = {
  id: 'texts',
  names: new Set(textHelpers.map(({ name }) => name)),
  helperFor(call, facts) {
    return isRight(call, facts) ? undefined : call.name;
  },
};

const trims = new Set(['trim', 'trimStart', 'trimEnd']);

/**
 * The engine does not trim U+FEFF. A call of a helper costs 2 µs, and few texts have one.
 *
 *     line.trim()   →   (typeof line === 'string' && line.includes('\ufeff') ? __ms_trim(line) : line.trim())
 */
export const trimming: Rule = {
  id: 'trim',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    const call = methodCall(node);
    if (node.type !== 'CallExpression' || call === undefined || !trims.has(call.name)) return false;
    const { object, member, name } = call;
    if (node.arguments.length > 0 || node.optional || member.optional || member.computed) return false;
    const { facts, ancestors } = rewriter;
    if (facts.classMembers.has(name) || ancestors.some(({ type }) => type === 'ChainExpression')) return false;
    const kept = object.type === 'Identifier' ? object : rewriter.temporary();
    const given = typeof kept === 'string' ? [`(${kept} = (`, object, '))'] : [kept];
    rewriter.write(node, '(typeof ', ...given, " === 'string' && ", kept, ".includes('\\ufeff') ? ");
    rewriter.write(node, `${rewriter.helper(name)}(`, kept, ') : ', kept, `.${name}())`);
    return true;
  },
};

/** Whether the source shows that the engine's own method does it right. */
function isRight({ name, args }: MethodCall, { given }: Facts): boolean {
  const [, second] = args;
  if (args.some(({ type }) => type === 'SpreadElement')) return true;
  switch (name) {
    case 'split':
      return second === undefined || isCount(second);
    case 'lastIndexOf':
      return second === undefined || (isNumber(second, given) && !isNotANumber(second));
    case 'repeat':
      return isSmall(args[0]);
    case 'padStart':
    case 'padEnd':
      return isSmall(args[0]) && (second === undefined || second.type === 'Literal');
    default:
      return false;
  }
}

function isNumber(node: AnyNode, given: ReadonlySet<string>): boolean {
  return (node.type === 'Literal' && typeof node.value === 'number') || isGivenNumber(node, given);
}

/** As a limit of `split` it is what it is in JavaScript. */
function isCount(node: AnyNode): boolean {
  return node.type === 'Literal' && Number.isInteger(node.value) && Number(node.value) < 2 ** 31;
}

/** A length that every engine has room for. */
function isSmall(node: AnyNode | undefined): boolean {
  return node?.type === 'Literal' && typeof node.value === 'number' && node.value <= 1_000_000;
}

/** A sum may be `NaN`; a length may not. */
function isNotANumber(node: AnyNode | undefined): boolean {
  return node?.type === 'Identifier' && node.name === 'NaN';
}
