import { childrenOf, memberName, type AnyNode } from './syntax.ts';

/** Of a text that is longer, this much at least is at hand. */
export const atHand = 128;

/** `while (rest)`, `!rest`, `rest === ''`: what is at hand is empty where the text is. */
export function isAsked(node: AnyNode, above: readonly AnyNode[]): boolean {
  const parent = above.at(-1);
  switch (parent?.type) {
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'IfStatement':
    case 'ForStatement':
    case 'ConditionalExpression':
      return parent.test === node;
    case 'UnaryExpression':
      return parent.operator === '!';
    case 'BinaryExpression': {
      const other = parent.left === node ? parent.right : parent.left;
      return /^[!=]==?$/.test(parent.operator) && other.type === 'Literal' && other.value === '';
    }
    case 'LogicalExpression':
      return parent.operator !== '??' && isAsked(parent, above.slice(0, -1));
    default:
      return false;
  }
}

/** The member or the call that makes do with what is at hand; `first` where it needs no more for certain. */
export function useOf(
  node: AnyNode,
  parent: AnyNode | undefined,
  outer: AnyNode | undefined,
  name: string,
): AnyNode | 'first' | undefined {
  if (parent?.type !== 'MemberExpression' || parent.object !== node || parent.optional) return undefined;
  const isTarget =
    (outer?.type === 'AssignmentExpression' && outer.left === parent) ||
    (outer?.type === 'UnaryExpression' && outer.operator === 'delete') ||
    /^(?:Update|ArrayPattern|RestElement|ForOf|ForIn|AssignmentPattern|Property)/.test(outer?.type ?? '');
  if (isTarget) return undefined;
  const method = memberName(parent);
  if (outer?.type !== 'CallExpression' || outer.callee !== parent) {
    if (method === 'length') return parent;
    if (!parent.computed || method !== undefined) return undefined;
    return useAt(parent, parent.property, name);
  }
  if (outer.optional || outer.arguments.some(({ type }) => type === 'SpreadElement')) return undefined;
  const [first, second] = outer.arguments as AnyNode[];
  const count = outer.arguments.length;
  switch (method) {
    case 'charAt':
    case 'charCodeAt':
    case 'codePointAt':
    case 'at':
      return count === 1 ? useAt(outer, first as AnyNode, name) : undefined;
    case 'indexOf':
    case 'includes':
      return count === 1 && isItem(first as AnyNode, name) ? outer : undefined;
    case 'startsWith':
      if (count !== 1 || !isItem(first as AnyNode, name)) return undefined;
      return first?.type === 'Literal' && String(first.value).length <= atHand ? 'first' : outer;
    case 'slice':
    case 'substring':
      if (count !== 2 || !isSimple(first as AnyNode, name) || !isSimple(second as AnyNode, name)) return undefined;
      return isPlace(first as AnyNode) && isPlace(second as AnyNode) ? 'first' : outer;
    default:
      return undefined;
  }
}

function useAt(node: AnyNode, index: AnyNode, name: string): AnyNode | 'first' | undefined {
  if (isPlace(index)) return 'first';
  return isSimple(index, name) ? node : undefined;
}

/** A position that is always at hand. */
function isPlace(node: AnyNode): boolean {
  return node.type === 'Literal' && typeof node.value === 'number' && node.value >= 0 && node.value < atHand;
}

function isItem(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' ? node.name !== name : node.type === 'Literal' && typeof node.value === 'string';
}

/** Whether it can be evaluated twice; it is a number for certain, but for variables. */
function isSimple(node: AnyNode, name: string): boolean {
  switch (node.type) {
    case 'Identifier':
      return node.name !== name;
    case 'Literal':
      return typeof node.value === 'number' && node.value >= 0;
    case 'BinaryExpression':
      if (!/^[-+*/%]$/.test(node.operator) || node.left.type === 'PrivateIdentifier') return false;
      return isSimple(node.left, name) && isSimple(node.right, name);
    case 'MemberExpression':
      return node.object.type === 'Identifier' && node.object.name !== name && memberName(node) === 'length';
    default:
      return false;
  }
}

export function mentions(node: AnyNode, name: string): boolean {
  if (node.type === 'Identifier') return node.name === name;
  return childrenOf(node).some((child) => mentions(child, name));
}

/** @param isElsewhere a function that is called may assign it too */
export function mayAssign(node: AnyNode, name: string, isElsewhere: boolean): boolean {
  if (node.type === 'AssignmentExpression' && mentions(node.left, name)) return true;
  if (isElsewhere && /^(?:Call|New|Await|Yield|TaggedTemplate)Expression$/.test(node.type)) return true;
  return childrenOf(node).some((child) => mayAssign(child, name, isElsewhere));
}
