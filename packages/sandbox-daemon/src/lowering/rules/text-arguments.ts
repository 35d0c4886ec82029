import type { CallExpression, NewExpression } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import { isGivenNumber } from '../numbers.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { methodCall, unwrap, type AnyNode } from '../syntax.ts';
import { mendedFor } from './arguments.ts';
import { isTextFor, whereObject } from './coercions.ts';

const constructors = new Set(['Error', 'TypeError', 'RangeError', 'SyntaxError', 'EvalError', 'URIError', 'String']);
/** In lists the first three look for the object itself. */
const methods = new Set([
  'includes',
  'indexOf',
  'lastIndexOf',
  'startsWith',
  'endsWith',
  'split',
  'localeCompare',
  'normalize',
]);
const ofPatterns = new Set(['exec', 'test']);
/** JavaScript takes no regular expression there. */
const plainOnly = new Set(['includes', 'startsWith', 'endsWith']);

/**
 * The engine makes a text of an object in a way of its own (see `coercions`) where a text is wanted as an argument too.
 * The argument is mended and not the call: a text that is given to a function is copied, 1 ms for 1 MB.
 *
 *     new Error(row)        →   new Error(typeof row === 'object' ? __ms_text(row) : row)
 *     line.includes(row)    →   line.includes(typeof row === 'object' ? __ms_needle(line, row) : row)
 */
export const textArguments: Rule = {
  id: 'text-arguments',
  on: ['CallExpression', 'NewExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
    const [first] = node.arguments;
    if (first === undefined || first.type === 'SpreadElement' || isPlain(first, rewriter.facts)) return false;
    const { hasOwnCoercion, hasNamedObjects, hasRegexes, declared } = rewriter.facts;
    const hasObjects = hasOwnCoercion || hasNamedObjects;
    if (node.callee.type === 'Identifier') {
      if (!hasObjects || !constructors.has(node.callee.name) || declared.has(node.callee.name)) return false;
      // A rule of its own has `String(x)`.
      if (node.type === 'CallExpression' && node.callee.name === 'String') return false;
      writeWith(node, whereObject(first, 'text', rewriter), rewriter);
      return true;
    }
    const call = node.type === 'CallExpression' ? methodCall(node) : undefined;
    if (call === undefined || !(methods.has(call.name) || ofPatterns.has(call.name))) return false;
    if (ofPatterns.has(call.name)) return hasObjects && writePatternText(node as CallExpression, call, first, rewriter);
    if (!hasObjects && !(hasRegexes && plainOnly.has(call.name))) return false;
    return writeNeedle(node as CallExpression, call, first, rewriter);
  },
};

/** An object of the script may have the method. */
function writePatternText(
  node: CallExpression,
  { name, object }: { name: string; object: AnyNode },
  first: AnyNode,
  rewriter: Rewriter,
): boolean {
  const { ownMembers, classMembers } = rewriter.facts;
  const isPattern = unwrap(object).type === 'Literal';
  if (node.optional || (!isPattern && (ownMembers.has(name) || classMembers.has(name)))) return false;
  writeWith(node, whereObject(first, 'text', rewriter), rewriter);
  return true;
}

function writeNeedle(
  node: CallExpression,
  { object, name }: { object: AnyNode; name: string },
  first: AnyNode,
  rewriter: Rewriter,
): boolean {
  const isRepeatable = isPath(object);
  // What is before `?.` must stay there.
  if (!isRepeatable && mayBeInChain(node)) return false;
  const kept = isRepeatable ? object : rewriter.temporary();
  if (typeof kept === 'string') {
    rewriter.write(node, `(${kept} = `, object, ')');
    rewriter.output.copy(object.end, node.callee.end);
  } else rewriter.write(node, node.callee);
  const value = first.type === 'Identifier' ? first : rewriter.temporary();
  const given = typeof value === 'string' ? [`(${value} = (`, first, '))'] : [value];
  const helper = rewriter.helper('needle');
  const needle = [
    'typeof ',
    ...given,
    ` === 'object' ? ${helper}(`,
    kept,
    ', ',
    value,
    `, ${plainOnly.has(name)}) : `,
    value,
  ];
  writeArguments(node, needle, rewriter);
  return true;
}

function writeWith(node: CallExpression | NewExpression, first: (string | AnyNode)[], rewriter: Rewriter): void {
  rewriter.output.copy(node.start, node.callee.start);
  rewriter.write(node, node.callee);
  writeArguments(node, first, rewriter);
}

function writeArguments(node: CallExpression | NewExpression, first: (string | AnyNode)[], rewriter: Rewriter): void {
  const [{ start, end }] = node.arguments as [AnyNode];
  rewriter.output.copy(node.callee.end, start);
  rewriter.write(node, ...first);
  const mended = node.type === 'CallExpression' ? mendedFor(node) : undefined;
  let at = end;
  for (const [index, other] of node.arguments.slice(1).entries()) {
    rewriter.output.copy(at, other.start);
    if (mended?.at === index + 1) rewriter.write(node, `${rewriter.helper(mended.helper)}(`, other, ')');
    else rewriter.write(node, other);
    at = other.end;
  }
  rewriter.output.copy(at, node.end);
}

function isPlain(node: AnyNode, { given }: Facts): boolean {
  const inner = unwrap(node);
  return (inner.type === 'Literal' && !('regex' in inner)) || isTextFor(inner) || isGivenNumber(inner, given);
}

/** `a.b.c`: asked twice it is the same. */
function isPath(node: AnyNode): boolean {
  if (node.type === 'MemberExpression') return !node.computed && isPath(node.object);
  return node.type === 'Identifier' || node.type === 'ThisExpression';
}

function mayBeInChain(node: AnyNode): boolean {
  if (node.type === 'CallExpression') return node.optional || mayBeInChain(node.callee);
  return node.type === 'MemberExpression' && (node.optional || mayBeInChain(node.object));
}

export const textArgumentHelpers: Helper[] = [
  {
    name: 'needle',
    code: ({ hasV8Regexes }) => `function __ms_needle(text, value, isPlain) {
  if (typeof text !== 'string' || value === null) return value;
  if (value instanceof RegExp${hasV8Regexes ? ' || __ms_isV8(value)' : ''}) {
    if (isPlain) throw new TypeError('First argument must not be a regular expression');
    return value;
  }
  return __ms_text(value);
}`,
  },
];
