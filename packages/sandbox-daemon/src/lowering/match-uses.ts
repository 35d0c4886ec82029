import type {
  ArrayPattern,
  ArrowFunctionExpression,
  ForOfStatement,
  MemberExpression,
  ObjectPattern,
  VariableDeclarator,
} from 'acorn';
import type { Pattern } from './patterns.ts';
import { childrenOf, isReference, memberName, unwrap, type AnyNode } from './syntax.ts';

/** What a script reads of a match: the whole or a group by its number, or where it is. */
export type Part = number | 'index';

/** A variable of the script that stands for a part. */
interface Bound {
  name: string;
  part: Part;
  /** Its value where the group has none. */
  otherwise?: AnyNode;
}

/** Everything that a loop does with its matches, where the source shows all of it. */
export interface Uses {
  /** Variables that the head of the loop declares. */
  bound: Bound[];
  /** What is written with a part, or with texts and parts, in the place of a node. */
  places: { node: AnyNode; text: (nameOf: (part: Part) => string) => string }[];
}

/** `undefined` where a match is used in any other way, so that it must be there as a list. */
export function usesOf(loop: ForOfStatement, pattern: Pattern): Uses | undefined {
  const { left } = loop;
  if (left.type !== 'VariableDeclaration' || left.kind === 'var') return undefined;
  const [{ id }] = left.declarations as [VariableDeclarator];
  return usesIn(loop, id, pattern);
}

/** The same for a function that is called for each match, by its first parameter. */
export function usesIn(
  holder: ForOfStatement | ArrowFunctionExpression,
  id: AnyNode,
  pattern: Pattern,
): Uses | undefined {
  const uses: Uses = { bound: [], places: [] };
  if (id.type === 'ArrayPattern') return bindList(id, pattern, uses.bound) ? uses : undefined;
  if (id.type === 'ObjectPattern') {
    const groups = groupsIn(id);
    if (groups === undefined) return bindObject(id, pattern, uses.bound) ? uses : undefined;
    return new Reader(groups, true, holder, pattern, uses).isKnown() ? uses : undefined;
  }
  if (id.type !== 'Identifier') return undefined;
  return new Reader(id.name, false, holder, pattern, uses).isKnown() ? uses : undefined;
}

/** The variable in `{ groups }`, and nothing beside it. */
function groupsIn({ properties }: ObjectPattern): string | undefined {
  const [only] = properties;
  if (properties.length !== 1 || only?.type !== 'Property' || only.computed) return undefined;
  const isGroups = only.key.type === 'Identifier' && only.key.name === 'groups';
  return isGroups && only.value.type === 'Identifier' ? only.value.name : undefined;
}

function bindList({ elements }: ArrayPattern, { groupCount }: Pattern, bound: Bound[]): boolean {
  return elements.every((element, part) => element === null || (part <= groupCount && bind(element, part, bound)));
}

function bindObject({ properties }: ObjectPattern, pattern: Pattern, bound: Bound[]): boolean {
  return properties.every((property) => {
    if (property.type === 'RestElement' || property.computed) return false;
    const { key, value } = property;
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
    if (name === 'index') return bind(value, 'index', bound);
    if (name === 'groups') return value.type === 'ObjectPattern' && bindGroups(value, pattern, bound);
    return isGroup(name, pattern) && bind(value, Number(name), bound);
  });
}

function bindGroups({ properties }: ObjectPattern, { names }: Pattern, bound: Bound[]): boolean {
  return properties.every((property) => {
    if (property.type === 'RestElement' || property.computed || property.key.type !== 'Identifier') return false;
    const part = names.get(property.key.name);
    return part !== undefined && bind(property.value, part, bound);
  });
}

function bind(target: AnyNode, part: Part, bound: Bound[]): boolean {
  if (target.type === 'Identifier') bound.push({ name: target.name, part });
  else if (target.type === 'AssignmentPattern' && target.left.type === 'Identifier')
    bound.push({ name: target.left.name, part, otherwise: target.right });
  else return false;
  return true;
}

function isGroup(name: string, { groupCount }: Pattern): boolean {
  return /^(?:0|[1-9]\d?)$/.test(name) && Number(name) <= groupCount;
}

/** Looks at every place where a variable stands that is a match, or the groups of one. */
class Reader {
  readonly #name: string;
  readonly #isGroups: boolean;
  readonly #holder: ForOfStatement | ArrowFunctionExpression;
  readonly #pattern: Pattern;
  readonly #uses: Uses;
  /** The declaration of the variable, where the body has it. */
  readonly #declaration: AnyNode | undefined;

  constructor(
    name: string,
    isGroups: boolean,
    holder: ForOfStatement | ArrowFunctionExpression,
    pattern: Pattern,
    uses: Uses,
    declaration?: AnyNode,
  ) {
    this.#name = name;
    this.#isGroups = isGroups;
    this.#holder = holder;
    this.#pattern = pattern;
    this.#uses = uses;
    this.#declaration = declaration;
  }

