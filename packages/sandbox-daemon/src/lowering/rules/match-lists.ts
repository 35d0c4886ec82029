import type { ArrowFunctionExpression, CallExpression } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import { usesIn, type Part, type Uses } from '../match-uses.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { methodCall, type AnyNode } from '../syntax.ts';
import { listedIn, matchAllIn, writeSearch, type MatchAll } from './match-pieces.ts';

/**
 * A function that only reads some parts of each match is given these (see `match-loops`).
 *
 *     Array.from(text.matchAll(/(\w+)=(\d+)/g), (m) => m[2])   →
 *     __ms_eachMatch(__ms_cuts(text, /((\w+)=(\d+))/g), 4, [2], (t1) => t1)
 */
export const matchList: Rule = {
  id: 'match-list',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression') return false;
    const call = callIn(node, rewriter.facts);
    const found = call && matchAllIn(call.values, rewriter.facts);
    if (call === undefined || found === undefined || call.each.async) return false;
    const [match, place, ...others] = call.each.params;
    if (match === undefined || others.length > 0 || (place !== undefined && place.type !== 'Identifier')) return false;
    const uses = usesIn(call.each, match, found.pattern);
    const parts = uses === undefined ? [] : partsOf(uses);
    if (uses === undefined || parts.length === 0 || parts.length > most || parts.includes('index')) return false;
    write(node, { ...found, ...call, uses, parts }, rewriter);
    return true;
  },
};

/** So many parts can a function be given. */
const most = 4;

interface Call {
  values: AnyNode;
  each: ArrowFunctionExpression;
  /** `forEach`: it gives no list. */
  isForEach: boolean;
}

/** Of `Array.from(values, each)`, `[...values].map(each)` and `[...values].forEach(each)`. */
function callIn(node: CallExpression, facts: Facts): Call | undefined {
  const call = methodCall(node);
  if (call === undefined || call.member.optional || node.optional) return undefined;
  const { name, object } = call;
  const [first, second] = node.arguments;
  if (name === 'map' || name === 'forEach') {
    const values = listedIn(object, facts);
    if (values === undefined || node.arguments.length > 1 || first?.type !== 'ArrowFunctionExpression')
      return undefined;
    return { values, each: first, isForEach: name === 'forEach' };
  }
  const isFrom = name === 'from' && object.type === 'Identifier' && object.name === 'Array';
  if (!isFrom || facts.declared.has('Array') || first === undefined || first.type === 'SpreadElement') return undefined;
  if (second?.type !== 'ArrowFunctionExpression' || node.arguments.length > 2) return undefined;
  return { values: first, each: second, isForEach: false };
}

function partsOf({ bound, places }: Uses): Part[] {
  const parts = new Set<Part>();
  for (const { text } of places)
    text((part) => {
      parts.add(part);
      return '';
    });
  // Each has a parameter of its own, also where two are the same part.
  return bound.some(({ otherwise }) => otherwise) ? [] : [...parts, ...bound.map(({ part }) => part)];
}

function write(
  node: CallExpression,
  { each, isForEach, uses, parts, ...found }: MatchAll & Call & { uses: Uses; parts: readonly Part[] },
  rewriter: Rewriter,
): void {
  const names = parts.slice(0, parts.length - uses.bound.length).map((): string => rewriter.name());
  for (const { node: place, text } of uses.places)
    rewriter.substitute(
      place,
      text((part) => names[parts.indexOf(part)] as string),
    );
  const parameters = [...names, ...uses.bound.map(({ name }) => name)].join(', ');
  const hasParentheses = rewriter.source[each.start] === '(';
  rewriter.substitute(each.params[0] as AnyNode, hasParentheses ? parameters : `(${parameters})`);
  const start = `${isForEach ? '(' : ''}${rewriter.helper('eachMatch')}(`;
  rewriter.write(node, start, ...writeSearch(found, false, rewriter));
  rewriter.write(node, `, ${found.pattern.groupCount + 2}, [${parts.join(', ')}], `, each, ')');
  if (isForEach) rewriter.output.write(', undefined)', node);
}

export const matchListHelpers: Helper[] = [
  {
    name: 'moreOf',
    code: 'function __ms_moreOf(given) { return Array.isArray(given) ? null : __ms_moreFinds(given); }',
  },
  {
    name: 'eachMatch',
    code: `function __ms_eachMatch(given, step, [a, b, c, d], each) {
  const made = [];
  const isCut = Array.isArray(given);
  let pieces = isCut ? given : given.pieces;
  let i = isCut ? 1 : 3;
  let turn = 0;
  for (; pieces !== null; pieces = __ms_moreOf(given)) {
    while (i < pieces.length) {
      made.push(
        b === undefined ? each(pieces[i + a], turn)
        : c === undefined ? each(pieces[i + a], pieces[i + b], turn)
        : d === undefined ? each(pieces[i + a], pieces[i + b], pieces[i + c], turn)
        : each(pieces[i + a], pieces[i + b], pieces[i + c], pieces[i + d], turn)
      );
      i += step;
      turn++;
    }
    i = 3;
  }
  return made;
}`,
  },
];
