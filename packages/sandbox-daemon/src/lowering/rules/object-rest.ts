import type { Rule } from '../rule.ts';
import type { AnyNode } from '../syntax.ts';

/**
 * The rest of an object pattern is empty where the engine takes it of an array or a text.
 *
 *     const { ...copy } = list   →   const { ...copy } = { ...list }
 */
export const objectRest: Rule = {
  id: 'object-rest',
  on: ['VariableDeclarator'],
  rewrite(node, rewriter) {
    if (node.type !== 'VariableDeclarator' || !node.init) return false;
    if (!isOnlyRest(node.id)) return false;
    rewriter.write(node, node.id);
    rewriter.output.copy(node.id.end, node.init.start);
    rewriter.write(node, `${rewriter.helper('spread')}(`, node.init, ')');
    return true;
  },
};

function isOnlyRest(pattern: AnyNode): boolean {
  return (
    pattern.type === 'ObjectPattern' && pattern.properties.length === 1 && pattern.properties[0]?.type === 'RestElement'
  );
}
