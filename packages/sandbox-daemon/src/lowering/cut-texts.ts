import type { Program } from 'acorn';
import type { Facts } from './facts.ts';
import { isAsked, mayAssign, mentions, useOf } from './cut-uses.ts';
import { childrenOf, isBound, isFunction, isReference, methodCall, unwrap, walk, type AnyNode } from './syntax.ts';

/** A variable whose text gets its head cut off again and again: `rest = rest.slice(end + 1)`. */
export interface CutText {
  name: string;
  /** The declarator, or the parameter. */
  at: AnyNode;
  /** The assignments that cut. */
  cuts: ReadonlySet<AnyNode>;
  /** Other assignments. */
  others: ReadonlySet<AnyNode>;
  /** Members and calls that need no more than the first part of the text, or make do with it. */
  uses: ReadonlySet<AnyNode>;
  /** Identifiers that stand for the whole text. The others make do with its first part. */
  reads: ReadonlySet<AnyNode>;
}

interface Place {
  node: AnyNode;
  above: readonly AnyNode[];
}

const cutting = ['slice', 'substring', 'substr'];

const known = new WeakMap<Facts, ReadonlyMap<string, CutText>>();

/** The variables of a script that can be kept as what is at hand and what comes after it, by their names. */
export function cutTextsOf(program: Program, facts: Facts): ReadonlyMap<string, CutText> {
  let found = known.get(facts);
  if (found === undefined) {
    found = cutting.some((name) => facts.members.has(name)) ? find(program, facts) : new Map<string, CutText>();
    known.set(facts, found);
  }
  return found;
}

function find(program: Program, facts: Facts): Map<string, CutText> {
  const names = new Set<string>();
  walk(program, (node) => {
    if (cutBy(node) !== undefined && node.type === 'AssignmentExpression')
      names.add((node.left as { name: string }).name);
  });
  for (const name of facts.builders) names.delete(name);
  const places = new Map([...names].map((name) => [name, [] as Place[]]));
  const visit = (node: AnyNode, above: readonly AnyNode[]): void => {
    if (node.type === 'Identifier') places.get(node.name)?.push({ node, above });
    const inside = [...above, node];
    for (const child of childrenOf(node)) visit(child, inside);
  };
  if (names.size > 0) visit(program, []);
  const found = new Map<string, CutText>();
  for (const [name, all] of places) {
    const text = new Candidate(name, program, facts).judge(all);
    if (text !== undefined) found.set(name, text);
  }
  return found;
}

type Sets = [Set<AnyNode>, Set<AnyNode>, Set<AnyNode>, Set<AnyNode>];

/** What is cut by, in `rest = rest.slice(count)`. */
export function cutBy(node: AnyNode): AnyNode | undefined {
  if (node.type !== 'AssignmentExpression' || node.operator !== '=' || node.left.type !== 'Identifier')
    return undefined;
  const call = methodCall(node.right);
  if (call === undefined || node.right.type !== 'CallExpression' || !cutting.includes(call.name)) return undefined;
  if (call.member.optional || call.member.computed || node.right.optional) return undefined;
  if (call.object.type !== 'Identifier' || call.object.name !== node.left.name) return undefined;
  const [count, more] = node.right.arguments;
  return count === undefined || more !== undefined || count.type === 'SpreadElement' ? undefined : count;
}

class Candidate {
  readonly #name: string;
  readonly #program: Program;
  readonly #facts: Facts;
  #declared: { at: AnyNode; scope: AnyNode; above: readonly AnyNode[] } | undefined;
  readonly #cuts: Place[] = [];
  readonly #others: Place[] = [];
  readonly #uses: Place[] = [];
  /** Reads of the whole text. */
  readonly #reads: Place[] = [];
  #isSound = true;

  constructor(name: string, program: Program, facts: Facts) {
    this.#name = name;
    this.#program = program;
    this.#facts = facts;
  }