  /** Whether every use is. */
  isKnown(): boolean {
    return this.#visit(this.#holder.body, [this.#holder]);
  }

  #visit(node: AnyNode, above: readonly AnyNode[]): boolean {
    if (node.type === 'Identifier') {
      if (node.name !== this.#name) return true;
      const parent = above.at(-1);
      // A name of something else: of a field, or of a label.
      if (!isReference(node, parent)) return parent?.type === 'MemberExpression' || parent?.type === 'Property';
      return this.#look(node, above);
    }
    // `{ m }` is one node for both the key and the value.
    const inside = [...above, node];
    return childrenOf(node).every((child) => child === this.#declaration || this.#visit(child, inside));
  }

  #look(node: AnyNode, above: readonly AnyNode[]): boolean {
    if (this.#isGroups) return this.#groups(node, [...above, node]);
    const [outer, parent] = [above.at(-2), above.at(-1)];
    if (parent?.type === 'VariableDeclarator') {
      if (parent.init !== node || outer?.type !== 'VariableDeclaration' || outer.kind === 'var') return false;
      if (outer.declarations.length > 1 || above.at(-3)?.type !== 'BlockStatement') return false;
      const bound: Bound[] = [];
      const isKnown =
        parent.id.type === 'ArrayPattern'
          ? bindList(parent.id, this.#pattern, bound)
          : parent.id.type === 'ObjectPattern' && bindObject(parent.id, this.#pattern, bound);
      return isKnown && this.#declare(outer, outer.kind, bound);
    }
    if (parent?.type !== 'MemberExpression' || parent.object !== node || parent.optional) return false;
    return isRead(parent, above.slice(0, -1)) && this.#member(parent, above);
  }

  #member(member: MemberExpression, above: readonly AnyNode[]): boolean {
    const property = unwrap(member.property);
    if (member.computed && property.type === 'Literal' && typeof property.value === 'number') {
      const { value } = property;
      return isGroup(String(value), this.#pattern) && this.#place(member, (nameOf) => nameOf(value));
    }
    const name = memberName(member);
    if (name === 'index') return this.#place(member, (nameOf) => nameOf('index'));
    if (name === 'length') return this.#place(member, () => String(this.#pattern.groupCount + 1));
    return name === 'groups' && this.#groups(member, above);
  }

  /** `m.groups.name`, and `const { name } = m.groups`. */
  #groups(groups: AnyNode, above: readonly AnyNode[]): boolean {
    const [holder, declaration, outer] = [above.at(-4), above.at(-3), above.at(-2)];
    if (outer?.type === 'MemberExpression' && outer.object === groups && !outer.optional) {
      const part = this.#pattern.names.get(memberName(outer) ?? '');
      return part !== undefined && isRead(outer, above.slice(0, -2)) && this.#place(outer, (nameOf) => nameOf(part));
    }
    if (outer?.type !== 'VariableDeclarator' || outer.init !== groups || outer.id.type !== 'ObjectPattern')
      return false;
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind === 'var') return false;
    if (declaration.declarations.length > 1 || holder?.type !== 'BlockStatement') return false;
    const bound: Bound[] = [];
    return bindGroups(outer.id, this.#pattern, bound) && this.#declare(declaration, declaration.kind, bound);
  }

  /** A default would have to be written by the rules: such a declaration is not known. */
  #declare(node: AnyNode, kind: string, bound: readonly Bound[]): boolean {
    if (bound.length === 0 || bound.some(({ otherwise }) => otherwise !== undefined)) return false;
    return this.#place(
      node,
      (nameOf) => `${kind} ${bound.map(({ name, part }) => `${name} = ${nameOf(part)}`).join(', ')};`,
    );
  }

  #place(node: AnyNode, text: (nameOf: (part: Part) => string) => string): boolean {
    this.#uses.places.push({ node, text });
    return true;
  }
}

/** Not written, not deleted, and not called. `above` ends with what it stands in. */
function isRead(member: AnyNode, above: readonly AnyNode[]): boolean {
  const parent = above.at(-1);
  switch (parent?.type) {
    case 'AssignmentExpression':
    case 'ForOfStatement':
    case 'ForInStatement':
      return parent.left !== member;
    case 'CallExpression':
    case 'NewExpression':
      return parent.callee !== member;
    case 'UnaryExpression':
      return parent.operator !== 'delete';
    case 'Property':
      return above.at(-2)?.type === 'ObjectExpression';
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'RestElement':
    case 'AssignmentPattern':
    case 'TaggedTemplateExpression':
    case 'ParenthesizedExpression':
    case undefined:
      return false;
    default:
      return true;
  }
}
