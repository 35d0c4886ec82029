import type { CallExpression, MemberExpression } from 'acorn';
import type { FixedText } from '../fixed-texts.ts';
import { isGivenNumber, isIndex } from '../numbers.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { memberName, unwrap, type AnyNode } from '../syntax.ts';
import { pieceLength } from './position-helpers.ts';

/**
 * The engine copies a text, and goes through it from its start, for what stands at a position: 0.1 ms in 1 MB. A
 * text that stays the same is cut into pieces once, and the piece that was read last is kept beside it.
 *
 *     const text = read_file(path);   →   let t1w = …, t1o = 0, t1p, t1l; const text = read_file(path);
 *     text[i]                         →   (t1w[i - t1o] ?? (… the piece that has it …)[i - t1o])
 *     text.length                     →   (t1l ?? …)
 *     text.slice(a, b)                →   __ms_sliceAt(… the pieces, or the text where it is short …, a, b)
 *
 * `t1w` is the piece, `t1o` where it begins, `t1p` all pieces, `t1l` the length. What is no text is read as before: no
 * piece has a letter of it. A position that no piece has is asked of the text itself.
 */
export const positions: Rule[] = [
  {
    id: 'positions-declaration',
    on: ['VariableDeclaration', 'ForOfStatement', 'Identifier'],
    rewrite(node, rewriter) {
      const { fixedTexts } = rewriter.facts;
      if (fixedTexts.size === 0 || rewriter.isInside(node)) return false;
      const here = [...fixedTexts.values()].filter(({ at }) => at === node);
      if (here.length === 0) return false;
      const declared = here.map((text) => declaration(text, rewriter)).join(' ');
      if (node.type === 'ForOfStatement') rewriter.putBefore(node.body, [declared]);
      else if (node.type === 'Identifier') rewriter.putIntoBody([declared]);
      else rewriter.output.write(declared, node);
      if (node.type !== 'VariableDeclaration') return false;
      rewriter.inside(node, () => rewriter.emit(node));
      return true;
    },
  },
  {
    id: 'positions-member',
    on: ['MemberExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'MemberExpression') return false;
      const text = readOf(node, rewriter);
      if (text === undefined || isCallee(node, rewriter)) return false;
      const { name } = text;
      const v = variablesOf(text, rewriter);
      if (memberName(node) === 'length') rewriter.output.write(lengthOf(name, v), node);
      else
        return writeAt(node, node.property, rewriter, text, (at, isIndexed) =>
          isIndexed
            ? `${name}[${at}]`
            : `${name}[typeof ${at} === 'string' ? ${at} : ${rewriter.helper('key')}(${at})]`,
        );
      return true;
    },
  },
  {
    id: 'positions-call',
    on: ['CallExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'CallExpression' || node.optional || node.callee.type !== 'MemberExpression') return false;
      const text = readOf(node.callee, rewriter);
      if (text === undefined || node.arguments.some(({ type }) => type === 'SpreadElement')) return false;
      return rewriteCall(node, memberName(node.callee) ?? '', text, rewriter);
    },
  },
];

interface Variables {
  /** What was found ahead by `regex.exec(text)`; see `exec-loops`. */
  ahead: string;
  piece: string;
  start: string;
  pieces: string;
  length: string;
}

/** The engine is fast enough in a text that is no longer. */
const short = 4096;

const known = new WeakMap<FixedText, Variables>();

export function variablesOf(text: FixedText, rewriter: Rewriter): Variables {
  let variables = known.get(text);
  if (variables === undefined) {
    const name = rewriter.name();
    variables = { piece: `${name}w`, start: `${name}o`, pieces: `${name}p`, length: `${name}l`, ahead: `${name}x` };
    known.set(text, variables);
  }
  return variables;
}

function declaration(text: FixedText, rewriter: Rewriter): string {
  const { piece, start, pieces, length, ahead } = variablesOf(text, rewriter);
  const names = text.reads.size > 0 ? [`${piece} = ''`, `${start} = 0`, pieces, length] : [];
  return `let ${[...names, ...(text.searches.size > 0 ? [`${ahead} = ${rewriter.helper('noAhead')}`] : [])].join(', ')};`;
}

function readOf(member: MemberExpression, { facts, ancestors }: Rewriter): FixedText | undefined {
  if (facts.fixedTexts.size === 0 || member.object.type !== 'Identifier') return undefined;
  const text = facts.fixedTexts.get(member.object.name);
  // A chain with `?.` is taken apart by another rule.
  if (text?.reads.has(member) !== true || ancestors.some(({ type }) => type === 'ChainExpression')) return undefined;
  return text;
}

function isCallee(node: AnyNode, { ancestors }: Rewriter): boolean {
  const parent = ancestors.at(-1);
  return parent?.type === 'CallExpression' && parent.callee === node;
}

function lengthOf(name: string, { length }: Variables): string {
  return `(${length} ?? (typeof ${name} === 'string' ? (${length} = ${name}.length) : ${name}.length))`;
}

