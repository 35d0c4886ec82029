import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { isNumeric } from '../numbers.ts';

/**
 * The value of `x++` is the number that `x` was; the engine gives `x` itself. Where that is a number, or nobody looks at
 * it, nothing changes.
 *
 *     const before = row.count++;   →   const before = typeof (t = row.count++) === 'number' ? t : __ms_before(t);
 */
export const postfix: Rule = {
  id: 'postfix',
  on: ['UpdateExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'UpdateExpression' || node.prefix) return false;
    const parent = rewriter.ancestors.at(-1);
    if (parent?.type === 'ForStatement' && parent.update === node) return false;
    if (parent?.type === 'ExpressionStatement' && rewriter.ancestors.at(-2)?.type !== 'Program') return false;
    if (isNumeric(node.argument, rewriter.facts.numeric)) return false;
    const name = rewriter.temporary();
    rewriter.write(node, `(typeof (${name} = (`, node.argument, `${node.operator})) === 'number' ? ${name} : `);
    rewriter.output.write(`${rewriter.helper('before')}(${name}))`, node);
    return true;
  },
};

export const postfixHelpers: Helper[] = [
  {
    name: 'before',
    code: `function __ms_before(value) { return typeof value === 'bigint' ? value : Number(value); }`,
  },
];
