import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';

export const caughtHelpers: Helper[] = [
  {
    name: 'caught',
    code: `function __ms_caught(error) {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  if (/^(?:cannot coerce complex value to number$|(?:Object helpers|object spread) currently only support|[A-Z][A-Za-z]*(?:\\.\\w+)+ is not supported$)/.test(message)) throw error;
  if (error.name === 'Error' && /^value is not (?:callable$|iterable|destructurable as an array)/.test(message)) return new TypeError(message);
  return error;
}`,
  },
];

/**
 * What the engine does not do it throws as an error of the script. A `catch` would go on with another value, so there it
 * is thrown again. What is a TypeError in JavaScript becomes one: the engine throws an Error.
 *
 *     try { box * 2 } catch (e) { e.name }   →   catch (t) { let e = __ms_caught(t); e.name }
 */
export const caught: Rule = {
  id: 'caught',
  on: ['CatchClause'],
  rewrite(node, rewriter) {
    if (node.type !== 'CatchClause') return false;
    const { param, body } = node;
    const helper = rewriter.helper('caught');
    const name = rewriter.name();
    // A declaration: a script whose last statement is this one has the value of the block, which may have none.
    rewriter.write(node, `catch (${name}) {let `, param ?? rewriter.name(), ` = ${helper}(${name});`);
    let at = body.start + 1;
    for (const statement of body.body) {
      rewriter.output.copy(at, statement.start);
      rewriter.write(body, statement);
      at = statement.end;
    }
    rewriter.output.copy(at, body.end);
    return true;
  },
};
