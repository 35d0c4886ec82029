import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';

/**
 *     tag`a${b}c`   →   tag(__ms_strings(["a", "c"], ["a", "c"]), b)
 */
export const taggedTemplate: Rule = {
  id: 'tagged-template',
  on: ['TaggedTemplateExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'TaggedTemplateExpression') return false;
    const { tag, quasi } = node;
    // An invalid escape has no meaning, which a tag sees as undefined.
    const cooked = quasi.quasis.map(({ value }) =>
      value.cooked === null ? 'undefined' : JSON.stringify(value.cooked),
    );
    const raw = quasi.quasis.map(({ value }) => JSON.stringify(value.raw));
    rewriter.write(node, tag, `(${rewriter.helper('strings')}([${cooked.join(', ')}], [${raw.join(', ')}])`);
    let at = quasi.start;
    for (const expression of quasi.expressions) {
      // Line ends have to stay where they are.
      rewriter.output.write(', ', { start: at, end: expression.start });
      rewriter.write(node, expression);
      at = expression.end;
    }
    rewriter.output.write(')', { start: at, end: node.end });
    return true;
  },
};

export const taggedTemplateHelpers: Helper[] = [
  {
    name: 'strings',
    code: 'function __ms_strings(strings, raw) { strings.raw = raw; return strings; }',
  },
];
