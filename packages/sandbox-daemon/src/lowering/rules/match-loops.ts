import type { ForOfStatement } from 'acorn';
import { usesOf, type Part, type Uses } from '../match-uses.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { isFunction, type AnyNode } from '../syntax.ts';
import { matchAllIn, writeSearch, type MatchAll } from './match-pieces.ts';
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
    const found = matchAllIn(node.right, rewriter.facts);
    const uses = found && usesOf(node, found.pattern);
    if (found === undefined || uses === undefined) return false;
    new LoopWriter(node, rewriter, { ...found, uses }).write();
    return true;
  },
};

/** The value of a script may be that of its last loop. */
function isValueOfScript(node: ForOfStatement, { ancestors }: Rewriter): boolean {
  const [program, statement = node] = ancestors;
  return program?.type === 'Program' && program.body.at(-1) === statement && !ancestors.some(isFunction);
}

function isConstantAssigned({ left, body }: ForOfStatement, { bound }: Uses): boolean {
  if (left.type !== 'VariableDeclaration' || left.kind !== 'const') return false;
  return bound.some(({ name }) => isAssigned(name, body));
}

interface Plan extends MatchAll {
  uses: Uses;
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
    const found = writeSearch(this.#plan, index !== '', this.#rewriter);
    if (isInV8) {
      const search = this.#rewriter.temporary();
      const start = `${at} = 3${index && `, ${index} = ${pieces}[2]`}`;
      const next = `(${pieces} = ${this.#rewriter.helper('moreFinds')}(${search})) !== null && (${start}, true)`;
      parts.push(`${search} = `, ...found, `, ${pieces} = ${search}.pieces, ${start}; `);
      parts.push(`(${at} < ${pieces}.length || (${next}))`);
    } else {
      parts.push(`${pieces} = `, ...found, `, ${at} = 1${index && `, ${index} = ${pieces}[0].length`}; `);
      parts.push(`${at} < ${pieces}.length`);
    }
    const given = isShared ? this.#assignments() : [];
    if (given.length > 0) parts.push(' && (', ...given, 'true)');
    parts.push('; ');
    if (index !== '') parts.push(`${index} += ${pieces}[${at}].length + ${pieces}[${at} + ${step - 1}].length, `);
    this.#rewriter.write(this.#node, ...parts, `${at} += ${step}) `);
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
