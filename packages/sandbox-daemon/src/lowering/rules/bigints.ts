import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import { isIndex } from '../numbers.ts';
import type { Rule } from '../rule.ts';
import { unwrap, type AnyNode } from '../syntax.ts';
import { needsNumbers } from './coercions.ts';

const comparing = new Set(['<', '>', '<=', '>=']);

/**
 * The engine compares no BigInt with a number.
 *
 *     total > limit   →   (typeof (t = total) === typeof (u = limit) ? t > u : __ms_order(t, u) > 0)
 */
export const bigintOrder: Rule = {
  id: 'bigint-order',
  on: ['BinaryExpression'],
  rewrite(node, rewriter) {
    const { facts } = rewriter;
    if (!facts.hasBigInts || node.type !== 'BinaryExpression' || !comparing.has(node.operator)) return false;
    // There another rule makes numbers of objects first.
    if (needsNumbers(facts)) return false;
    const { left, right, operator } = node;
    if (isNumber(left, facts) && isNumber(right, facts)) return false;
    const [one, other] = [rewriter.temporary(), rewriter.temporary()];
    rewriter.write(node, `(typeof (${one} = (`, left, `)) === typeof (${other} = (`, right, `)) ? `);
    rewriter.output.write(
      `${one} ${operator} ${other} : ${rewriter.helper('order')}(${one}, ${other}) ${operator} 0)`,
      node,
    );
    return true;
  },
};

/** What is known to be numeric may be a BigInt. */
function isNumber(node: AnyNode, { indices }: Facts): boolean {
  const inner = unwrap(node);
  return isIndex(inner, indices) || (inner.type === 'Literal' && typeof inner.value === 'number');
}

export const bigintHelpers: Helper[] = [
  {
    // Below 0, 0 or above 0. Of two that are no BigInt and number the engine's own operator says what there is to say.
    name: 'order',
    code: `function __ms_order(one, other) {
  if (typeof one === 'number' && typeof other === 'bigint') return -__ms_order(other, one);
  if (typeof one !== 'bigint' || typeof other !== 'number') return one < other ? -1 : one > other ? 1 : one <= other ? 0 : NaN;
  if (other !== other) return NaN;
  if (other === Infinity || other === -Infinity) return -other;
  const below = Math.floor(other);
  const whole = BigInt(below);
  return one < whole ? -1 : one > whole ? 1 : other > below ? -1 : 0;
}`,
  },
];
