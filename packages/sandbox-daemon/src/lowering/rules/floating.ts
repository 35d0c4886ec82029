import type { CallExpression } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { isFunction, methodCall, unwrap, type AnyNode } from '../syntax.ts';

/**
 * An async call that is a statement of its own: nobody can see what it fails with. As in Node, that ends the run, or what
 * the function has not done by then would be missing in silence.
 *
 *     load(rows);   →   __ms_floating(load(rows), 0, 11);
 */
export const floating: Rule = {
  id: 'floating',
  on: ['ExpressionStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ExpressionStatement' || !rewriter.facts.isAsync) return false;
    const call = unwrap(node.expression);
    if (call.type !== 'CallExpression') return false;
    if (!isAsyncCall(call, rewriter.facts) && !isReaction(call, rewriter.facts)) return false;
    // Its promise is the result, which the engine waits for.
    const program = rewriter.ancestors[0];
    if (program?.type === 'Program' && program.body.at(-1) === node) return false;
    const { start, end } = call;
    rewriter.output.write(`${rewriter.helper('floating')}(`, node);
    rewriter.inside(call, () => rewriter.emit(node.expression));
    rewriter.output.write(`, ${start}, ${end})`, node);
    rewriter.output.copy(node.expression.end, node.end);
    return true;
  },
};

/**
 * The same for what `forEach` calls: it throws the promises away.
 *
 *     rows.forEach(async (row) => { … })   →   rows.forEach(__ms_floatingCalls(async (row) => { … }, 13, 33))
 */
export const floatingCallback: Rule = {
  id: 'floating-callback',
  on: ['ArrowFunctionExpression', 'FunctionExpression'],
  rewrite(node, rewriter) {
    if (!isFunction(node) || !node.async || node.generator || rewriter.isInside(node)) return false;
    const parent = rewriter.ancestors.at(-1);
    if (parent?.type !== 'CallExpression' || parent.arguments[0] !== node) return false;
    if (methodCall(parent)?.name !== 'forEach') return false;
    wrap(node, rewriter, 'floatingCalls', `, ${node.start}, ${node.end}`);
    return true;
  },
};

/**
 * A promise that the script may forget: what the engine refuses in it ends the run nevertheless. An error of the script's
 * own does not, for it may be handled later.
 *
 *     const loading = load(rows)   →   const loading = __ms_watched(load(rows))
 */
export const watched: Rule = {
  id: 'watched',
  on: ['CallExpression', 'NewExpression'],
  rewrite(node, rewriter) {
    const { facts } = rewriter;
    if (!facts.isAsync || rewriter.isInside(node)) return false;
    const makesPromise =
      node.type === 'CallExpression'
        ? isAsyncCall(node, facts) || facts.asyncNames.methods.has(methodCall(node)?.name ?? '')
        : node.type === 'NewExpression' && node.callee.type === 'Identifier' && node.callee.name === 'Promise';
    const parent = rewriter.ancestors.findLast(({ type }) => type !== 'ParenthesizedExpression');
    if (!makesPromise || parent?.type === 'AwaitExpression') return false;
    wrap(node, rewriter, 'watched', '');
    return true;
  },
};

function wrap(node: AnyNode, rewriter: Rewriter, helper: string, rest: string): void {
  rewriter.output.write(`${rewriter.helper(helper)}(`, node);
  rewriter.inside(node, () => rewriter.emit(node));
  rewriter.output.write(`${rest})`, node);
}

/** Whether it calls an async function of the script, as far as the source shows. */
function isAsyncCall(call: CallExpression, { asyncNames }: Facts): boolean {
  if (call.optional) return false;
  const callee = unwrap(call.callee);
  if (callee.type === 'Identifier') return asyncNames.functions.has(callee.name);
  return isFunction(callee) && callee.async && !callee.generator;
}

const reactions = new Set(['then', 'catch', 'finally']);

/** Each makes a promise of its own, which nobody else can know. */
function isReaction(call: CallExpression, { ownMethods }: Facts): boolean {
  const name = methodCall(call)?.name ?? '';
  return !call.optional && reactions.has(name) && !ownMethods.has(name);
}

export const floatingHelpers: Helper[] = [
  {
    name: 'watched',
    code: `function __ms_watched(value) {
  if (value instanceof Promise) value.catch((error) => { __ms_caught(error); });
  return value;
}`,
  },
  {
    name: 'floating',
    code: `function __ms_floating(value, start, end) {
  if (value instanceof Promise) value.catch((error) => {
    __ms_caught(error);
    __ms_refusal.isMet = true;
    const isError = error instanceof Error;
    __ms_v8('fail', isError ? String(error.name) : 'Error', isError ? String(error.message) : typeof error === 'object' ? 'an object that is no Error' : String(error), start, end);
  });
  return value;
}
function __ms_floatingCalls(call, start, end) {
  return function (...args) { __ms_floating(call.apply(this, args), start, end); };
}`,
  },
];
