import type { ForOfStatement, ForStatement, VariableDeclarator } from 'acorn';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { childrenOf, walk, type AnyNode } from '../syntax.ts';

/**
 * The engine makes an environment with a copy of the variables for each turn of a loop, which takes half of the time of a
 * loop that does little. Where no function can keep one, all turns may share it.
 *
 *     for (let i = 0; i < n; i++) sum += i;   →   { let i = 0; for (; i < n; i++) sum += i; }
 *     for (const n of list) sum += n;         →   { let n; for (n of list) sum += n; }
 */
export const loopVariable: Rule = {
  id: 'loop-variable',
  on: ['ForStatement', 'ForOfStatement'],
  rewrite(node, rewriter) {
    if (node.type === 'ForOfStatement') return rewriteOf(node, rewriter);
    if (node.type !== 'ForStatement' || !isSimple(node)) return false;
    // `continue outer` wants the loop itself behind the label.
    if (rewriter.ancestors.at(-1)?.type === 'LabeledStatement') return false;
    const { init, test, update, body } = node;
    const end = (init as AnyNode).end;
    const gap = /^\s*;/.exec(rewriter.source.slice(end, end + 100));
    if (gap === null) return false;
    rewriter.write(node, '{ ', init as AnyNode, '; for (;');
    let at = end + gap[0].length;
    for (const part of [test, update]) {
      if (part === null || part === undefined) continue;
      rewriter.output.copy(at, part.start);
      rewriter.write(node, part);
      at = part.end;
    }
    rewriter.output.copy(at, body.start);
    rewriter.write(node, ...(keepsObject(body) ? blockOf(body) : [body]), ' }');
    return true;
  },
};

/**
 * The engine keeps what `o.a ??= 1` is about in a constant of the scope around it, which a loop without a block enters
 * once: the second turn fails.
 *
 *     while (next()) o.a ??= 1;   →   while (next()) { o.a ??= 1; }
 */
export const loopBody: Rule = {
  id: 'loop-body',
  on: ['WhileStatement', 'DoWhileStatement', 'ForStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'WhileStatement' && node.type !== 'DoWhileStatement' && node.type !== 'ForStatement')
      return false;
    if (node.body.type === 'BlockStatement' || !keepsObject(node.body)) return false;
    let at = node.start;
    for (const child of childrenOf(node)) {
      rewriter.output.copy(at, child.start);
      rewriter.write(node, ...(child === node.body ? blockOf(child) : [child]));
      at = child.end;
    }
    rewriter.output.copy(at, node.end);
    return true;
  },
};

function blockOf(body: AnyNode): (string | AnyNode)[] {
  return body.type === 'BlockStatement' ? [body] : ['{ ', body, ' }'];
}

const logical = new Set(['??=', '||=', '&&=']);

function keepsObject(node: AnyNode): boolean {
  let found = false;
  walk(node, (inner) => {
    found ||=
      inner.type === 'AssignmentExpression' && logical.has(inner.operator) && inner.left.type === 'MemberExpression';
  });
  return found;
}

/** Loops that are on their way through the rules a second time. */
const shared = new WeakSet<AnyNode>();

/** What the loop goes over may be the affair of another rule, so the loop is written by whichever that is. */
function rewriteOf(node: ForOfStatement, rewriter: Rewriter): boolean {
  const { left, right, body } = node;
  if (shared.has(node) || node.await || left.type !== 'VariableDeclaration' || left.kind === 'var') return false;
  if (rewriter.ancestors.at(-1)?.type === 'LabeledStatement') return false;
  const [{ id }] = left.declarations as [VariableDeclarator];
  if (id.type !== 'Identifier' || hasKeeper(right) || hasKeeper(body) || isAssigned(id.name, body)) return false;
  if (body.type !== 'BlockStatement' && keepsObject(body)) return false;
  shared.add(node);
  rewriter.substitute(left, id.name);
  rewriter.output.write(`{ let ${id.name}; `, node);
  rewriter.emit(node);
  rewriter.output.write(' }', node);
  return true;
}

/** A constant may not be, and that is an error of its own. */
export function isAssigned(name: string, body: AnyNode): boolean {
  let found = false;
  walk(body, (node, parent) => {
    if (node.type !== 'Identifier' || node.name !== name) return;
    found ||= parent?.type === 'UpdateExpression' || (parent?.type === 'AssignmentExpression' && parent.left === node);
    found ||= ['ArrayPattern', 'ObjectPattern', 'RestElement', 'AssignmentPattern'].includes(parent?.type ?? '');
    found ||= parent?.type === 'Property' && parent.value === node;
  });
  return found;
}

function isSimple({ init, test, update, body }: ForStatement): boolean {
  if (init?.type !== 'VariableDeclaration' || init.kind !== 'let') return false;
  if (init.declarations.some(({ id }) => id.type !== 'Identifier')) return false;
  if ([test, update].some((part) => part && keepsObject(part))) return false;
  return [init, test, update, body].every((part) => part === null || part === undefined || !hasKeeper(part));
}

const keepers = new Set([
  ...['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'ClassDeclaration', 'ClassExpression'],
  ...['YieldExpression', 'AwaitExpression'],
]);

export function hasKeeper(node: AnyNode): boolean {
  let found = false;
  walk(
    node,
    ({ type }) => (found ||= keepers.has(type)),
    () => found,
  );
  return found;
}
