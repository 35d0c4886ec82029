import type { Facts } from '../../facts.ts';
import type { Rule } from '../../rule.ts';
import { methodCall, unwrap, type AnyNode } from '../../syntax.ts';

const lists = new Set([
  'entries',
  'keys',
  'values',
  'split',
  'match',
  'map',
  'filter',
  'slice',
  'matchAll',
  'sort',
  'toSorted',
  'reverse',
  'from',
]);

export function mayGenerate(node: AnyNode, { ownMethods }: Facts): boolean {
  const inner = unwrap(node);
  if (inner.type === 'ArrayExpression' || inner.type === 'Literal' || inner.type === 'TemplateLiteral') return false;
  const call = methodCall(inner);
  return call === undefined || !lists.has(call.name) || ownMethods.has(call.name);
}

/** Where all values are wanted at once, or the first few. */
export const consumers: Rule = {
  id: 'generator-consumer',
  on: ['SpreadElement', 'CallExpression', 'NewExpression'],
  rewrite(node, rewriter) {
    if (!rewriter.facts.hasGenerators) return false;
    const list = rewriter.helper.bind(rewriter, 'list');
    if (node.type === 'SpreadElement') {
      if (rewriter.ancestors.at(-1)?.type === 'ObjectExpression' || !mayGenerate(node.argument, rewriter.facts))
        return false;
      rewriter.write(node, `...${list()}(`, node.argument, ')');
      return true;
    }
    if (node.type === 'NewExpression') {
      if (node.callee.type !== 'Identifier' || !['Map', 'Set'].includes(node.callee.name)) return false;
      const [argument] = node.arguments;
      if (argument === undefined || argument.type === 'SpreadElement' || !mayGenerate(argument, rewriter.facts))
        return false;
      rewriter.write(node, `new ${node.callee.name}(${list()}(`, argument, '))');
      return true;
    }
    const call = methodCall(node);
    if (call === undefined || node.type !== 'CallExpression' || call.object.type !== 'Identifier') return false;
    if (!['Array.from', 'Object.fromEntries'].includes(`${call.object.name}.${call.name}`)) return false;
    const [argument, ...more] = node.arguments;
    if (argument === undefined || argument.type === 'SpreadElement' || !mayGenerate(argument, rewriter.facts))
      return false;
    rewriter.write(node, `${call.object.name}.${call.name}(${list()}(`, argument, ')');
    for (const other of more) rewriter.write(node, ', ', other);
    rewriter.output.write(')', node);
    return true;
  },
};
