import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';

/**
 * A regular expression that V8 runs is a plain object to the engine.
 *
 *     pattern instanceof RegExp   →   __ms_isRegex(pattern)
 */
export const regexInstances: Rule = {
  id: 'regex-instances',
  on: ['BinaryExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'BinaryExpression' || node.operator !== 'instanceof' || !rewriter.facts.hasV8Regexes)
      return false;
    if (node.right.type !== 'Identifier' || node.right.name !== 'RegExp') return false;
    if (node.left.type === 'PrivateIdentifier' || rewriter.facts.declared.has('RegExp')) return false;
    rewriter.write(node, `${rewriter.helper('isRegex')}(`, node.left, ')');
    return true;
  },
};

export const regexInstanceHelpers: Helper[] = [
  {
    name: 'isRegex',
    code: 'function __ms_isRegex(value) { return value instanceof RegExp || __ms_isV8(value); }',
  },
];
