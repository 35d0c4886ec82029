import type { ForOfStatement } from 'acorn';
import type { Helper } from '../helper.ts';
import { usesOf, type Part, type Uses } from '../match-uses.ts';
import { patternOf, type Pattern } from '../patterns.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { isFunction, methodCall, unwrap, type AnyNode } from '../syntax.ts';
import { hasKeeper, isAssigned } from './loop-variable.ts';

/**
 * To make the list of a match with its `index`, `input` and `groups` takes ten times as long as to find it. A loop that
 * only reads some parts of its matches goes over the pieces of the text: what is before the first match, the match, its
 * groups, what is between it and the next one, and so on.
 *
 *     for (const m of text.matchAll(/(\w+)=(\d+)/g)) sum += Number(m[2]);   →
 *     for (t1 = __ms_cuts(text, /((\w+)=(\d+))/g), t2 = 1; t2 < t1.length && (t3 = t1[t2 + 2], true); t2 += 4)
 *       sum += Number(t3);
 */
export const matchLoop: Rule = {
  id: 'match-loop',
  on: ['ForOfStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ForOfStatement' || node.await || isValueOfScript(node, rewriter)) return false;
    const call = matchAllCall(node.right);
    const pattern = call && patternOf(call.regex, rewriter.facts);
    if (call === undefined || pattern === undefined || !/^[dgimsu]*g[dgimsu]*$/.test(pattern.flags)) return false;
    const isInV8 = pattern.isV8 || pattern.mayBeEmpty;
    // V8 cannot be asked there.
    if (isInV8 && rewriter.facts.isAsync) return false;
    const uses = usesOf(node, pattern);
    if (uses === undefined) return false;
    new LoopWriter(node, rewriter, { ...call, pattern, uses, isInV8 }).write();
    return true;
  },
};

/** The value of a script may be that of its last loop. */
function isValueOfScript(node: ForOfStatement, { ancestors }: Rewriter): boolean {
  const [program, statement = node] = ancestors;
  return program?.type === 'Program' && program.body.at(-1) === statement && !ancestors.some(isFunction);
}

interface Call {
  text: AnyNode;
  regex: AnyNode;
}

/** Of `text.matchAll(regex)` and `[...text.matchAll(regex)]`. */
function matchAllCall(node: AnyNode): Call | undefined {
  const inner = unwrap(node);
  if (inner.type === 'ArrayExpression') {
    const [only] = inner.elements;
    return inner.elements.length === 1 && only?.type === 'SpreadElement' ? matchAllCall(only.argument) : undefined;
  }
  const call = methodCall(inner);
  if (call?.name !== 'matchAll' || call.member.optional || inner.type !== 'CallExpression' || inner.optional)
    return undefined;
  const [regex] = inner.arguments;
  if (regex === undefined || regex.type === 'SpreadElement' || inner.arguments.length > 1) return undefined;
  return { text: call.object, regex };
}

function isConstantAssigned({ left, body }: ForOfStatement, { bound }: Uses): boolean {
  if (left.type !== 'VariableDeclaration' || left.kind !== 'const') return false;
  return bound.some(({ name }) => isAssigned(name, body));
}

interface Plan extends Call {
  pattern: Pattern;
  uses: Uses;
  isInV8: boolean;
}

class LoopWriter {
  readonly #node: ForOfStatement;
  readonly #rewriter: Rewriter;
  readonly #plan: Plan;
  /** Functions may keep the variables of a turn, or one is assigned that is constant: then each turn has its own. */
  readonly #isKept: boolean;
  /** The pieces, the number of the match among them, and its place in the text. */
  readonly #pieces: string;
  readonly #at: string;
  readonly #index: string;
  readonly #names = new Map<Part, string>();

  constructor(node: ForOfStatement, rewriter: Rewriter, plan: Plan) {
    this.#node = node;
    this.#rewriter = rewriter;
    this.#plan = plan;
    const { uses } = plan;
    this.#isKept =
      hasKeeper(node.body) ||
      isConstantAssigned(node, uses) ||
      uses.bound.some(({ otherwise }) => otherwise && hasKeeper(otherwise));
    this.#pieces = rewriter.temporary();
    this.#at = rewriter.temporary();
    for (const { node: place, text } of uses.places)
      rewriter.substitute(
        place,
        text((part) => this.#nameOf(part)),
      );
    const isIndexed = this.#names.has('index') || uses.bound.some(({ part }) => part === 'index');
    this.#index = isIndexed ? rewriter.temporary() : '';
  }

  write(): void {
    const { bound } = this.#plan.uses;
    const isLabelled = this.#rewriter.ancestors.at(-1)?.type === 'LabeledStatement';
    const isShared = !this.#isKept && !(isLabelled && bound.length > 0);
    const declared = isShared && bound.length > 0 ? bound.map(({ name }) => name).join(', ') : '';
    if (declared !== '') this.#rewriter.write(this.#node, `{ let ${declared}; `);
    this.#head(isShared);
    if (isShared) this.#rewriter.write(this.#node, this.#node.body);
    else this.#rewriter.write(this.#node, '{ ', ...this.#declarations(), this.#node.body, ' }');
    if (declared !== '') this.#rewriter.write(this.#node, ' }');
  }

  #head(isShared: boolean): void {
    const [pieces, at, index] = [this.#pieces, this.#at, this.#index];
    const { pattern, isInV8 } = this.#plan;
    const step = pattern.groupCount + 2;
    const parts: (string | AnyNode)[] = ['for ('];
    if (isInV8) {
      const search = this.#rewriter.temporary();
      const start = `${at} = 3${index && `, ${index} = ${pieces}[2]`}`;
      const next = `(${pieces} = ${this.#rewriter.helper('moreFinds')}(${search})) !== null && (${start}, true)`;
      parts.push(`${search} = `, ...this.#search(), `, ${pieces} = ${search}.pieces, ${start}; `);
      parts.push(`(${at} < ${pieces}.length || (${next}))`);
    } else {
      parts.push(`${pieces} = `, ...this.#cuts(), `, ${at} = 1${index && `, ${index} = ${pieces}[0].length`}; `);
      parts.push(`${at} < ${pieces}.length`);
    }
    const given = isShared ? this.#assignments() : [];
    if (given.length > 0) parts.push(' && (', ...given, 'true)');
    parts.push('; ');
    if (index !== '') parts.push(`${index} += ${pieces}[${at}].length + ${pieces}[${at} + ${step - 1}].length, `);
    this.#rewriter.write(this.#node, ...parts, `${at} += ${step}) `);
  }

  #search(): (string | AnyNode)[] {
    const { text, regex, pattern } = this.#plan;
    const helper = this.#rewriter.helper(pattern.isV8 ? 'findsV8' : 'finds');
    return [`${helper}(`, text, ', ', regex, `, ${this.#index !== ''})`];
  }

  #cuts(): (string | AnyNode)[] {
    const { text, regex, pattern } = this.#plan;
    const { source, flags } = pattern;
    const cutter = `/(${source})/${[...flags].toSorted().join('')}`;
    // A constant may have been used before, and goes on from there.
    const isConstant = unwrap(regex).type === 'Identifier';
    const helper = this.#rewriter.helper(isConstant ? 'cutsFrom' : 'cuts');
    return [`${helper}(`, text, `, ${cutter}`, ...(isConstant ? [', ', regex] : []), ')'];
  }

  #nameOf(part: Part): string {
    let name = this.#names.get(part);
    if (name === undefined) {
      name = this.#isKept ? this.#rewriter.name() : this.#rewriter.temporary();
      this.#names.set(part, name);
    }
    return name;
  }

