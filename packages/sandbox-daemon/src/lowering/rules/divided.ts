import type { Rule } from '../rule.ts';
import { methodCall } from '../syntax.ts';

/** Behind these and their brackets the engine takes a division for the begin of a regular expression. */
const names = new Set(['if', 'for', 'while', 'with']);

/**
 * A method with the name of a statement.
 *
 *     list.with(0, 1) / 2   →   (list.with(0, 1)) / 2
 */
export const divided: Rule = {
  id: 'divided',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (rewriter.isInside(node) || !names.has(methodCall(node)?.name ?? '')) return false;
    const parent = rewriter.ancestors.at(-1);
    if (parent?.type !== 'BinaryExpression' || parent.operator !== '/' || parent.left !== node) return false;
    rewriter.output.write('(', node);
    rewriter.inside(node, () => rewriter.emit(node));
    rewriter.output.write(')', node);
    return true;
  },
};
