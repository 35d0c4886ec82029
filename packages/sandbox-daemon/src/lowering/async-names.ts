import type { Program } from 'acorn';
import { assigned, bindingNames, isBound, isFunction, memberName, unwrap, walk, type AnyNode } from './syntax.ts';

/** What a script calls its async functions. */
export interface AsyncNames {
  /** Names that stand for an async function and never for anything else. */
  functions: ReadonlySet<string>;
  /** Names of methods that are async in some object. */
  methods: ReadonlySet<string>;
}

export const noAsyncNames: AsyncNames = { functions: new Set(), methods: new Set() };

export function findAsyncNames(program: Program): AsyncNames {
  const functions = new Set<string>();
  const methods = new Set<string>();
  const bindings = new Map<string, number>();
  const bind = (pattern: AnyNode): void => {
    const names = new Set<string>();
    bindingNames(pattern, names);
    for (const name of names) bindings.set(name, (bindings.get(name) ?? 0) + 1);
  };
  walk(program, (node, parent) => {
    if (node.type === 'VariableDeclarator') bind(node.id);
    if (isFunction(node)) for (const param of node.params) bind(param);
    if (node.type === 'Identifier' && isBound(node, parent) && !(parent && isFunction(parent) && parent.id !== node))
      bind(node);
    const target = assigned(node);
    if (target !== undefined) bind(target);
    if (!isFunction(node) || !node.async || node.generator) return;
    if (node.type === 'FunctionDeclaration' && node.id) functions.add(node.id.name);
    const owner = parent && unwrap(parent);
    if (owner?.type === 'VariableDeclarator' && owner.id.type === 'Identifier') functions.add(owner.id.name);
    const method = nameOfMethod(owner);
    if (method !== undefined) methods.add(method);
  });
  for (const name of functions) if (bindings.get(name) !== 1) functions.delete(name);
  return { functions, methods };
}

/** The name of the property or the method that a function is. */
function nameOfMethod(owner: AnyNode | undefined): string | undefined {
  switch (owner?.type) {
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return !owner.computed && owner.key.type === 'Identifier' ? owner.key.name : undefined;
    case 'AssignmentExpression':
      return owner.left.type === 'MemberExpression' ? memberName(owner.left) : undefined;
    default:
      return undefined;
  }
}
