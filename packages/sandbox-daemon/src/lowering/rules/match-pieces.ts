import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import { patternOf, type Pattern } from '../patterns.ts';
import type { Rewriter } from '../rewriter.ts';
import { methodCall, unwrap, type AnyNode } from '../syntax.ts';

/** All matches of a regular expression that the source shows. */
export interface MatchAll {
  text: AnyNode;
  regex: AnyNode;
  pattern: Pattern;
  /** They are looked for by V8, which gives them some at a time. */
  isInV8: boolean;
}

/** Of `text.matchAll(regex)`, or of a list of it, where their pieces can be had. */
export function matchAllIn(node: AnyNode, facts: Facts): MatchAll | undefined {
  const inner = unwrap(node);
  const listed = listedIn(inner, facts);
  if (listed !== undefined) return matchAllIn(listed, facts);
  const call = methodCall(inner);
  if (call?.name !== 'matchAll' || call.member.optional || inner.type !== 'CallExpression' || inner.optional)
    return undefined;
  const [regex] = inner.arguments;
  if (regex === undefined || regex.type === 'SpreadElement' || inner.arguments.length > 1) return undefined;
  const pattern = patternOf(regex, facts);
  if (pattern === undefined || !/^[dgimsu]*g[dgimsu]*$/.test(pattern.flags)) return undefined;
  const isInV8 = pattern.isV8 || pattern.mayBeEmpty;
  // V8 cannot be asked there.
  return isInV8 && facts.isAsync ? undefined : { text: call.object, regex, pattern, isInV8 };
}

/** What `[...values]` and `Array.from(values)` are lists of. */
export function listedIn(node: AnyNode, { declared }: Facts): AnyNode | undefined {
  const inner = unwrap(node);
  if (inner.type === 'ArrayExpression') {
    const [only] = inner.elements;
    return inner.elements.length === 1 && only?.type === 'SpreadElement' ? only.argument : undefined;
  }
  const call = methodCall(inner);
  if (call?.name !== 'from' || call.member.optional || inner.type !== 'CallExpression' || inner.optional)
    return undefined;
  const [values] = inner.arguments;
  const isList = call.object.type === 'Identifier' && call.object.name === 'Array' && !declared.has('Array');
  return isList && inner.arguments.length === 1 && values?.type !== 'SpreadElement' ? values : undefined;
}

/** What gives the pieces, or the search by V8 that does. */
export function writeSearch(
  { text, regex, pattern, isInV8 }: MatchAll,
  isIndexed: boolean,
  rewriter: Rewriter,
): (string | AnyNode)[] {
  if (isInV8) {
    const helper = rewriter.helper(pattern.isV8 ? 'findsV8' : 'finds');
    return [`${helper}(`, text, ', ', regex, `, ${isIndexed})`];
  }
  const { source, flags } = pattern;
  const cutter = `/(${source})/${[...flags].toSorted().join('')}`;
  // A constant may have been used before, and goes on from there.
  const isConstant = unwrap(regex).type === 'Identifier';
  const helper = rewriter.helper(isConstant ? 'cutsFrom' : 'cuts');
  return [`${helper}(`, text, `, ${cutter}`, ...(isConstant ? [', ', regex] : []), ')'];
}

const noText = "__ms_refuse('matchAll of a value that is no text is not supported here')";

export const matchPieceHelpers: Helper[] = [
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
