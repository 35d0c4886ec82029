import { Refusal, type Rewriter } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import { childrenOf, isFunction, walk, type AnyNode } from '../../syntax.ts';
import { obstacleIn } from './steps/possible.ts';
import { writeSteps } from './steps/statements.ts';
import { hasYield } from './steps/yields.ts';

/**
 * The engine has no generators. One becomes a function that is given what to do with each value, and a loop over it
 * gives it its body; so both go on in turns, as in JavaScript, and an endless one ends with the loop.
 *
 *     function* g() { yield 1; }       →   function g() { return __ms_generator((__ms_yield) => { __ms_yield(1); }); }
 *     for (const x of g()) { f(x); }   →   __ms_each(g(), (x) => { f(x); });
 */
export const generatorFunction: Rule = {
  id: 'generator',
  on: ['FunctionDeclaration', 'FunctionExpression'],
  rewrite(node, rewriter) {
    if (!isFunction(node) || !node.generator || node.body.type !== 'BlockStatement') return false;
    if (node.async) throw new Refusal('async generators are not supported: push into an array', node);
    if (usesThis(node.body, 'arguments')) throw new Refusal('arguments is not supported in a generator', node);
    const { body } = node;
    const why = rewriter.facts.stepsIterators ? obstacleIn(node) : undefined;
    const isStepped = rewriter.facts.stepsIterators && why === undefined;
    if (!isStepped) refuse(body, why);
    const star = rewriter.source.indexOf('*', node.start);
    const hasStar = star !== -1 && star < (node.params[0]?.start ?? body.start);
    rewriter.functions.copyWith(node, {
      from: hasStar ? star : node.start,
      head: () => {
        if (hasStar) rewriter.output.write(' ', node);
        rewriter.output.copy(hasStar ? star + 1 : node.start, node.params[0]?.start ?? body.start);
        let at = node.params[0]?.start ?? body.start;
        for (const param of node.params) {
          rewriter.output.copy(at, param.start);
          rewriter.write(node, param);
          at = param.end;
        }
        rewriter.output.copy(at, body.start);
      },
      to: body.start,
      ...(isStepped
        ? { body: () => writeStepped(body, rewriter) }
        : {
            start: () => rewriter.output.write(`return ${rewriter.helper('generator')}((__ms_yield) => {`, body),
            end: () =>
              rewriter.output.write(why === undefined ? '});' : `}, ${JSON.stringify(why)});`, {
                start: body.end,
                end: body.end,
              }),
          }),
    });
    return true;
  },
};

/**
 * Where a script calls `next`, or a generator needs it by itself, all are made of steps.
 *
 *     function* g() { const x = yield 1; f(x); }
 *     function g() { return __ms_stepped(() => { return [() => ({ op: 'yield', value: 1, set: … }), () => { const x = t; f(x); }]; }); }
 */
function writeStepped(body: AnyNode & { type: 'BlockStatement' }, rewriter: Rewriter): void {
  rewriter.output.write(`return ${rewriter.helper('stepped')}(() => { `, body);
  writeSteps(body.body, body, rewriter);
  rewriter.output.write('});', { start: body.end, end: body.end });
}

/** The star of a method stands before its name. */
export const generatorMethod: Rule = {
  id: 'generator-method',
  on: ['Property'],
  rewrite(node, rewriter) {
    if (node.type !== 'Property' || !node.method || !isFunction(node.value) || !node.value.generator) return false;
    if (node.computed) rewriter.write(node, '[', node.key, ']');
    else rewriter.output.copy(node.key.start, node.key.end);
    rewriter.write(node, node.value);
    return true;
  },
};

export const yields: Rule = {
  id: 'yield',
  on: ['YieldExpression', 'CatchClause'],
  rewrite(node, rewriter) {
    if (node.type === 'CatchClause') {
      // The end of a loop over the generator is no error of its own.
      if (!rewriter.ancestors.some((outer) => isFunction(outer) && outer.generator) || rewriter.isInside(node))
        return false;
      if (node.param?.type !== 'Identifier') {
        if (node.param) throw new Refusal('a pattern is not supported in catch inside of a generator', node);
        rewriter.write(
          node,
          `catch (__ms_ended) { if (__ms_ended === ${rewriter.helper('stop')}) throw __ms_ended; `,
          node.body,
          '}',
        );
        return true;
      }
      rewriter.write(
        node,
        `catch (${node.param.name}) { if (${node.param.name} === ${rewriter.helper('stop')}) throw ${node.param.name}; `,
        node.body,
        '}',
      );
      return true;
    }
    if (node.type !== 'YieldExpression') return false;
    if (node.delegate && node.argument) {
      rewriter.write(node, `${rewriter.helper('each')}(`, node.argument, ', (value) => { __ms_yield(value); })');
      return true;
    }
    rewriter.output.write('__ms_yield(', node);
    if (node.argument) rewriter.write(node, node.argument);
    rewriter.output.write(')', node);
    return true;
  },
};

function refuse(body: AnyNode, why: string | undefined): void {
  const only = onlyInSteps(body);
  if (only === undefined) return;
  const what = only.type === 'YieldExpression' && only.delegate ? 'the value of yield*' : 'yield in finally';
  throw new Refusal(`${what} is not supported here, because ${why}: return a list`, only);
}

/**
 * What a generator that is not made of steps cannot do: a loop that ends early would have to go on with a `yield` in
 * `finally`, and nobody gives `yield*` a value.
 */
function onlyInSteps(body: AnyNode): AnyNode | undefined {
  let found: AnyNode | undefined;
  walk(
    body,
    (node, parent) => {
      if (node.type === 'TryStatement' && node.finalizer && hasYield(node.finalizer))
        found ??= firstYield(node.finalizer);
      if (node.type === 'YieldExpression' && node.delegate && parent?.type !== 'ExpressionStatement') found ??= node;
    },
    (node) => isFunction(node),
  );
  return found;
}

function firstYield(node: AnyNode): AnyNode {
  return node.type === 'YieldExpression' ? node : firstYield(childrenOf(node).find(hasYield) as AnyNode);
}

function usesThis(body: AnyNode, name: string): boolean {
  let found = false;
  walk(body, (inner) => {
    found ||= inner.type === 'Identifier' && inner.name === name;
  });
  return found;
}
