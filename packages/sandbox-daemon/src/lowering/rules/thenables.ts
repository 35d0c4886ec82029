import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { isFunction, memberName, type AnyNode } from '../syntax.ts';

/**
 * The engine calls the method `then` of an object at once when it waits for it, JavaScript a turn of promises later. It is
 * known by the functions that it gives, which are none of the script.
 *
 *     { then(done) { done(1); } }   →   { then: __ms_thenable(function (done) { done(1); }) }
 *     o.then = f                    →   o.then = __ms_thenable(f)
 */
export const thenables: Rule = {
  id: 'thenables',
  on: ['Property', 'AssignmentExpression'],
  rewrite(node, rewriter) {
    const { facts, ancestors, output } = rewriter;
    if (!hasThenables(facts)) return false;
    if (node.type === 'AssignmentExpression') {
      const { left, right, operator } = node;
      if (left.type !== 'MemberExpression' || memberName(left) !== 'then' || operator !== '=') return false;
      if (!mayBeFunction(right)) return false;
      rewriter.write(node, left);
      output.copy(left.end, right.start);
      rewriter.write(node, `${rewriter.helper('thenable')}(`, right, ')');
      output.copy(right.end, node.end);
      return true;
    }
    if (node.type !== 'Property' || node.kind !== 'init' || ancestors.at(-1)?.type !== 'ObjectExpression') return false;
    const { key, value, computed } = node;
    const name = key.type === 'Identifier' ? !computed && key.name : key.type === 'Literal' && key.value;
    if (name !== 'then' || !mayBeFunction(value)) return false;
    output.write(`then: ${rewriter.helper('thenable')}(`, node);
    if (node.method) output.write(isFunction(value) && value.async ? 'async function ' : 'function ', node);
    rewriter.write(node, value, ')');
    return true;
  },
};

/** Whether an object may have a method `then`, and something may wait for it. */
export function hasThenables({ isAsync, references, ownMembers }: Facts): boolean {
  return ownMembers.has('then') && (isAsync || references.has('Promise'));
}

/** A generator gives no promise: nothing waits for what it does. */
function mayBeFunction(node: AnyNode): boolean {
  if (isFunction(node)) return !node.generator;
  return node.type !== 'Literal' && node.type !== 'TemplateLiteral' && node.type !== 'ObjectExpression';
}

export const thenableHelpers: Helper[] = [
  {
    name: 'thenable',
    code: `const __ms_ofEngine = 'function () { [native code] }';
function __ms_isOfEngine(call) { return typeof call === 'function' && call.name === '' && String(call) === __ms_ofEngine; }
const __ms_thens = new Map();
function __ms_thenable(own) {
  if (typeof own !== 'function') return own;
  function then(...args) {
    const self = this;
    const [done, failed] = args;
    if (args.length !== 2 || !__ms_isOfEngine(done) || !__ms_isOfEngine(failed)) return own.apply(self, args);
    Promise.resolve().then(() => {
      try { own.call(self, done, failed); } catch (error) { failed(__ms_caught(error)); }
    });
    return undefined;
  }
  __ms_thens.set(then, own);
  return then;
}`,
  },
];
