import { Refusal } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { bindingNames, childrenOf, isFunction, isReference, type AnyNode } from '../syntax.ts';

/**
 * In the head of a loop the loop's own variable has no value yet, and reading it is a ReferenceError. The engine reads
 * the variable of that name around the loop.
 *
 *     const line = 'a b'; for (const line of line.split(' ')) …   →   refused
 */
export const loopHead: Rule = {
  id: 'loop-head',
  on: ['ForOfStatement', 'ForInStatement'],
  rewrite(node) {
    if (node.type !== 'ForOfStatement' && node.type !== 'ForInStatement') return false;
    const { left, right } = node;
    if (left.type !== 'VariableDeclaration' || left.kind === 'var') return false;
    const names = new Set<string>();
    for (const { id } of left.declarations) bindingNames(id, names);
    const used = firstUse(right, undefined, names);
    if (used === undefined) return false;
    throw new Refusal(
      `\`${used.name}\` is the variable of this loop and has no value in the loop's head: give the loop's variable another name`,
      used,
    );
  },
};

/**
 * The engine keeps the object of `o.a ??= b` in a variable of the block, and has none in the condition of a loop: the
 * second turn was an error.
 *
 *     while ((o.n ??= 0) < 3)   →   while (((t = (o), t.n ?? (t.n = 0))) < 3)
 */
export const loopCondition: Rule = {
  id: 'loop-condition',
  on: ['AssignmentExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'AssignmentExpression' || !/^(?:&&|\|\||\?\?)=$/.test(node.operator)) return false;
    const { left, right, operator } = node;
    if (left.type !== 'MemberExpression' || left.object.type === 'Super' || !isInCondition(node, rewriter.ancestors))
      return false;
    const object = rewriter.temporary();
    rewriter.write(node, `(${object} = (`, left.object, '), ');
    let place = `${object}.${(left.property as { name?: string }).name}`;
    if (left.property.type === 'PrivateIdentifier')
      place = `${rewriter.helper('ownOf')}(${object}).${rewriter.classes.privateName(left.property)}`;
    if (left.computed) {
      const key = rewriter.temporary();
      rewriter.write(node, `${key} = ${rewriter.helper('key')}(`, left.property, '), ');
      place = `${object}[${key}]`;
    }
    rewriter.write(node, `${place} ${operator.slice(0, -1)} (${place} = (`, right, ')))');
    return true;
  },
};

/** Whether it belongs to what a loop asks, or does, between its turns. */
function isInCondition(node: AnyNode, ancestors: readonly AnyNode[]): boolean {
  let inner = node;
  for (const outer of ancestors.toReversed()) {
    if (isFunction(outer)) return false;
    if ((outer.type === 'WhileStatement' || outer.type === 'DoWhileStatement') && outer.test === inner) return true;
    if (outer.type === 'ForStatement' && (outer.test === inner || outer.update === inner)) return true;
    inner = outer;
  }
  return false;
}

/** Where one of the names stands for a variable that no function around it declares. */
function firstUse(
  node: AnyNode,
  parent: AnyNode | undefined,
  names: ReadonlySet<string>,
): (AnyNode & { type: 'Identifier' }) | undefined {
  if (node.type === 'Identifier') return names.has(node.name) && isReference(node, parent) ? node : undefined;
  const free = isFunction(node) ? withoutDeclared(node, names) : names;
  if (free.size === 0) return undefined;
  for (const child of childrenOf(node)) {
    const found = firstUse(child, node, free);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a block of the function declares counts for all of it: a loop too few is refused, never one too many. Functions in it are asked for themselves. */
function withoutDeclared(node: AnyNode, names: ReadonlySet<string>): Set<string> {
  const declared = new Set<string>();
  const collect = (inner: AnyNode): void => {
    if (isFunction(inner) && inner !== node) {
      if (inner.type === 'FunctionDeclaration' && inner.id !== null) declared.add(inner.id.name);
      return;
    }
    if (isFunction(inner)) for (const param of inner.params) bindingNames(param, declared);
    if (inner.type === 'VariableDeclarator') bindingNames(inner.id, declared);
    for (const child of childrenOf(inner)) collect(child);
  };
  collect(node);
  return new Set([...names].filter((name) => !declared.has(name)));
}
