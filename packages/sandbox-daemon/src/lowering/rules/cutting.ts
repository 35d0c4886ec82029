import type { CallExpression, MemberExpression } from 'acorn';
import { cutBy, cutTextsOf, type CutText } from '../cut-texts.ts';
import { atHand } from '../cut-uses.ts';
import { isGivenNumber } from '../numbers.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { memberName, type AnyNode } from '../syntax.ts';
import { short } from './cutting-helpers.ts';

/**
 * The engine copies what is left whenever the head of a text is cut off: 1 MB in lines takes 5 s. A variable that this is
 * done to keeps what comes next, some hundred characters, and beside it in pieces what comes after that.
 *
 *     let rest = text;              →   let t1c = null, t1r = 0, rest = text;
 *     rest = rest.slice(end);       →   rest = … end <= rest.length - 128 ? rest.slice(end) : (t1c = __ms_cutHead(…), …);
 *     rest.length                   →   (t1r === 0 ? rest.length : rest.length + t1r)
 *     rest.indexOf('\n')            →   ((t2 = rest.indexOf('\n')) !== -1 || t1r === 0 ? t2 : __ms_cutFind(t1c, rest, '\n'))
 *     rest.slice(0, end)            →   (t1r === 0 || end <= rest.length ? 0 : … more at hand …, rest.slice(0, end))
 *     rest[0], while (rest)         →   as they are
 *     rest                          →   (t1r === 0 ? rest : __ms_cutWhole(t1c, rest))
 *
 * `t1c` has the pieces, `t1r` is how many characters they are. Where it is 0, the variable is what it is in the script: it
 * may be no text, and short ones are left to the engine.
 */
export const cutting: Rule[] = [
  {
    id: 'cutting-declaration',
    on: ['VariableDeclarator', 'Identifier'],
    rewrite(node, rewriter) {
      const name = node.type === 'VariableDeclarator' ? node.id : node;
      if (name.type !== 'Identifier') return false;
      const text = textOf(name.name, rewriter);
      if (text?.at !== node || rewriter.isInside(node)) return false;
      const { pieces, rest } = variablesOf(text, rewriter);
      if (node.type === 'Identifier') {
        rewriter.putIntoBody([`let ${pieces} = null, ${rest} = 0;`]);
        return false;
      }
      rewriter.output.write(`${pieces} = null, ${rest} = 0, `, node);
      rewriter.inside(node, () => rewriter.emit(node));
      return true;
    },
  },
  {
    id: 'cutting-assignment',
    on: ['AssignmentExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'AssignmentExpression' || node.left.type !== 'Identifier') return false;
      const text = textOf(node.left.name, rewriter);
      if (text === undefined || rewriter.isInside(node)) return false;
      const { name } = text;
      const { rest } = variablesOf(text, rewriter);
      if (text.cuts.has(node)) writeCut(node, text, rewriter);
      else if (!text.others.has(node)) return false;
      else {
        const first = node.operator === '=' ? '' : `${rest} === 0 ? 0 : (${wholeAgain(text, rewriter)}), `;
        rewriter.output.write(`(${first}`, node);
        rewriter.inside(node, () => rewriter.emit(node));
        rewriter.output.write(`, ${rest} = 0, ${name})`, node);
      }
      return true;
    },
  },
  {
    id: 'cutting-use',
    on: ['MemberExpression', 'CallExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'MemberExpression' && node.type !== 'CallExpression') return false;
      const member = node.type === 'CallExpression' ? node.callee : node;
      if (member.type !== 'MemberExpression' || member.object.type !== 'Identifier') return false;
      const text = textOf(member.object.name, rewriter);
      if (text?.uses.has(node) !== true || rewriter.isInside(node)) return false;
      writeUse(node, member, text, rewriter);
      return true;
    },
  },
  {
    id: 'cutting-read',
    on: ['Identifier'],
    rewrite(node, rewriter) {
      if (node.type !== 'Identifier') return false;
      const text = textOf(node.name, rewriter);
      if (text?.reads.has(node) !== true) return false;
      const { pieces, rest } = variablesOf(text, rewriter);
      rewriter.output.write(
        `(${rest} === 0 ? ${node.name} : ${rewriter.helper('cutWhole')}(${pieces}, ${node.name}))`,
        node,
      );
      return true;
    },
  },
];

function textOf(name: string, { facts, ancestors }: Rewriter): CutText | undefined {
  const [program] = ancestors;
  return program?.type === 'Program' ? cutTextsOf(program, facts).get(name) : undefined;
}

interface Variables {
  pieces: string;
  rest: string;
}

const known = new WeakMap<CutText, Variables>();

function variablesOf(text: CutText, rewriter: Rewriter): Variables {
  let variables = known.get(text);
  if (variables === undefined) {
    const name = rewriter.name();
    variables = { pieces: `${name}c`, rest: `${name}r` };
    known.set(text, variables);
  }
  return variables;
}

/** Puts the text together in its variable. */
function wholeAgain(text: CutText, rewriter: Rewriter): string {
  const { pieces, rest } = variablesOf(text, rewriter);
  return `${text.name} = ${rewriter.helper('cutWhole')}(${pieces}, ${text.name}), ${rest} = 0`;
}

