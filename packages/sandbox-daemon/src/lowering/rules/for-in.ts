import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { memberName, walk, type AnyNode } from '../syntax.ts';

/**
 * The engine notes all names before the first turn. One that is removed before its turn has none in JavaScript.
 *
 *     for (const k in o) { delete o[next[k]]; }   →   for (const k in (t = o)) { if (__ms_isGone(t, k)) continue; { delete … } }
 */
export const forIn: Rule = {
  id: 'for-in',
  on: ['ForInStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ForInStatement' || !mayRemove(node.body, rewriter.facts)) return false;
    const { left, right, body } = node;
    const target = left.type === 'VariableDeclaration' ? left.declarations[0]?.id : left;
    if (target?.type !== 'Identifier') return false;
    const isOwn = left.type === 'VariableDeclaration' && left.kind !== 'var';
    const object = rewriter.temporary();
    const name = isOwn ? target.name : rewriter.name();
    rewriter.output.copy(node.start, left.start);
    if (isOwn) rewriter.write(node, left);
    else rewriter.output.write(`const ${name}`, left);
    rewriter.output.copy(left.end, right.start);
    rewriter.write(node, `(${object} = `, right, ')');
    rewriter.output.copy(right.end, body.start);
    rewriter.write(node, `{ if (${rewriter.helper('isGone')}(${object}, ${name})) continue; `);
    // A variable from outside keeps the last name that had a turn.
    if (!isOwn) rewriter.write(node, left, ` = ${name}; `);
    rewriter.write(node, body, ' }');
    return true;
  },
};

/** The others move the holes of a list. */
const removing = new Set(['pop', 'shift', 'splice', 'sort', 'reverse', 'unshift', 'copyWithin']);

/** A function of the script may do it, too. */
function mayRemove(body: AnyNode, { declared, ownMethods }: Facts): boolean {
  let found = false;
  walk(body, (node) => {
    if (node.type === 'UnaryExpression') found ||= node.operator === 'delete';
    if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') {
      found ||= memberName(node.left) === 'length';
    }
    if (node.type !== 'CallExpression') return;
    const { callee } = node;
    if (callee.type === 'Identifier') found ||= declared.has(callee.name);
    else if (callee.type === 'MemberExpression') {
      const name = memberName(callee);
      found ||= name === undefined || removing.has(name) || ownMethods.has(name);
    }
  });
  return found;
}

export const forInHelpers: Helper[] = [
  {
    name: 'isGone',
    code: `function __ms_isGone(object, name) {
  return typeof object === 'object' && object !== null && !Object.hasOwn(object, name);
}`,
  },
];
