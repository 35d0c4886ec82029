import { childrenOf, isFunction, type AnyNode } from '../../../syntax.ts';

const known = new WeakMap<AnyNode, boolean>();

/** Whether the generator may stop inside of `node`: there is a `yield`, and not of a function in it. */
export function hasYield(node: AnyNode): boolean {
  let found = known.get(node);
  if (found === undefined) {
    found = node.type === 'YieldExpression' || (!isFunction(node) && childrenOf(node).some(hasYield));
    known.set(node, found);
  }
  return found;
}
