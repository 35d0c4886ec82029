import type { Program } from 'acorn';
import {
  childrenOf,
  isBound,
  isFunction,
  isReference,
  memberName,
  methodCall,
  unwrap,
  type AnyNode,
} from './syntax.ts';

/** A variable that is given a text where it begins, as far as the script shows, and nothing else after that. */
export interface FixedText {
  name: string;
  /** Where it begins: a declaration among statements, the parameter, or the loop whose head declares it. */
  at: AnyNode;
  /** What can see it. */
  scope: AnyNode;
  /** What reads it by position where a loop or a function goes over it again and again. */
  reads: ReadonlySet<AnyNode>;
  /** Calls of `regex.exec` with it, likewise. */
  searches: ReadonlySet<AnyNode>;
}

interface Candidate {
  declarations: number;
  at: AnyNode | undefined;
  scope: AnyNode | undefined;
  /** How many loops and functions are around the declaration. */
  depth: number;
  isSound: boolean;
  /** The script treats it as a text. */
  isText: boolean;
  reads: Place[];
  searches: Place[];
}

interface Place {
  node: AnyNode;
  /** How many loops and functions are around it. */
  depth: number;
}

const textMethods = new Set([
  ...['charAt', 'charCodeAt', 'codePointAt', 'substring', 'substr', 'startsWith', 'endsWith', 'trim', 'split', 'match'],
  ...['matchAll', 'replace', 'replaceAll', 'toLowerCase', 'toUpperCase', 'padStart', 'padEnd', 'localeCompare'],
]);
const givesText = new Set([...textMethods, 'join', 'repeat', 'toString', 'stringify', 'toISOString', 'toFixed']);
for (const name of ['charCodeAt', 'codePointAt', 'startsWith', 'endsWith', 'split', 'match', 'matchAll'])
  givesText.delete(name);
givesText.delete('localeCompare');
const listMethods = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'map', 'filter', 'forEach', 'reduce', 'sort', 'join', 'splice', 'some'],
  ...['every', 'find', 'findIndex', 'fill', 'reverse', 'flat', 'flatMap', 'entries', 'values', 'keys'],
]);
/** Methods that take a position. */
const positional = new Set(['charAt', 'charCodeAt', 'codePointAt', 'at', 'slice', 'substring', 'indexOf']);

/** `regex.exec(text)` */
function isSearched(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type !== 'CallExpression' || parent.arguments.length !== 1 || parent.arguments[0] !== node) return false;
  const call = methodCall(parent);
  return call?.name === 'exec' && call.object.type === 'Identifier' && !call.member.optional && !parent.optional;
}

/** Whether a member of a text is read by its position, or its length. */
function isPositional(member: AnyNode, parent: AnyNode | undefined): boolean {
  if (member.type !== 'MemberExpression' || member.optional) return false;
  const name = memberName(member);
  if (name === 'length') return true;
  if (parent?.type === 'CallExpression' && parent.callee === member) {
    return name !== undefined && positional.has(name) && !parent.optional;
  }
  return member.computed && name === undefined;
}

/** Every such variable that is worth a rewrite, by its name. Names that are declared twice are left alone. */
export function findFixedTexts(program: Program): ReadonlyMap<string, FixedText> {
  const finder = new Finder(program);
  finder.visit(program, []);
  return finder.found();
}

class Finder {
  readonly #program: Program;
  readonly #candidates = new Map<string, Candidate>();
  /** `const c = text[i]`: whoever compares `c` with a letter says what `text` is. */
  readonly #letters = new Map<string, string>();
  readonly #comparedNames = new Set<string>();

  constructor(program: Program) {
    this.#program = program;
  }

