import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { isFunction, unwrap } from '../syntax.ts';

/**
 * An async call that is a statement of its own: nobody sees what it fails with. What the engine refuses there ends the
 * run nevertheless, or what the function has not done by then would be missing in silence.
 *
 *     load(rows);   →   __ms_floating(load(rows));
 */
export const floating: Rule = {
  id: 'floating',
  on: ['ExpressionStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ExpressionStatement' || !rewriter.facts.isAsync) return false;
    const call = unwrap(node.expression);
    if (call.type !== 'CallExpression' || call.optional) return false;
    const callee = unwrap(call.callee);
    const isOwn = callee.type === 'Identifier' && rewriter.facts.declared.has(callee.name);
    if (!isOwn && !(isFunction(callee) && callee.async)) return false;
    rewriter.write(node, `${rewriter.helper('floating')}(`, node.expression, ')');
    rewriter.output.copy(node.expression.end, node.end);
    return true;
  },
};

export const floatingHelpers: Helper[] = [
  {
    name: 'floating',
    code: `function __ms_floating(value) {
  if (value instanceof Promise) value.catch((error) => { __ms_caught(error); });
  return value;
}`,
  },
];
