import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { unwrap } from '../syntax.ts';
import { isBuiltin } from './builtin-names.ts';

/**
 * A regular expression cannot cross to the sidecar, its source and flags can; one that is written in the call is never
 * made in the engine, which may lack it. A list cannot cross with properties of its own, so these are added here.
 *
 *     search(path, /a(?=b)/i)   →   __ms_searchFiles(path, { source: "a(?=b)", flags: "i" })
 */
export const searchRule: Rule = {
  id: 'search',
  on: ['Identifier', 'CallExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'Identifier') {
      if (node.name !== 'search' || !isBuiltin(node, rewriter)) return false;
      const parent = rewriter.ancestors.at(-1);
      const key = parent?.type === 'Property' && parent.shorthand ? 'search: ' : '';
      rewriter.output.write(`${key}${rewriter.helper('searchFiles')}`, node);
      return true;
    }
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'search')
      return false;
    if (!isBuiltin(node.callee, rewriter, node)) return false;
    const pattern = node.arguments[1] === undefined ? undefined : unwrap(node.arguments[1]);
    if (pattern?.type !== 'Literal' || !('regex' in pattern) || !pattern.regex) return false;
    const { pattern: source, flags } = pattern.regex;
    rewriter.substitute(pattern, JSON.stringify({ source, flags }));
    return false;
  },
};

export const searchHelpers: Helper[] = [
  {
    name: 'searchFiles',
    code: ({ isAsync }) => `${isAsync ? 'async ' : ''}function __ms_searchFiles(where, pattern, options) {
  const isRegex = pattern instanceof RegExp || (typeof pattern === 'object' && pattern !== null && pattern.isV8 === true);
  const given = isRegex ? { source: pattern.source, flags: pattern.flags } : pattern;
  const { found, truncated, skipped } = ${isAsync ? 'await ' : ''}search(where, given, options);
  if (typeof found === 'object') {
    found.truncated = truncated;
    found.skipped = skipped;
  }
  return found;
}`,
  },
];