/** Writes what stands at a position: a letter, or what `otherwise` says where no piece has one. */
function writeAt(
  node: AnyNode,
  index: AnyNode,
  rewriter: Rewriter,
  text: FixedText,
  otherwise: (at: string, isIndexed: boolean) => string,
): boolean {
  const v = variablesOf(text, rewriter);
  const inner = unwrap(index);
  if (!isPlain(inner)) return false;
  const isNumber = isGivenNumber(inner, rewriter.facts.given) && !rewriter.facts.references.has('BigInt');
  let at = '';
  let first: (string | AnyNode)[];
  if (isNumber && (inner.type === 'Identifier' || inner.type === 'Literal')) {
    at = rewriter.source.slice(inner.start, inner.end);
    first = [at];
  } else {
    at = rewriter.temporary();
    first = [`(${at} = `, inner, ')'];
  }
  const { piece, start, pieces } = v;
  const isIndexed = isIndex(inner, rewriter.facts.indices);
  const rest = otherwise(at, isIndexed);
  const cut = `${piece} = (${pieces} ??= ${rewriter.helper('pieces')}(${text.name}))[(${start} = ${at} - ${at} % ${pieceLength}) / ${pieceLength}] ?? ''`;
  const missing = `((${cut})[${at} - ${start}] ?? ${rest})`;
  if (isNumber) rewriter.write(node, `(${piece}[`, ...first, ` - ${start}] ?? ${missing})`);
  else
    rewriter.write(node, '(typeof ', ...first, ` === 'number' ? (${piece}[${at} - ${start}] ?? ${missing}) : ${rest})`);
  return true;
}

/** Whether it changes nothing but variables of the script, so that the piece is the same before and after it. */
function isPlain(node: AnyNode): boolean {
  const inner = unwrap(node);
  switch (inner.type) {
    case 'Identifier':
      return true;
    case 'Literal':
      return typeof inner.value === 'number';
    case 'UpdateExpression':
      return inner.argument.type === 'Identifier';
    case 'BinaryExpression':
      return inner.left.type !== 'PrivateIdentifier' && isPlain(inner.left) && isPlain(inner.right);
    case 'MemberExpression':
      return inner.object.type === 'Identifier' && memberName(inner) === 'length';
    default:
      return false;
  }
}

function rewriteCall(node: CallExpression, method: string, text: FixedText, rewriter: Rewriter): boolean {
  const [first, second] = node.arguments as AnyNode[];
  const { name } = text;
  switch (method) {
    case 'charAt':
    case 'at':
      if (first === undefined || second !== undefined) return false;
      return writeAt(
        node,
        first,
        rewriter,
        text,
        (at) => `${rewriter.helper('letterAt')}(${name}, '${method}', ${at})`,
      );
    case 'charCodeAt':
    case 'codePointAt': {
      if (first === undefined || second !== undefined || !isPlain(first)) return false;
      // Of a text without a letter: `''.charCodeAt(0)` is `NaN`, as `text.charCodeAt(i)` is beyond its end.
      writeAt(node, first, rewriter, text, (at) => `${rewriter.helper('letterAt')}(${name}, '${method}', ${at})`);
      rewriter.output.write(`.${method}(0)`, node);
      return true;
    }
    case 'slice':
    case 'substring':
      if (first === undefined || node.arguments.length > 2) return false;
      break;
    case 'indexOf':
      if (second === undefined || node.arguments.length > 2) return false;
      break;
    default:
      return false;
  }
  const v = variablesOf(text, rewriter);
  const { pieces } = v;
  const from = `${lengthOf(name, v)} > ${short} && (${pieces} ??= ${rewriter.helper('pieces')}(${name})).__ms_size !== undefined ? ${pieces} : ${name}`;
  const helper = `${rewriter.helper(`${method}In`)}(${from}, `;
  if (writeInPiece(node, helper, text, rewriter)) return true;
  rewriter.write(node, helper, first as AnyNode, ...(second === undefined ? [] : [', ', second]), ')');
  return true;
}

/** Asks the piece that was read last, which costs a fifth of a call; what does not lie in it comes from the helper. */
function writeInPiece(node: CallExpression, helper: string, text: FixedText, rewriter: Rewriter): boolean {
  const [first, second] = (node.arguments as AnyNode[]).map(unwrap);
  const { given, references } = rewriter.facts;
  if (first === undefined || second === undefined || references.has('BigInt')) return false;
  const isSearch = memberName(node.callee as MemberExpression) === 'indexOf';
  const isItem = first.type === 'Literal' && typeof first.value === 'string' && first.value !== '';
  const places = isSearch ? [second] : [first, second];
  // What counts on in an argument would be seen by what is written twice.
  const isFixed = (place: AnyNode): boolean => !/\+\+|--/.test(rewriter.source.slice(place.start, place.end));
  if ((isSearch && !isItem) || !places.every((place) => isPlain(place) && isFixed(place))) return false;
  const names = places.map((place) =>
    place.type === 'Identifier' ? rewriter.source.slice(place.start, place.end) : rewriter.temporary(),
  );
  const { piece, start, pieces } = variablesOf(text, rewriter);
  rewriter.output.write('(', node);
  for (const [at, place] of places.entries())
    if (place.type !== 'Identifier') rewriter.write(node, `${names[at]} = `, place, ', ');
  const [from, to] = names as [string, string];
  const unsure = names.filter((_, at) => !isGivenNumber(places[at] as AnyNode, given));
  const isNumber = unsure.map((at) => `typeof ${at} === 'number' && `).join('');
  const turn = `${isNumber}(${piece} = (${pieces} ??= ${rewriter.helper('pieces')}(${text.name}))[(${start} = ${from} - ${from} % ${pieceLength}) / ${pieceLength}] ?? '')`;
  if (isSearch) {
    const found = rewriter.temporary();
    rewriter.write(
      node,
      `${isNumber}${from} >= ${start} && (${found} = ${piece}.indexOf(`,
      first,
      `, ${from} - ${start})) !== -1`,
    );
    rewriter.write(node, ` ? ${found} + ${start} : (${turn}, ${helper}`, first, `, ${from})))`);
  } else {
    const isThere = `${isNumber}${from} >= ${start} && ${to} > ${from} && ${to} <= ${start} + ${piece}.length`;
    const cut = `${piece}.slice(${from} - ${start}, ${to} - ${start})`;
    rewriter.output.write(`${isThere} ? ${cut} : (${turn}, ${helper}${from}, ${to})))`, node);
  }
  return true;
}
