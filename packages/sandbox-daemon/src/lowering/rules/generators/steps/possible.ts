import {
  bindingNames,
  childrenOf,
  isFunction,
  isReference,
  walk,
  type AnyNode,
  type FunctionNode,
} from '../../../syntax.ts';
import { hasYield } from './yields.ts';

/** Why a generator cannot be taken apart into steps; `undefined` where it can. */
export function obstacleIn(node: FunctionNode): string | undefined {
  return obstacle(node.body);
}

/** Where a `yield` may stand anywhere below. */
const anywhere = new Set([
  ...['BlockStatement', 'ExpressionStatement', 'VariableDeclaration', 'IfStatement', 'ForOfStatement', 'TryStatement'],
  ...['CatchClause', 'LabeledStatement', 'ReturnStatement', 'ThrowStatement', 'WhileStatement', 'YieldExpression'],
  ...['ParenthesizedExpression', 'BinaryExpression', 'LogicalExpression', 'ConditionalExpression', 'UnaryExpression'],
  ...['ArrayExpression', 'ObjectExpression', 'TemplateLiteral', 'SequenceExpression', 'SpreadElement', 'NewExpression'],
]);

function obstacle(node: AnyNode): string | undefined {
  if (!hasYield(node)) return undefined;
  const own = anywhere.has(node.type) ? undefined : obstacleOf(node);
  if (own !== undefined) return own;
  if (node.type === 'BlockStatement') {
    const name = usedTooEarly(node.body);
    if (name !== undefined) return `\`${name}\` is used above its declaration`;
  }
  for (const child of childrenOf(node)) {
    const found = obstacle(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function obstacleOf(node: AnyNode): string | undefined {
  switch (node.type) {
    case 'VariableDeclarator':
      return hasYield(node.id) ? 'yield stands in a pattern' : undefined;
    case 'ForStatement':
      return [node.test, node.update].some((part) => part && hasYield(part))
        ? 'yield stands in the head of a loop'
        : undefined;
    case 'DoWhileStatement':
      return hasYield(node.test) ? 'yield stands in the head of a loop' : undefined;
    case 'ForInStatement':
      return deletes(node.body) ? 'a loop over the names of an object deletes some' : undefined;
    case 'SwitchStatement':
    case 'SwitchCase':
      return obstacleOfSwitch(node);
    case 'CallExpression':
      return node.optional || node.callee.type === 'Super' ? 'yield stands in a call after ?.' : undefined;
    case 'MemberExpression':
      return node.optional || node.object.type === 'Super' ? 'yield stands in a member after ?.' : undefined;
    case 'Property':
      return node.computed && hasYield(node.key) ? 'yield stands in a computed name' : undefined;
    case 'AssignmentExpression':
      if (hasYield(node.left)) return 'yield stands before an assignment';
      if (node.left.type === 'Identifier') {
        return ['&&=', '||=', '??='].includes(node.operator) ? `yield stands behind ${node.operator}` : undefined;
      }
      return node.operator === '=' ? undefined : `yield stands behind ${node.operator} of a field`;
    default:
      return 'yield stands where the engine cannot stop';
  }
}

function obstacleOfSwitch(node: AnyNode): string | undefined {
  if (node.type === 'SwitchStatement') {
    const isDeclaring = node.cases.some(({ consequent }) => consequent.some(isDeclaration));
    if (isDeclaring) return 'a switch declares variables outside of a block';
  }
  return node.type === 'SwitchCase' && node.test && hasYield(node.test) ? 'yield stands in a case' : undefined;
}

function isDeclaration({ type }: AnyNode): boolean {
  return ['VariableDeclaration', 'FunctionDeclaration', 'ClassDeclaration'].includes(type);
}

function deletes(node: AnyNode): boolean {
  let found = false;
  walk(node, (inner) => (found ||= inner.type === 'UnaryExpression' && inner.operator === 'delete'));
  return found;
}

/**
 * What follows a `yield` becomes a function inside of what stands before it, so its declarations are not to be seen there.
 * Nor may they be in JavaScript, but for functions that are called later.
 */
function usedTooEarly(statements: readonly AnyNode[]): string | undefined {
  const first = statements.findIndex(hasYield);
  const later = new Set<string>();
  for (let at = statements.length - 1; at >= 0; at--) {
    const statement = statements[at] as AnyNode;
    const used = firstOf(later, statement);
    if (used !== undefined) return used;
    if (at >= first) declaredBy(statement, later);
    // `const a = yield a` is an error of its own.
    const own =
      statement.type === 'VariableDeclaration' && hasYield(statement) ? firstOf(later, ...inits(statement)) : undefined;
    if (own !== undefined) return own;
  }
  // Functions are written where the block begins.
  return firstOf(later, ...statements.filter(({ type }) => type === 'FunctionDeclaration'));
}

function declaredBy(statement: AnyNode, names: Set<string>): void {
  if (statement.type === 'ClassDeclaration' && statement.id !== null) names.add(statement.id.name);
  if (statement.type !== 'VariableDeclaration' || statement.kind === 'var') return;
  for (const { id } of statement.declarations) bindingNames(id, names);
}

function inits(declaration: AnyNode & { type: 'VariableDeclaration' }): AnyNode[] {
  return declaration.declarations.flatMap(({ init }) => init ?? []);
}

function firstOf(names: ReadonlySet<string>, ...nodes: AnyNode[]): string | undefined {
  let found: string | undefined;
  if (names.size === 0) return found;
  for (const node of nodes) {
    walk(node, (inner, parent) => {
      if (inner.type === 'Identifier' && names.has(inner.name) && isReference(inner, parent)) found ??= inner.name;
    });
  }
  return found;
}

/** Functions in `node` could keep one of its variables. */
export function hasFunction(...nodes: (AnyNode | null | undefined)[]): boolean {
  let found = false;
  for (const node of nodes) {
    if (node) walk(node, (inner) => (found ||= isFunction(inner) || inner.type === 'ClassBody'));
  }
  return found;
}
