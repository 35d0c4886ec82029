import type { AnyNode, MemberExpression } from 'acorn';

export type { AnyNode };
export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

/** Every node is asked several times: by what looks at the whole script, and by what writes it. */
const known = Symbol('children');
const none: readonly AnyNode[] = [];

/** The nodes right below `node`, in source order. Where one stands twice, as in `{ a }`, it is given once. */
export function childrenOf(node: AnyNode & { [known]?: readonly AnyNode[] }): readonly AnyNode[] {
  if (node.type === 'Identifier' || node.type === 'Literal') return none;
  return (node[known] ??= findChildren(node, fieldsOf(node)));
}

/** The same for a tree with types, where nodes of a kind differ in their fields. */
export function typedChildrenOf(node: AnyNode): readonly AnyNode[] {
  return findChildren(node, Object.keys(node) as (keyof AnyNode)[]);
}

/** The fields of each kind of node that may hold others. acorn gives every node of a kind the same. */
const fields = new Map<string, (keyof AnyNode)[]>();
const plain = new Set(['type', 'start', 'end', 'kind', 'operator', 'name', 'raw', 'computed', 'optional', 'async']);

function fieldsOf(node: AnyNode): (keyof AnyNode)[] {
  let names = fields.get(node.type);
  if (names === undefined) {
    names = Object.keys(node).filter((name) => !plain.has(name)) as (keyof AnyNode)[];
    fields.set(node.type, names);
  }
  return names;
}

function findChildren(node: AnyNode, names: readonly (keyof AnyNode)[]): AnyNode[] {
  if (isShorthand(node)) return [node.value];
  const children: AnyNode[] = [];
  for (const name of names) {
    const value = node[name] as unknown;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (isNode(item)) children.push(item);
    } else if (isNode(value)) {
      children.push(value);
    }
  }
  for (let at = 1; at < children.length; at++) {
    if ((children[at] as AnyNode).start < (children[at - 1] as AnyNode).start) {
      return children.sort((a, b) => a.start - b.start);
    }
  }
  return children;
}

/** `{ a }` and `{ a = 1 }`, where key and value share their text. */
function isShorthand(node: AnyNode): node is AnyNode & { type: 'Property'; value: AnyNode } {
  return node.type === 'Property' && node.shorthand;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
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

/** The name before `.prototype`, where it is that of a class or a function that makes objects. */
export function prototypeOf(node: AnyNode): string | undefined {
  if (node.type !== 'MemberExpression' || memberName(node) !== 'prototype') return undefined;
  return node.object.type === 'Identifier' && /^[A-Z]/.test(node.object.name) ? node.object.name : undefined;
}

/** The object and the name of a method call such as `list.map(f)`; not of `super.m()`. */
export function methodCall(node: AnyNode): { object: AnyNode; member: MemberExpression; name: string } | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node.callee;
  if (callee.type !== 'MemberExpression' || callee.object.type === 'Super') return undefined;
  const name = memberName(callee);
  return name === undefined ? undefined : { object: callee.object, member: callee, name };
}

/** Calls `visit` for `node` and all below it, outermost first, with the node around each. */
export function walk(node: AnyNode, visit: Visit, isLeftOut: (node: AnyNode) => boolean = () => false): void {
  step(node, undefined, visit, isLeftOut);
}

type Visit = (node: AnyNode, parent: AnyNode | undefined) => void;

function step(node: AnyNode, parent: AnyNode | undefined, visit: Visit, isLeftOut: (node: AnyNode) => boolean): void {
  if (isLeftOut(node)) return;
  visit(node, parent);
  for (const child of childrenOf(node)) step(child, node, visit, isLeftOut);
}

/** Whether an identifier stands for a variable here, and is not a name of something. */
export function isReference(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (node.type !== 'Identifier') return false;
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed;
    case 'Property':
      return parent.value === node || parent.computed;
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

/** Which of the two it is in `[Symbol.iterator]` and `[Symbol.asyncIterator]`. */
export function iteratorSymbol(key: AnyNode, computed: boolean): 'iterator' | 'asyncIterator' | undefined {
  const inner = unwrap(key);
  if (!computed || inner.type !== 'MemberExpression') return undefined;
  if (inner.object.type !== 'Identifier' || inner.object.name !== 'Symbol') return undefined;
  const name = memberName(inner);
  return name === 'iterator' || name === 'asyncIterator' ? name : undefined;
}

/** Adds the names that a pattern binds. */
export function bindingNames(pattern: AnyNode, names: Set<string>): void {
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

/** Whether a pattern names all that it takes of an object. */
export function isPlainPattern(pattern: AnyNode): boolean {
  return pattern.type === 'ObjectPattern' && pattern.properties.every(({ type }) => type === 'Property');
}

/** Whether a pattern, the head of a loop, a step, a parameter or a name of its own gives the identifier a value. */
export function isBound(node: AnyNode, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'AssignmentPattern':
    case 'ForOfStatement':
    case 'ForInStatement':
      return parent.left === node;
    case 'ArrowFunctionExpression':
      return parent.body !== node;
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'RestElement':
    case 'CatchClause':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ClassDeclaration':
    case 'ClassExpression':
      return true;
    default:
      return false;
  }
}

/** What an assignment or a step gives a value. */
export function assigned(node: AnyNode): AnyNode | undefined {
  if (node.type === 'AssignmentExpression') return node.left;
  return node.type === 'UpdateExpression' ? node.argument : undefined;
}

/** Whether a member is given a value or deleted there, not read alone. */
export function isWritten(node: AnyNode, parent: AnyNode | undefined): boolean {
  return (
    (parent?.type === 'AssignmentExpression' && parent.left === node) ||
    parent?.type === 'UpdateExpression' ||
    (parent?.type === 'UnaryExpression' && parent.operator === 'delete')
  );
}
