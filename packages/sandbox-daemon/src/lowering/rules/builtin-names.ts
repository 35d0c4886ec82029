import type { Rewriter } from '../rewriter.ts';
import { bindingNames, childrenOf, isFunction, isReference, type AnyNode } from '../syntax.ts';

/**
 * Whether a name stands for a built-in here: no function or block around it has a variable of that name. A block within
 * such a function counts for all of it, so a call too few is taken for one of the built-in, never one too many.
 *
 * @param parent the node right around it, when that is not the innermost of those being written
 */
export function isBuiltin(
  node: AnyNode & { type: 'Identifier' },
  { facts, ancestors }: Rewriter,
  parent: AnyNode | undefined = ancestors.at(-1),
): boolean {
  if (!facts.builtins.has(node.name) || !isReference(node, parent)) return false;
  return !facts.declared.has(node.name) || !ancestors.some((outer) => isScope(outer) && declares(outer, node.name));
}

function isScope(node: AnyNode): boolean {
  return (
    isFunction(node) || node.type === 'BlockStatement' || node.type === 'CatchClause' || node.type.startsWith('For')
  );
}

function declares(scope: AnyNode, name: string): boolean {
  const names = new Set<string>();
  const collect = (node: AnyNode): void => {
    if (isFunction(node)) for (const param of node.params) bindingNames(param, names);
    if (node.type === 'VariableDeclarator') bindingNames(node.id, names);
    if (node.type === 'CatchClause' && node.param) bindingNames(node.param, names);
    if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id) names.add(node.id.name);
    for (const child of childrenOf(node)) collect(child);
  };
  collect(scope);
  return names.has(name);
}
