import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { methodCall, unwrap, type AnyNode } from '../syntax.ts';

const lists = new Set([
  'entries',
  'keys',
  'values',
  'split',
  'match',
  'map',
  'filter',
  'matchAll',
  'sort',
  'toSorted',
  'from',
  'flat',
  'flatMap',
]);

function mayBeText(node: AnyNode): boolean {
  const inner = unwrap(node);
  if (inner.type === 'ArrayExpression' || inner.type === 'NewExpression') return false;
  if (inner.type === 'LogicalExpression') return mayBeText(inner.left) && mayBeText(inner.right);
  const call = methodCall(inner.type === 'ChainExpression' ? inner.expression : inner);
  return call === undefined || !lists.has(call.name);
}

/**
 * The engine walks through a text by its characters in quadratic time: 6 s for 0.1 MB. Split, they are an array.
 *
 *     for (const c of text) …   →   for (const c of __ms_characters(text)) …
 *     [...text]                 →   [...__ms_characters(text)]
 */
export const characters: Rule = {
  id: 'characters',
  on: ['ForOfStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ForOfStatement' || node.await || !mayBeText(node.right)) return false;
    rewriter.output.copy(node.start, node.left.start);
    rewriter.write(node, node.left);
    rewriter.output.copy(node.left.end, node.right.start);
    rewriter.write(node, `${rewriter.helper('characters')}(`, node.right, ')');
    rewriter.output.copy(node.right.end, node.body.start);
    rewriter.write(node, node.body);
    return true;
  },
};

export const spreadCharacters: Rule = {
  id: 'spread-characters',
  on: ['SpreadElement'],
  rewrite(node, rewriter) {
    if (node.type !== 'SpreadElement' || rewriter.ancestors.at(-1)?.type !== 'ArrayExpression') return false;
    if (!mayBeText(node.argument)) return false;
    rewriter.write(node, `...${rewriter.helper('characters')}(`, node.argument, ')');
    return true;
  },
};

export const characterHelpers: Helper[] = [
  {
    name: 'characters',
    code: `function __ms_characters(values) { return typeof values === 'string' ? values.split('') : values; }`,
  },
];
