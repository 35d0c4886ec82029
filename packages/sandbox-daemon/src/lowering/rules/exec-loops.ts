import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import type { Rewriter } from '../rewriter.ts';
import { methodCall, type AnyNode } from '../syntax.ts';
import { variablesOf } from './positions.ts';
import { inputOf } from './strings.ts';

/**
 * `regex.exec(text)` in a loop looks for many matches at once, and hands out the next one where the regular expression is
 * where the last one left it. A text that stays the same is not given to a function, which would copy it; another one is
 * compared with the one before.
 *
 *     while ((m = re.exec(text))) …   →
 *     while ((m = (t1x.pattern === re && re.lastIndex === t1x.last && t1x.next < t1x.end
 *       ? __ms_nextMatch(t1x) : __ms_firstMatch(t1x = __ms_lookAhead(re, text, t1x))))) …
 */
export const execLoop: Rule = {
  id: 'exec-loop',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' || node.optional) return false;
    const call = methodCall(node);
    const [argument] = node.arguments;
    if (call?.name !== 'exec' || call.member.optional || call.object.type !== 'Identifier') return false;
    if (argument === undefined || argument.type === 'SpreadElement' || node.arguments.length > 1) return false;
    const { name } = call.object;
    const { facts, ancestors } = rewriter;
    const isEach = facts.fixedRegexes.get(name)?.regex?.flags.includes('g') ?? true;
    if (!isEach || !ancestors.some(isLoop) || ancestors.some(({ type }) => type === 'ChainExpression')) return false;
    const text = argument.type === 'Identifier' ? facts.fixedTexts.get(argument.name) : undefined;
    if (text?.searches.has(node) === true) {
      const { ahead } = variablesOf(text, rewriter);
      rewriter.output.write(`(${nextOf(name, text.name, ahead, rewriter)})`, node);
      return true;
    }
    const [given, ahead] = [rewriter.temporary(), rewriter.temporary()];
    const isOther = `${ahead} === undefined || ${ahead}.subject !== ${given}`;
    rewriter.write(node, `(typeof (${given} = (`, argument, `)) !== 'string' || ${given}.length < ${short} ? `);
    rewriter.output.write(`${name}.exec(${given}) : (${isOther} ? ${ahead} = { ...`, node);
    rewriter.output.write(`${rewriter.helper('noAhead')}, subject: ${given} } : 0, `, node);
    rewriter.output.write(`${nextOf(name, given, ahead, rewriter)}))`, node);
    return true;
  },
};

/** The engine is fast enough in a text that is no longer. */
const short = 1000;

function isLoop({ type }: AnyNode): boolean {
  return /^(?:For|While|DoWhile)/.test(type);
}

function nextOf(regex: string, text: string, ahead: string, rewriter: Rewriter): string {
  const helpers = ['nextMatch', 'firstMatch', 'lookAhead'].map((helper) => rewriter.helper(helper));
  const [next, first, look] = helpers as [string, string, string];
  return (
    `${ahead}.pattern === ${regex} && ${regex}.lastIndex === ${ahead}.last && ${ahead}.next < ${ahead}.end ? ` +
    `${next}(${ahead}) : ${first}(${ahead} = ${look}(${regex}, ${text}, ${ahead}))`
  );
}

/** Whether helpers may ask V8 here: callbacks that are suspended for it are none of the engine's own. */
function mayAsk({ isAsync, suspendsInCallback }: Facts): boolean {
  return !isAsync && suspendsInCallback;
}