function writeCut(node: AnyNode & { type: 'AssignmentExpression' }, text: CutText, rewriter: Rewriter): void {
  const count = cutBy(node) as AnyNode;
  const call = node.right as CallExpression;
  const { name } = text;
  const { pieces, rest } = variablesOf(text, rewriter);
  const [at, size] = [rewriter.temporary(), rewriter.temporary()];
  const isNumber = isGivenNumber(count, rewriter.facts.given) && !rewriter.facts.references.has('BigInt');
  const isSubstring = memberName(call.callee as MemberExpression) === 'substring';
  const helper = (from: string): string =>
    `(${pieces} = ${rewriter.helper('cutHead')}(${from}, ${name}, ${at}, ${isSubstring}), ${rest} = ${pieces}.rest, ${pieces}.head)`;
  const plain = (): void => rewriter.inside(call, () => rewriter.emit(call));
  rewriter.write(node, `${name} = (${at} = (`, count, `), ${rest} === 0) ? `);
  rewriter.substitute(count, at);
  const isKnown = isNumber ? '' : `typeof ${at} !== 'number' || `;
  rewriter.output.write(`(${isKnown}typeof ${name} !== 'string' || ${name}.length <= ${short} ? `, node);
  rewriter.under(node, plain);
  rewriter.output.write(` : ${helper('null')}) : `, node);
  if (!isNumber) {
    rewriter.output.write(`typeof ${at} !== 'number' ? (${wholeAgain(text, rewriter)}, `, node);
    rewriter.under(node, plain);
    rewriter.output.write(') : ', node);
  }
  const isAtHand = `${at} >= 0 && ${at} <= (${size} = ${name}.length) - ${atHand} && ${size} <= ${short}`;
  rewriter.output.write(`${isAtHand} ? ${name}.slice(${at}) : ${helper(pieces)}`, node);
}

type Parts = (string | AnyNode)[];

function writeUse(
  node: CallExpression | MemberExpression,
  member: MemberExpression,
  text: CutText,
  rewriter: Rewriter,
): void {
  const { name } = text;
  const method = memberName(member) ?? '';
  const [first, second] = (node.type === 'CallExpression' ? node.arguments : []) as AnyNode[];
  const emit = (): void => rewriter.inside(node, () => rewriter.emit(node));
  if (method === 'length') {
    const { rest } = variablesOf(text, rewriter);
    rewriter.output.write(`(${rest} === 0 ? `, node);
    emit();
    rewriter.output.write(` : ${name}.length + ${rest})`, node);
    return;
  }
  rewriter.output.write('(', node);
  if (method === 'indexOf' || method === 'includes') {
    writeFind(node, first as AnyNode, method === 'indexOf', text, rewriter);
    return;
  }
  if (method === 'startsWith') {
    const item = first as AnyNode;
    const isText = ['typeof ', item, " === 'string'"];
    writeMore(
      node,
      [...isText, ' && ', item, `.length <= ${name}.length`],
      [...isText, ' ? ', item, '.length : Infinity'],
      text,
      rewriter,
    );
  } else if (second === undefined) {
    const index = first ?? member.property;
    writeMore(node, [index, ' >= 0 && ', index, ` < ${name}.length`], [index], text, rewriter);
  } else {
    const from = first as AnyNode;
    const isSubstring = method === 'substring';
    const isInOrder = isSubstring ? [' && ', from, ` <= ${name}.length`] : [];
    const isEnough = [from, ' >= 0 && ', second, ' >= 0 && ', second, ` <= ${name}.length`, ...isInOrder];
    const needed = isSubstring ? ['Infinity'] : [from, ' >= 0 ? ', second, ' : Infinity'];
    writeMore(node, isEnough, needed, text, rewriter);
  }
  emit();
  rewriter.output.write(')', node);
}

/** Has more of the text at hand, where what is there is not enough. */
function writeMore(node: AnyNode, isEnough: Parts, needed: Parts, text: CutText, rewriter: Rewriter): void {
  const { pieces, rest } = variablesOf(text, rewriter);
  rewriter.write(node, `${rest} === 0 || `, ...isEnough, ' ? 0 : ');
  rewriter.write(node, `(${text.name} = ${rewriter.helper('cutMore')}(${pieces}, ${text.name}, `, ...needed);
  rewriter.output.write(`), ${rest} = ${pieces}.rest), `, node);
}

function writeFind(
  node: CallExpression | MemberExpression,
  item: AnyNode,
  isPosition: boolean,
  text: CutText,
  rewriter: Rewriter,
): void {
  const { pieces, rest } = variablesOf(text, rewriter);
  const found = rewriter.temporary();
  // What is no text is left to the method, which has to have all of the text for it.
  if (item.type === 'Identifier') writeMore(node, ['typeof ', item, " === 'string'"], ['Infinity'], text, rewriter);
  rewriter.output.write(`(${found} = `, node);
  rewriter.inside(node, () => rewriter.emit(node));
  const isFound = isPosition ? ' !== -1' : '';
  rewriter.write(
    node,
    `)${isFound} || ${rest} === 0 ? ${found} : ${rewriter.helper('cutFind')}(${pieces}, ${text.name}, `,
    item,
  );
  rewriter.output.write(isPosition ? '))' : ') !== -1)', node);
}
