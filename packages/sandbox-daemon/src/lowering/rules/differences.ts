import type { Rule } from '../rule.ts';
import { memberName } from '../syntax.ts';

const positional = new Set([
  'length',
  'indexOf',
  'lastIndexOf',
  'slice',
  'substring',
  'substr',
  'charAt',
  'charCodeAt',
  'at',
  'padStart',
  'padEnd',
]);

/** Says where a script shows a difference that cannot be made right; docs/language.md has them all. Changes nothing. */
export const differences: Rule = {
  id: 'differences',
  on: ['Literal', 'TemplateElement', 'MemberExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'MemberExpression') {
      const isFreeze =
        node.object.type === 'Identifier' && node.object.name === 'Object' && memberName(node) === 'freeze';
      if (isFreeze) rewriter.warn('frozen', 'Object.freeze has no effect here: the object can still be changed.', node);
      return false;
    }
    if (!/[\u{10000}-\u{10FFFF}]/u.test(rewriter.source.slice(node.start, node.end))) return false;
    const isMatched = rewriter.facts.hasRegexes;
    if (
      !isMatched &&
      ![...positional].some((name) => rewriter.facts.members.has(name)) &&
      !rewriter.facts.hasComputedMembers
    )
      return false;
    rewriter.warn(
      'code-points',
      'length, positions and . in patterns count code points here, not UTF-16 units as in JavaScript: they differ behind characters such as emoji.',
      node,
    );
    return false;
  },
};