  judge(places: readonly Place[]): CutText | undefined {
    for (const place of places) this.#look(place);
    const declared = this.#declared;
    if (!this.#isSound || declared === undefined) return undefined;
    const { at, scope } = declared;
    const all = [...this.#cuts, ...this.#others, ...this.#uses, ...this.#reads];
    if (all.some(({ node }) => node.start < scope.start || node.end > scope.end)) return undefined;
    if (scope.type === 'ForStatement' && all.some((place) => this.#isNested(place))) return undefined;
    if (![...this.#cuts, ...this.#others].every((place) => this.#isSafe(place))) return undefined;
    const inner = new Set(this.#cuts.flatMap((cut) => this.#around(cut).slice(-1)));
    if (inner.size === 0) return undefined;
    const outer = new Set(this.#cuts.flatMap((cut) => this.#around(cut)));
    const isHot = (place: Place): boolean => this.#isNested(place) || place.above.some((node) => inner.has(node));
    if (this.#reads.some(isHot) || this.#others.some(isHot)) return undefined;
    // A text that is made of itself in other ways, again and again, would be taken apart each time.
    const isMade = ({ node, above }: Place): boolean => above.some((one) => outer.has(one)) && !this.#isFresh(node);
    if (this.#others.some(isMade)) return undefined;
    const nodes = (list: readonly Place[]): Set<AnyNode> => new Set(list.map(({ node }) => node));
    const [cuts, others, uses, reads] = [this.#cuts, this.#others, this.#uses, this.#reads].map(nodes) as Sets;
    return { name: this.#name, at, cuts, others, uses, reads };
  }

  #look({ node, above }: Place): void {
    const parent = above.at(-1);
    if (parent?.type === 'Property') {
      if (parent.shorthand || above.at(-2)?.type === 'ObjectPattern') this.#isSound = false;
      else if (isReference(node, parent)) this.#reads.push({ node, above });
      return;
    }
    if (!isReference(node, parent)) return;
    if (isDeclared(node, parent)) return this.#declare(node, above);
    if (parent?.type === 'AssignmentExpression' && parent.left === node) return this.#assign(parent, above);
    if (isWritten(node, parent)) this.#isSound = false;
    else this.#read(node, above);
  }

  #declare(node: AnyNode, above: readonly AnyNode[]): void {
    const [parent, declaration, holder] = [above.at(-1), above.at(-2), above.at(-3)];
    // A generator's variables may be kept elsewhere.
    const isInGenerator = above.some((one) => isFunction(one) && one.generator);
    if (this.#declared !== undefined || parent === undefined || isInGenerator) {
      this.#isSound = false;
    } else if (isFunction(parent)) {
      // What is in another parameter does not see the body's variables.
      const isOurs = parent.body.type === 'BlockStatement' && !this.#facts.references.has('arguments');
      if (isOurs) this.#declared = { at: node, scope: parent.body, above };
      else this.#isSound = false;
    } else {
      const isPlace = holder === this.#program || holder?.type === 'BlockStatement' || isInit(declaration, holder);
      if (declaration?.type === 'VariableDeclaration' && declaration.kind === 'let' && isPlace)
        this.#declared = { at: parent, scope: holder as AnyNode, above };
      else this.#isSound = false;
    }
  }

  #assign(node: AnyNode & { type: 'AssignmentExpression' }, above: readonly AnyNode[]): void {
    const place = { node, above: above.slice(0, -1) };
    if (node.operator !== '=' && node.operator !== '+=') this.#isSound = false;
    else if (cutBy(node) !== undefined && this.#isDropped(place) && this.#around(place).length > 0)
      this.#cuts.push(place);
    else this.#others.push(place);
  }

  /** Whether nothing sees the value of an assignment: neither the code around it nor, as the last one, the result. */
  #isDropped({ node, above }: Place): boolean {
    const parent = above.at(-1);
    if (parent?.type === 'ForStatement') return parent.update === node;
    if (parent?.type !== 'ExpressionStatement') return false;
    const last = this.#program.body.at(-1);
    return last === undefined || !above.includes(last) || above.some(isFunction);
  }

  #read(node: AnyNode, above: readonly AnyNode[]): void {
    const [outer, parent] = [above.at(-2), above.at(-1)];
    const isCut = parent?.type === 'MemberExpression' && this.#isObjectOfCut(parent, above);
    if (isCut || isAsked(node, above)) return;
    const use = useOf(node, parent, outer, this.#name);
    if (use === undefined || above.some(({ type }) => type === 'ChainExpression')) this.#reads.push({ node, above });
    else if (use !== 'first') this.#uses.push({ node: use, above });
  }

  #isObjectOfCut(member: AnyNode, above: readonly AnyNode[]): boolean {
    const [assignment, call] = [above.at(-3), above.at(-2)];
    if (call?.type !== 'CallExpression' || call.callee !== member) return false;
    return this.#cuts.some(({ node }) => node === assignment && (node as { right?: AnyNode }).right === call);
  }

  /** The loops and functions around a place that the variable is outside of, the innermost last. */
  #around({ above }: Place): AnyNode[] {
    const scope = this.#declared?.scope;
    if (scope === undefined) return [];
    const from = above.indexOf(scope);
    return above
      .slice(scope.type === 'ForStatement' ? from : from + 1)
      .filter((node) => isFunction(node) || isLoop(node));
  }

  #isNested(place: Place): boolean {
    return this.#around(place).some(isFunction);
  }

  /** Whether the variable is the same before and after the right side is evaluated. */
  #isSafe({ node }: Place): boolean {
    if (node.type !== 'AssignmentExpression') return false;
    const isElsewhere = [...this.#cuts, ...this.#others].some((place) => this.#isNested(place));
    const { hasAccessors, hasOwnCoercion, classMembers } = this.#facts;
    if (isElsewhere && (hasAccessors || hasOwnCoercion || classMembers.size > 0)) return false;
    const count = cutBy(node);
    if (node.operator === '=' && !this.#cuts.some((cut) => cut.node === node)) return true;
    return !mayAssign(count ?? node.right, this.#name, isElsewhere);
  }

  /** Whether what is assigned is another text, or the text with more behind it. */
  #isFresh(node: AnyNode): boolean {
    if (node.type !== 'AssignmentExpression') return false;
    if (node.operator === '+=') return true;
    const right = unwrap(node.right);
    return right.type === 'BinaryExpression' || right.type === 'TemplateLiteral' || !mentions(right, this.#name);
  }
}

function isLoop({ type }: AnyNode): boolean {
  return /^(?:For|While|DoWhile)/.test(type);
}

function isInit(declaration: AnyNode | undefined, holder: AnyNode | undefined): boolean {
  return holder?.type === 'ForStatement' && holder.init === declaration;
}

function isDeclared(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'VariableDeclarator') return parent.id === node;
  return parent !== undefined && isFunction(parent) && parent.params.includes(node as never);
}

function isWritten(node: AnyNode, parent: AnyNode | undefined): boolean {
  return isBound(node, parent) || (parent?.type === 'CallExpression' && parent.callee === node);
}
