import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { isFunction } from '../syntax.ts';

/**
 * At the top level the engine takes `await (x)` for a call of a function `await`, and the like for what else may go on
 * after a name.
 *
 *     await (x)   →   await __ms_value((x))
 */
export const topLevelAwait: Rule = {
  id: 'await',
  on: ['AwaitExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'AwaitExpression' && !rewriter.facts.isAsync) {
      rewriter.write(node, node.argument);
      return true;
    }
    if (node.type !== 'AwaitExpression' || rewriter.ancestors.some(isFunction)) return false;
    if (!/[({[+\-/`]/.test(rewriter.source[node.argument.start] as string)) return false;
    rewriter.write(node, `await ${rewriter.helper('value')}(`, node.argument, ')');
    return true;
  },
};

export const awaitHelpers: Helper[] = [{ name: 'value', code: 'function __ms_value(value) { return value; }' }];
