import type { ArrayExpression, Expression, Identifier } from 'acorn';
import type { Node } from './tree.ts';

/** Methods of arrays that do not change the array. */
const readOnly = new Set([
  'map',
  'forEach',
  'flatMap',
  'filter',
  'join',
  'includes',
  'length',
  'indexOf',
  'at',
  'slice',
]);

/** What the names of a script stand for, where that is certain: each is declared once and never assigned again. */
export class Names {
  readonly #uses = new Map<string, Node[]>();

  constructor(nodes: readonly Node[]) {
    for (const node of nodes) {
      if (node.type !== 'Identifier') continue;
      const uses = this.#uses.get(node.name);
      if (uses === undefined) this.#uses.set(node.name, [node]);
      else uses.push(node);
    }
  }

  usesOf(name: string): readonly Node[] {
    return this.#uses.get(name) ?? [];
  }

  /** The value of a `const`; `undefined` when the name is not a `const`, or is declared twice. */
  constant(name: string): (Expression & Node) | undefined {
    const declared = this.usesOf(name).filter((use) => this.#declares(use));
    const [only] = declared;
    if (declared.length !== 1 || only?.parent?.type !== 'VariableDeclarator') return undefined;
    const { parent: declarator } = only;
    const list = declarator.parent;
    return list?.type === 'VariableDeclaration' && list.kind === 'const' ? (declarator.init ?? undefined) : undefined;
  }

  /** Whether this is the only declaration of its name. */
  isOnlyDeclaration(name: string): boolean {
    return this.usesOf(name).filter((use) => this.#declares(use)).length === 1;
  }

  /** Whether the node is a list that surely has an item, and is never changed. */
  isFilledList(node: Node | null | undefined): boolean {
    if (node?.type === 'ArrayExpression') return hasItem(node);
    if (node?.type !== 'Identifier') return false;
    const value = this.constant(node.name) as Node | undefined;
    if (value?.type !== 'ArrayExpression' || !hasItem(value)) return false;
    return this.usesOf(node.name).every((use) => this.#declares(use) || isRead(use));
  }

  /** Whether this use binds a name: a declaration, a parameter, a pattern, an assignment or `catch`. */
  #declares(use: Node): boolean {
    const { parent } = use;
    if (parent === undefined) return false;
    switch (parent.type) {
      case 'VariableDeclarator':
        return parent.id === use;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ClassDeclaration':
      case 'ClassExpression':
        return parent.id === use || ('params' in parent && (parent.params as Node[]).includes(use));
      case 'ArrowFunctionExpression':
        return (parent.params as Node[]).includes(use);
      case 'AssignmentExpression':
      case 'AssignmentPattern':
        return parent.left === use;
      case 'UpdateExpression':
      case 'ArrayPattern':
      case 'RestElement':
      case 'CatchClause':
        return true;
      case 'ForOfStatement':
      case 'ForInStatement':
        return parent.left === use;
      case 'Property':
        return parent.parent?.type === 'ObjectPattern' && parent.value === use;
      default:
        return false;
    }
  }
}

function hasItem({ elements }: ArrayExpression): boolean {
  return elements.some((element) => element !== null && element.type !== 'SpreadElement');
}

function isRead(use: Node): boolean {
  const { parent } = use;
  if (parent?.type === 'ForOfStatement') return parent.right === use;
  if (parent?.type !== 'MemberExpression' || parent.object !== use || parent.computed) return false;
  const isWritten = parent.parent?.type === 'AssignmentExpression' || parent.parent?.type === 'UpdateExpression';
  return !isWritten && readOnly.has((parent.property as Identifier).name);
}