  visit(node: AnyNode, above: readonly AnyNode[]): void {
    if (node.type === 'Identifier') return this.#look(node.name, node, above);
    this.#noteComparison(node);
    if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id !== null) {
      this.#of(node.id.name).isSound = false;
    }
    const inside = [...above, node];
    for (const child of childrenOf(node)) this.visit(child, inside);
  }

  found(): ReadonlyMap<string, FixedText> {
    for (const [letter, name] of this.#letters) if (this.#comparedNames.has(letter)) this.#of(name).isText = true;
    const found = new Map<string, FixedText>();
    for (const [name, it] of this.#candidates) {
      const { declarations, at, scope, depth, isSound, isText } = it;
      if (declarations !== 1 || !isSound || !isText || at === undefined || scope === undefined) continue;
      const isOutside = ({ node }: Place): boolean => node.start < scope.start || node.end > scope.end;
      if (it.reads.some(isOutside) || it.searches.some(isOutside)) continue;
      const often = (places: readonly Place[]): AnyNode[] =>
        places.filter((place) => place.depth > depth).map(({ node }) => node);
      const reads = often(it.reads);
      const isRead = reads.some((node) => memberName(node as never) !== 'length');
      const searches = often(it.searches);
      if (isRead || searches.length > 0)
        found.set(name, { name, at, scope, reads: new Set(isRead ? reads : []), searches: new Set(searches) });
    }
    return found;
  }

  #of(name: string): Candidate {
    let candidate = this.#candidates.get(name);
    if (candidate === undefined) {
      candidate = {
        declarations: 0,
        at: undefined,
        scope: undefined,
        depth: 0,
        isSound: true,
        isText: false,
        reads: [],
        searches: [],
      };
      this.#candidates.set(name, candidate);
    }
    return candidate;
  }

  #look(name: string, node: AnyNode, above: readonly AnyNode[]): void {
    const parent = above.at(-1);
    if (!isReference(node, parent)) return;
    const it = this.#of(name);
    if (parent?.type === 'MemberExpression' && parent.object === node)
      return this.#lookAtMember(it, name, parent, above);
    const declared = declarationOf(node, above, this.#program);
    if (declared !== undefined) {
      it.declarations++;
      Object.assign(it, { at: declared.at, scope: declared.scope, depth: depthOf(declared.above) });
      it.isText ||= declared.init !== undefined && isText(declared.init);
      if (declared.init !== undefined && isList(declared.init)) it.isSound = false;
    } else if (isWritten(node, above)) it.isSound = false;
    else if (isSearched(node, parent)) {
      it.isText = true;
      it.searches.push({ node: parent as AnyNode, depth: depthOf(above) });
    }
  }

  #lookAtMember(it: Candidate, name: string, member: AnyNode, above: readonly AnyNode[]): void {
    const outer = above.at(-2);
    if (member.type !== 'MemberExpression') return;
    if (isTarget(member, outer)) {
      it.isSound = false;
      return;
    }
    const method = outer?.type === 'CallExpression' && outer.callee === member ? memberName(member) : undefined;
    if (method !== undefined && listMethods.has(method)) it.isSound = false;
    if (method !== undefined && textMethods.has(method)) it.isText = true;
    if (outer?.type === 'VariableDeclarator' && outer.init === member && outer.id.type === 'Identifier') {
      if (member.computed) this.#letters.set(outer.id.name, name);
    }
    if (isPositional(member, outer)) it.reads.push({ node: member, depth: depthOf(above) });
  }

  #noteComparison(node: AnyNode): void {
    const sides =
      node.type === 'BinaryExpression' && /^[!=]==?$/.test(node.operator)
        ? [node.left, node.right]
        : node.type === 'SwitchStatement'
          ? [node.discriminant, ...node.cases.flatMap(({ test }) => test ?? [])]
          : [];
    if (!sides.some((side) => isLetter(unwrap(side)))) return;
    for (const side of sides.map(unwrap)) {
      if (side.type === 'Identifier') this.#comparedNames.add(side.name);
      if (side.type === 'MemberExpression' && side.computed && side.object.type === 'Identifier') {
        this.#of(side.object.name).isText = true;
      }
    }
  }
}

interface Declared {
  at: AnyNode;
  scope: AnyNode;
  above: readonly AnyNode[];
  init?: AnyNode;
}

/** Where the identifier is declared by what it stands in; `undefined` where it is only used. */
function declarationOf(node: AnyNode, above: readonly AnyNode[], program: Program): Declared | undefined {
  const [holder, outer, parent] = [above.at(-3), above.at(-2), above.at(-1)];
  if (parent !== undefined && isFunction(parent)) {
    if (!parent.params.includes(node as never) || parent.generator) return undefined;
    return { at: node, scope: parent, above };
  }
  if (parent?.type !== 'VariableDeclarator' || parent.id !== node) return undefined;
  if (outer?.type !== 'VariableDeclaration' || outer.kind === 'var') return undefined;
  if (holder?.type === 'ForOfStatement' && holder.left === outer) {
    return { at: holder, scope: holder, above: [...above.slice(0, -3), holder] };
  }
  if (!parent.init || (holder !== program && holder?.type !== 'BlockStatement')) return undefined;
  return { at: outer, scope: holder, above, init: parent.init };
}

function isWritten(node: AnyNode, above: readonly AnyNode[]): boolean {
  const parent = above.at(-1);
  switch (parent?.type) {
    case 'AssignmentExpression':
      return parent.left === node;
    case 'VariableDeclarator':
      return parent.id === node;
    case 'Property':
      return above.at(-2)?.type === 'ObjectPattern';
    default:
      return isBound(node, parent);
  }
}

function isTarget(member: AnyNode, parent: AnyNode | undefined): boolean {
  return (
    (parent?.type === 'AssignmentExpression' && parent.left === member) ||
    parent?.type === 'UpdateExpression' ||
    (parent?.type === 'UnaryExpression' && parent.operator === 'delete') ||
    ['ArrayPattern', 'RestElement', 'ForOfStatement', 'ForInStatement', 'AssignmentPattern'].includes(
      parent?.type ?? '',
    )
  );
}

function depthOf(above: readonly AnyNode[]): number {
  return above.filter((node) => isFunction(node) || /^(?:For|While|DoWhile)/.test(node.type)).length;
}

function isLetter(node: AnyNode): boolean {
  return node.type === 'Literal' && typeof node.value === 'string' && [...node.value].length === 1;
}

function isText(node: AnyNode): boolean {
  const inner = unwrap(node);
  if (inner.type === 'AwaitExpression') return isText(inner.argument);
  if (inner.type === 'TemplateLiteral') return true;
  if (inner.type === 'Literal') return typeof inner.value === 'string';
  if (inner.type === 'BinaryExpression') return inner.operator === '+' && (isText(inner.left) || isText(inner.right));
  if (inner.type !== 'CallExpression') return false;
  if (inner.callee.type === 'Identifier') return ['String', 'read_file', 'atob'].includes(inner.callee.name);
  return givesText.has(methodCall(inner)?.name ?? '');
}

function isList(node: AnyNode): boolean {
  const inner = unwrap(node);
  const name = methodCall(inner)?.name ?? '';
  return (
    ['ArrayExpression', 'NewExpression', 'ObjectExpression'].includes(inner.type) ||
    ['split', 'match', 'map', 'filter', 'from'].includes(name)
  );
}