  #assignments(): (string | AnyNode)[] {
    return this.#values().flatMap(([name, ...value]) => [`${name} = `, ...value, ', ']);
  }

  #declarations(): (string | AnyNode)[] {
    const { left } = this.#node;
    const kind = left.type === 'VariableDeclaration' ? left.kind : 'const';
    return this.#values().flatMap(([name, ...value]) => [`${kind} ${name} = `, ...value, '; ']);
  }

  /** Each variable of a turn, and what it is given. */
  #values(): [string, ...(string | AnyNode)[]][] {
    const valueOf = (part: Part): string =>
      part === 'index' ? this.#index : `${this.#pieces}[${this.#at}${part === 0 ? '' : ` + ${part}`}]`;
    const found: [string, ...(string | AnyNode)[]][] = [...this.#names].map(([part, name]) => [name, valueOf(part)]);
    for (const { name, part, otherwise } of this.#plan.uses.bound) {
      const value = valueOf(part);
      found.push([name, ...(otherwise ? [`${value} === undefined ? (`, otherwise, `) : ${value}`] : [value])]);
    }
    return found;
  }
}

const noText = "__ms_refuse('matchAll of a value that is no text is not supported here')";

export const matchLoopHelpers: Helper[] = [
  {
    name: 'cuts',
    code: `function __ms_cuts(text, cutter) {
  if (typeof text !== 'string') { text.matchAll(cutter); ${noText}; }
  return text.split(cutter);
}`,
  },
  {
    name: 'cutsFrom',
    code: `function __ms_cutsFrom(text, cutter, pattern) {
  if (pattern.lastIndex === 0) return __ms_cuts(text, cutter);
  if (typeof text !== 'string') { text.matchAll(cutter); ${noText}; }
  return __ms_piecesOf(text, __ms_matches(text, pattern, ''));
}`,
  },
  {
    name: 'piecesOf',
    code: `function __ms_piecesOf(text, matches) {
  const between = __ms_between(text, matches);
  const pieces = [between[0]];
  for (let i = 0; i < matches.length; i++) pieces.push(...matches[i], between[i + 1]);
  return pieces;
}`,
  },
  {
    // By the hundred, then by the thousand: whether there are more, where to look for these, where the first one is, and the pieces.
    name: 'findsV8',
    code: `let __ms_searches = 0;
function __ms_findsV8(text, pattern, isIndexed, isOwn = false) {
  if (typeof text !== 'string') { text.matchAll(pattern); ${noText}; }
  const search = { id: ++__ms_searches, source: pattern.source, flags: pattern.flags, isIndexed, count: 256, text: '', isKept: false, pieces: [] };
  search.pieces = __ms_v8('finds', { source: search.source, flags: search.flags, text, id: search.id, from: pattern.lastIndex, count: search.count, isIndexed, isOwn, isKept: false });
  if (search.pieces !== null && search.pieces[0]) search.text = text;
  return search;
}
function __ms_moreFinds(search) {
  const [isOpen, from] = search.pieces;
  if (!isOpen) return null;
  const { id, source, flags, isIndexed, isKept } = search;
  const count = (search.count = Math.min(search.count * 4, 16384));
  const more = { source, flags, text: null, id, from, count, isIndexed, isOwn: false, isKept };
  search.pieces = __ms_v8('finds', more) ?? __ms_v8('finds', { ...more, text: search.text });
  return search.pieces;
}`,
  },
  {
    name: 'finds',
    code: `function __ms_finds(text, pattern, isIndexed) {
  const search = __ms_findsV8(text, pattern, isIndexed, true);
  if (search.pieces !== null) return search;
  const pieces = __ms_piecesOf(text, __ms_matches(text, pattern, ''));
  search.pieces = [false, 0, pieces[0].length, ...pieces.slice(1)];
  return search;
}`,
  },
];
