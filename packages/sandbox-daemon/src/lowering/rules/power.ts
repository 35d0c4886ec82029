import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { Refusal } from '../rewriter.ts';
import { unwrap, type AnyNode } from '../syntax.ts';
import { needsNumbers } from './coercions.ts';

/**
 * To the engine 1 to the power of NaN or Infinity is 1, as in C. A literal that cannot be such a base or exponent
 * leaves the operator alone, as in `x ** 2` and `10 ** digits`.
 *
 *     a ** b    →   __ms_power(a, b)
 *     a **= b   →   a = __ms_power(a, b)
 */
export const power: Rule = {
  id: 'power',
  on: ['BinaryExpression', 'AssignmentExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'AssignmentExpression') {
      if (node.operator !== '**=' || isNumberBut(node.right)) return false;
      if (node.left.type !== 'Identifier') {
        throw new Refusal('**= on a field is not supported: write a = a ** b', node);
      }
      rewriter.write(node, node.left, ` = ${rewriter.helper('power')}(`, node.left, ', ', node.right, ')');
      return true;
    }
    if (node.type !== 'BinaryExpression' || node.operator !== '**') return false;
    const left = node.left as AnyNode;
    if (isNumberBut(left, 1) || isNumberBut(node.right)) return false;
    rewriter.write(node, `${rewriter.helper('power')}(`, left, ', ', node.right, ')');
    return true;
  },
};

function isNumberBut(node: AnyNode, other?: number): boolean {
  const inner = unwrap(node);
  return inner.type === 'Literal' && ['number', 'bigint'].includes(typeof inner.value) && inner.value !== other;
}

export const powerHelpers: Helper[] = [
  {
    name: 'power',
    code: (facts) => {
      const number = needsNumbers(facts) ? '__ms_num' : '';
      return `function __ms_power(base, exponent) {
  const made = ${number}(base) ** ${number}(exponent);
  return made === 1 && !Number.isFinite(Number(${number}(exponent))) ? NaN : made;
}`;
    },
  },
];