export const execLoopHelpers: Helper[] = [
  {
    name: 'noAhead',
    code: 'const __ms_noAhead = { pattern: undefined, last: 0, next: 0, end: 0, search: null, given: null, subject: null };',
  },
  {
    // Of pieces as in a loop over `matchAll`. Behind a match of nothing the next one is looked for one further.
    name: 'nextMatch',
    code: (facts) => `function __ms_nextMatch(ahead) {
  const { pieces, next, groupCount, index } = ahead;
  // In place: a call costs as much as all the rest.
  const match =
    groupCount === 1 ? [pieces[next], pieces[next + 1]]
    : groupCount === 2 ? [pieces[next], pieces[next + 1], pieces[next + 2]]
    : groupCount === 3 ? [pieces[next], pieces[next + 1], pieces[next + 2], pieces[next + 3]]
    : __ms_listOf(pieces, next, groupCount);
  match.index = index;
  match.input = ${inputOf(facts, 'ahead.text')};
  match.groups = undefined;
  if (ahead.names.length > 0) { match.groups = {}; for (const [name, number] of ahead.names) match.groups[name] = match[number]; }
  const length = pieces[next].length;
  ahead.next = next + groupCount + 2;
  ahead.index = index + length + pieces[next + groupCount + 1].length;
  ahead.pattern.lastIndex = index + length;
  ahead.last = length === 0 ? index + 1 : index + length;
  return match;
}
function __ms_firstMatch(ahead) { return ahead.pattern === undefined ? ahead.given : __ms_nextMatch(ahead); }`,
  },
  {
    name: 'listOf',
    code: `function __ms_listOf(pieces, at, groupCount) {
  if (groupCount === 0) return [pieces[at]];
  if (groupCount === 1) return [pieces[at], pieces[at + 1]];
  if (groupCount === 2) return [pieces[at], pieces[at + 1], pieces[at + 2]];
  if (groupCount === 3) return [pieces[at], pieces[at + 1], pieces[at + 2], pieces[at + 3]];
  const list = [pieces[at]];
  for (let i = 1; i <= groupCount; i++) list.push(pieces[at + i]);
  return list;
}`,
  },
  {
    name: 'lookAhead',
    code: (facts) => `function __ms_lookAhead(pattern, text, before) {
  const { subject } = before;
  const isV8 = ${facts.hasV8Regexes ? '__ms_isV8(pattern)' : 'false'};
  const isOurs = typeof text === 'string' && (isV8 || (pattern instanceof RegExp && text.length >= ${short})) && pattern.flags.includes('g') && !pattern.flags.includes('y');
  if (!isOurs) return { pattern: undefined, given: pattern.exec(text), search: null, subject };
  const from = pattern.lastIndex;
  const goesOn = before.pattern === pattern && from === before.last;
  let { search } = before;
  let pieces = null;
  if (goesOn && before.isCut) pieces = [''];
  else if (goesOn) pieces = __ms_moreFinds(search) ?? [false, 0, 0];
  else if (!isV8 && from === 0) pieces = __ms_cut(text, pattern)?.parts ?? null;
  const isCut = pieces !== null && !(goesOn && !before.isCut);
  ${
    mayAsk(facts)
      ? `if (pieces === null) {
    const { source, flags } = pattern;
    const id = search === null ? ++__ms_searches : search.id;
    const isKnown = search !== null;
    search = { id, source, flags, isIndexed: true, count: from === 0 ? 256 : 16, text, isKept: true, pieces };
    const question = { source, flags, text: null, id, from, count: search.count, isIndexed: true, isOwn: !isV8, isKept: true };
    pieces = (isKnown ? __ms_v8('finds', question) : null) ?? __ms_v8('finds', { ...question, text });
    search.pieces = pieces;
  }`
      : ''
  }
  if (pieces === null) return { pattern: undefined, given: pattern.exec(text), search: null, subject };
  const next = isCut ? 1 : 3;
  if (next >= pieces.length) {
    pattern.lastIndex = 0;
    return { pattern: undefined, given: null, search, subject };
  }
  const [groupCount, names] = goesOn ? [before.groupCount, before.names] : __ms_groupsOf(pattern);
  return { pattern, pieces, next, end: pieces.length, index: isCut ? pieces[0].length : pieces[2], last: from, isCut, search, groupCount, names, subject, text: ${inputOf(facts, 'text')} };
}`,
  },
  {
    name: 'groupsOf',
    code: ({ hasV8Regexes }) => `function __ms_groupsOf(pattern) {
  ${hasV8Regexes ? 'if (__ms_isV8(pattern)) return pattern.groups;' : ''}
  const { source, flags } = pattern;
  return [new RegExp(source + '|', flags.replace('g', '')).exec('').length - 1, source.includes('(?<') ? __ms_groupNumbers(source) : []];
}`,
  },
];
