import type { CallExpression } from 'acorn';
import type { Helper } from '../helper.ts';
import { isGivenNumber } from '../numbers.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { methodCall, type AnyNode } from '../syntax.ts';

/** Which argument of a method the engine misreads, and the helper that gives what it reads rightly. */
const readers: Record<string, [at: number, helper: string]> = {
  slice: [1, 'end'],
  substring: [1, 'end'],
  endsWith: [1, 'end'],
  fill: [2, 'end'],
  charAt: [0, 'place'],
  match: [0, 'pattern'],
  search: [0, 'pattern'],
};

/**
 * The engine takes `undefined` for 0 where JavaScript takes it for no argument, and the place -1 of a text for 0,
 * and a text that is to be a pattern for what is to be found as it stands. The argument is mended and not the call: a text that is given to a function is copied, 1 ms for 1 MB.
 *
 *     text.slice(1, end)   →   text.slice(1, __ms_end(end))
 *     text.charAt(i - 1)   →   text.charAt(__ms_place(i - 1))
 */
export const methodArguments: Rule = {
  id: 'method-arguments',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    const call = methodCall(node);
    if (call === undefined || node.type !== 'CallExpression' || !Object.hasOwn(readers, call.name)) return false;
    const [at, helper] = readers[call.name] as [number, string];
    const argument = node.arguments[at];
    const { ownMembers } = rewriter.facts;
    if (ownMembers.has(call.name) && !node.optional && !call.member.optional) {
      if (node.arguments.some(({ type }) => type === 'SpreadElement')) return false;
      writeMended(node, call, [at, helper], rewriter);
      return true;
    }
    if (argument === undefined && helper === 'pattern' && !node.optional) {
      rewriter.write(node, node.callee, "('')");
      return true;
    }
    if (argument === undefined || isRight(argument, helper, rewriter)) return false;
    if (node.arguments.some(({ type }) => type === 'SpreadElement')) return false;
    rewriter.write(node, node.callee);
    let from = node.callee.end;
    for (const other of node.arguments.slice(0, at)) {
      rewriter.output.copy(from, other.start);
      rewriter.write(node, other);
      from = other.end;
    }
    rewriter.output.copy(from, argument.start);
    rewriter.write(node, `${rewriter.helper(helper)}(`, argument, ')');
    let end = argument.end;
    for (const other of node.arguments.slice(at + 1)) {
      rewriter.output.copy(end, other.start);
      rewriter.write(node, other);
      end = other.end;
    }
    rewriter.output.copy(end, node.end);
    return true;
  },
};

/** An argument that the engine misreads, of a method of texts and lists. */
export interface Mended {
  name: string;
  at: number;
  helper: string;
}

export function mendedFor(node: CallExpression): Mended | undefined {
  const name = methodCall(node)?.name;
  if (name === undefined || !Object.hasOwn(readers, name)) return undefined;
  const [at, helper] = readers[name] as [number, string];
  return { name, at, helper };
}

/** Where an object of the script may have the method, whose arguments are its own affair. */
function writeMended(
  node: CallExpression,
  { object, name }: { object: AnyNode; name: string },
  [at, helper]: [number, string],
  rewriter: Rewriter,
): void {
  rewriter.write(node, `${rewriter.helper('mended')}(`, object);
  rewriter.output.write(`, '${name}', ${at}, ${rewriter.helper(helper)}`, node);
  for (const argument of node.arguments) rewriter.write(node, ', ', argument);
  rewriter.output.write(')', node);
}

/** Whether the source shows that the engine reads it rightly. */
function isRight(argument: AnyNode, helper: string, { facts }: Rewriter): boolean {
  if (helper === 'pattern') {
    if (argument.type === 'NewExpression')
      return argument.callee.type === 'Identifier' && argument.callee.name === 'RegExp';
    if (argument.type !== 'Literal') return false;
    return typeof argument.value !== 'string' || !/[.*+?^$(){}|\\[\]]/.test(argument.value);
  }
  if (helper === 'place' && argument.type === 'Literal') return typeof argument.value === 'number';
  if (argument.type === 'Literal' || argument.type === 'TemplateLiteral') return true;
  // A counter that only goes up, as most do.
  if (helper === 'place')
    return argument.type === 'Identifier' && facts.indices.has(argument.name) && !facts.countsDown;
  return isGivenNumber(argument, facts.given);
}

export const argumentHelpers: Helper[] = [
  {
    name: 'mended',
    code: `function __ms_mended(object, name, at, mend, ...args) {
  if ((typeof object === 'string' || Array.isArray(object)) && (args.length > at || mend === __ms_pattern)) args[at] = mend(args[at]);
  return object[name](...args);
}`,
  },
  { name: 'end', code: 'function __ms_end(end) { return end === undefined ? 9007199254740991 : end; }' },
  {
    name: 'place',
    code: `function __ms_place(at) {
  const place = Math.trunc(Number(at));
  return place < 0 ? 9007199254740991 : place !== place ? 0 : place;
}`,
  },
  {
    name: 'pattern',
    code: `function __ms_pattern(given) {
  if (typeof given === 'object' && given !== null && given instanceof RegExp) return given;
  const pattern = given === undefined ? '' : __ms_text(given);
  return /[.*+?^$(){}|\\\\\\[\\]]/.test(pattern) ? new RegExp(pattern) : pattern;
}`,
  },
];
