import type { Rule } from '../rule.ts';

/**
 * The engine makes a template by adding its parts from the left, and skips an empty text at the beginning: two numbers
 * are added, and a single value stays what it is. A text in front makes every addition one of texts.
 *
 *     `${a}${b}`   →   `${''}${a}${b}`
 *     `${a}`       →   `${''}${a}`
 */
export const template: Rule = {
  id: 'template',
  on: ['TemplateLiteral'],
  rewrite(node, rewriter) {
    if (node.type !== 'TemplateLiteral') return false;
    // A value in a tagged one stands right below it, too.
    const parent = rewriter.ancestors.at(-1);
    if (parent?.type === 'TaggedTemplateExpression' && parent.quasi === node) return false;
    if (node.expressions.length === 0 || node.quasis[0]?.value.cooked !== '') return false;
    rewriter.output.write("`${''}", node);
    let at = node.start + 1;
    for (const expression of node.expressions) {
      rewriter.output.copy(at, expression.start);
      rewriter.write(node, expression);
      at = expression.end;
    }
    rewriter.output.copy(at, node.end);
    return true;
  },
};
