import type { AnyNode, MemberExpression } from 'acorn';

export type { AnyNode, MemberExpression };
export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

/** The nodes right below `node`, in no order. A node that stands twice, as in `{ a }`, is given once. */
export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  for (const name of Object.keys(node) as (keyof AnyNode)[]) {
    const value = node[name] as unknown;
    // Key and value are the same text.
    if (name === ('key' as string) && node.type === 'Property' && node.shorthand) continue;
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (isNode(item)) children.push(item);
    } else if (isNode(value)) {
      children.push(value);
    }
  }
  return children;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Calls `visit` for `node` and all nodes below it, the outermost first, with the parent of each. */
export function walk(
  node: AnyNode,
  visit: (node: AnyNode, parent: AnyNode | undefined) => void,
  isLeftOut: (node: AnyNode) => boolean = () => false,
  parent?: AnyNode,
): void {
  if (isLeftOut(node)) return;
  visit(node, parent);
  for (const child of childrenOf(node)) walk(child, visit, isLeftOut, node);
}

export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  );
}

/** `node` without the parentheses around it. */
export function unwrap(node: AnyNode): AnyNode {
  let inner = node;
  while (inner.type === 'ParenthesizedExpression') inner = inner.expression;
  return inner;
}

/** The name in `object.name` and `object['name']`. */
export function memberName({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  const inner = unwrap(property);
  return inner.type === 'Literal' && typeof inner.value === 'string' ? inner.value : undefined;
}

/** Whether an identifier stands for a variable here, and not for a name of a member or a label. */
export function isReference(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (node.type !== 'Identifier') return false;
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.value === node || parent.computed;
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return false;
    default:
      return true;
  }
}

/** Adds the names that a pattern binds. */
function bindingNames(pattern: AnyNode, names: Set<string>): void {
  switch (pattern.type) {
    case 'Identifier':
      names.add(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        bindingNames(property.type === 'RestElement' ? property.argument : property.value, names);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element !== null) bindingNames(element, names);
      break;
    case 'AssignmentPattern':
      bindingNames(pattern.left, names);
      break;
    case 'RestElement':
      bindingNames(pattern.argument, names);
      break;
    default:
  }
}

/** The names of all variables, functions, classes and parameters of the script. */
export function declaredNames(program: AnyNode): Set<string> {
  const names = new Set<string>();
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') bindingNames(node.id, names);
    else if (node.type === 'CatchClause' && node.param) bindingNames(node.param, names);
    else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      if (node.id) names.add(node.id.name);
    } else if (isFunction(node)) {
      if (node.id) names.add(node.id.name);
      for (const param of node.params) bindingNames(param, names);
    }
  });
  return names;
}
