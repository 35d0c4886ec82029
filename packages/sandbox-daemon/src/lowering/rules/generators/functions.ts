import { Refusal, type Rewriter } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import { childrenOf, isFunction, walk, type AnyNode, type FunctionNode } from '../../syntax.ts';
import { writeCaught } from '../caught.ts';
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
    if (usesThis(node.body, 'arguments')) throw new Refusal('arguments is not supported in a generator', node);
    const { body } = node;
    const { stepsIterators } = rewriter.facts;
    const why = stepsIterators && !node.async ? obstacleIn(node) : undefined;
    const isStepped = stepsIterators && !node.async && why === undefined;
    if (!isStepped && !node.async) refuse(body, why);
    if (node.async) warnOfTurns(node, rewriter);
    const helper = rewriter.helper(isStepped ? 'stepped' : node.async ? 'asyncGenerator' : 'generator');
    const open = node.async ? 'async (__ms_yield) => {' : '(__ms_yield) => {';
    const close = why === undefined ? '});' : `}, ${JSON.stringify(why)});`;
    rewriter.functions.copyWith(node, {
      from: node.start,
      head: () => writeHead(node, rewriter),
      to: body.start,
      ...(isStepped
        ? { body: () => writeStepped(body, rewriter) }
        : {
            start: () => rewriter.output.write(`return ${helper}(${open}`, body),
            end: () => rewriter.output.write(close, { start: body.end, end: body.end }),
          }),
    });
    return true;
  },
};

const sideBySide = ['all', 'allSettled', 'any', 'race', 'then'];

/** Its body goes on one turn after it is asked, in V8 at once. */
function warnOfTurns(node: AnyNode, rewriter: Rewriter): void {
  if (!sideBySide.some((name) => rewriter.facts.members.has(name))) return;
  const message = 'What runs beside an async generator may run in another order than in JavaScript.';
  rewriter.warn('async-turns', message, node);
}

/** What stands before the body, as that of a plain function. That of a method begins with its parameters. */
function writeHead({ start, params, body }: FunctionNode, rewriter: Rewriter): void {
  const { output, source } = rewriter;
  const first = params[0]?.start ?? body.start;
  const star = source.indexOf('*', start);
  let at = start;
  if (star !== -1 && star < first) {
    const async = /^async\s+/.exec(source.slice(start, star));
    output.copy(start + (async?.[0].length ?? 0), star);
    output.write(' ', { start: star, end: star + 1 });
    at = star + 1;
  }
  for (const param of params) {
    output.copy(at, param.start);
    rewriter.emit(param);
    at = param.end;
  }
  output.copy(at, body.start);
}

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
      if (node.param && node.param.type !== 'Identifier')
        throw new Refusal('a pattern is not supported in catch inside of a generator', node);
      writeCaught(node, rewriter, (name) => `if (${name} === ${rewriter.helper('stop')}) throw ${name}; `);
      return true;
    }
    if (node.type !== 'YieldExpression') return false;
    const isAsync = rewriter.ancestors.findLast(isFunction)?.async === true;
    if (isAsync) {
      const call = node.delegate ? `${rewriter.helper('yieldAll')}(__ms_yield, ` : '__ms_yield(await ';
      rewriter.write(node, `(await ${call}`, node.argument ?? 'undefined', '))');
      return true;
    }
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
