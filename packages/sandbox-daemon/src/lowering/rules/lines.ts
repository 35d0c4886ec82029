import type { ForOfStatement } from 'acorn';
import type { Helper } from '../helper.ts';
import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { childrenOf, isFunction, unwrap, type AnyNode } from '../syntax.ts';
import { isBuiltin } from './builtin-names.ts';

/**
 * A loop over the lines of a file asks for some hundred kilobytes of them at a time. A label leads out of both loops.
 *
 *     for (const line of lines(path)) …   →
 *     __ms_l1: for (t1 = __ms_lines(path); (t2 = __ms_nextLines(t1)) !== null; ) for (const line of t2) …
 */
const loop: Rule = {
  id: 'lines-loop',
  on: ['ForOfStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ForOfStatement') return false;
    const call = linesCall(node.right, rewriter);
    if (call === undefined) return false;
    const wait = waiting(node, rewriter);
    const [reader, batch] = [rewriter.temporary(), rewriter.temporary()];
    const [outer, inner] = [rewriter.name(), rewriter.name()];
    for (const [end, text] of endsOf(node, rewriter.ancestors.at(-1), outer, inner)) rewriter.substitute(end, text);
    rewriter.write(node, `${outer}: for (${reader} = `, call, '; ');
    rewriter.write(node, `(${batch} = ${wait}${rewriter.helper('nextLines')}(${reader})) !== null; ) `);
    rewriter.write(node, `${inner}: for (`, node.left);
    rewriter.write(node, ` of ${batch}) `, node.body);
    return true;
  },
};

/** Elsewhere the lines are what a generator gives. */
const name: Rule = {
  id: 'lines',
  on: ['Identifier'],
  rewrite(node, rewriter) {
    if (node.type !== 'Identifier' || node.name !== 'lines' || !isBuiltin(node, rewriter)) return false;
    const parent = rewriter.ancestors.at(-1);
    const isLoop = rewriter.ancestors.at(-2)?.type === 'ForOfStatement' && parent?.type === 'CallExpression';
    if (rewriter.facts.isAsync && !isLoop) throw new Refusal(onlyLoops, node);
    const isShorthand = parent?.type === 'Property' && parent.shorthand;
    rewriter.output.write(`${isShorthand ? 'lines: ' : ''}${rewriter.helper('lines')}`, node);
    return true;
  },
};

export const linesRules: Rule[] = [loop, name];

const onlyLoops =
  'in a script with await or promises, lines() can only be looped over: for (const line of lines(path)), or write no await at all';

/** The call of `lines` that a loop goes over. */
function linesCall(right: AnyNode, rewriter: Rewriter): AnyNode | undefined {
  const inner = unwrap(right);
  const call = inner.type === 'AwaitExpression' ? unwrap(inner.argument) : inner;
  if (call.type !== 'CallExpression' || call.callee.type !== 'Identifier' || call.callee.name !== 'lines')
    return undefined;
  return isBuiltin(call.callee, rewriter, call) ? call : undefined;
}

/** What goes before the call that gives the next lines. */
function waiting(node: ForOfStatement, { facts, ancestors }: Rewriter): string {
  if (!facts.isAsync) return '';
  const around = ancestors.findLast(isFunction);
  if (around === undefined || around.async) return 'await ';
  throw new Refusal(
    'lines() cannot be waited for in a function that is not async, in a script with await or promises: make the function async and await its call, or write no await at all',
    node,
  );
}

/** The statements that leave this loop or go on with it, but stand for other loops once it is two. */
function* endsOf(
  loop: ForOfStatement,
  around: AnyNode | undefined,
  outer: string,
  inner: string,
): Generator<[AnyNode, string]> {
  const label = around?.type === 'LabeledStatement' ? around.label.name : undefined;
  function* visit(node: AnyNode, isBreakable: boolean): Generator<[AnyNode, string]> {
    if (isFunction(node)) return;
    if (node.type === 'BreakStatement' && !node.label && !isBreakable) yield [node, `break ${outer};`];
    if (node.type === 'ContinueStatement' && label !== undefined && node.label?.name === label)
      yield [node, `continue ${inner};`];
    const breakable = isBreakable || /^(?:For|While|DoWhile|Switch)/.test(node.type);
    for (const child of childrenOf(node)) yield* visit(child, breakable);
  }
  yield* visit(loop.body, false);
}

export const linesHelpers: Helper[] = [
  {
    name: 'lines',
    code: ({ isAsync }) => `let __ms_readers = 0;
function __ms_lines(path, options) {
  const reader = ${isAsync ? '{}' : '__ms_generator((step) => { for (let batch; (batch = __ms_nextLines(reader)) !== null; ) for (const line of batch) step(line); })'};
  reader.id = ++__ms_readers;
  reader.path = path;
  reader.options = options;
  return reader;
}`,
  },
  {
    name: 'nextLines',
    code: ({ isAsync }) => `${isAsync ? 'async ' : ''}function __ms_nextLines(reader) {
  const batch = ${isAsync ? 'await ' : ''}lines(reader.path, reader.options, reader.id);
  __ms_batch.lines = batch;
  return batch.length === 0 ? null : batch;
}`,
  },
];
