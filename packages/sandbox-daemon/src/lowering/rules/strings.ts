import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Methods } from '../rule.ts';
import { unwrap, type AnyNode } from '../syntax.ts';

/**
 * | script                              | engine                  | V8     |
 * | ----------------------------------- | ----------------------- | ------ |
 * | `'a.b'.replace('.', '$&$&')`        | inserts `$&$&`          | `a..b` |
 * | `text.replaceAll(',', ';')`         | quadratic               | linear |
 * | `text.replace(/x/g, f)`             | quadratic, no host call | linear |
 * | `text.matchAll(/x/g)`               | exceeds the memory      | linear |
 * | `'abc'.substr(1, 1)`                | refused                 | `b`    |
 */
export const strings: Methods = {
  id: 'strings',
  names: new Set(['replace', 'replaceAll', 'matchAll', 'substr', 'split']),
  helperFor: ({ name, args }) => {
    if (name === 'substr') return 'substr';
    if (name === 'split') return undefined;
    if (args.length > 2 || args.some(({ type }) => type === 'SpreadElement')) return undefined;
    if (name === 'matchAll' || args.length < 2) return name;
    const [pattern, replacement] = args.map(unwrap) as [AnyNode, AnyNode];
    const isText = replacement.type === 'Literal' && typeof replacement.value === 'string';
    const isPattern = pattern.type === 'Literal' && 'regex' in pattern && pattern.regex !== undefined;
    // The engine does a pattern with a text in the way of JavaScript.
    if (!isPattern || !isText || /\$(?:\d\d|<)/.test(replacement.value as string)) return name;
    return lastGroupIn(replacement.value as string) <= groupCount(pattern.regex as { pattern: string; flags: string })
      ? undefined
      : name;
  },
};

/** The largest `n` of any `$n`. */
function lastGroupIn(replacement: string): number {
  return Math.max(0, ...[...replacement.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit)));
}

function groupCount({ pattern, flags }: { pattern: string; flags: string }): number {
  return (new RegExp(`${pattern}|`, flags.replaceAll(/[gy]/g, '')).exec('') ?? ['']).length - 1;
}

/** What a match gets as its `input`: the text only where a script names that. With it 200 matches fill the heap. */
export function inputOf({ members }: Facts, text: string): string {
  return members.has('input') ? text : "''";
}

export const stringHelpers: Helper[] = [
  {
    name: 'substr',
    code: `function __ms_substr(text, start, length) {
  if (typeof text !== 'string') return text.substr(start, length);
  const size = text.length;
  const from = Math.trunc(Number(start)) || 0;
  const first = from < 0 ? Math.max(0, size + from) : Math.min(from, size);
  const count = length === undefined ? size - first : Math.min(Math.max(Math.trunc(Number(length)) || 0, 0), size - first);
  return text.slice(first, first + count);
}`,
  },
  {
    name: 'matches',
    // In pieces by one call of the engine: the text before the first match, the match, its groups, the text behind it …
    code: (facts) => String.raw`function __ms_cut(text, pattern) {
  const { source, flags } = pattern;
  if (flags.includes('y') || pattern.lastIndex !== 0) return null;
  // What matches nothing at all leaves no piece at the ends: \b does so, and in '' it is not found.
  const loose = source.includes('\\b') || source.includes('\\B') ? source.split('\\\\').map((part) => part.split('\\b').join('(?:)').split('\\B').join('(?:)')).join('\\\\') : source;
  if (new RegExp(loose, flags.replace('g', '')).test('')) return null;
  const names = [...new Set((source.match(/\(\?<[^=!>][^>]*>/g) ?? []).map((group) => group.slice(3, -1)))];
  const groupCount = names.length === 0 && !/\((?:[^?]|$)/.test(source) ? 0 : new RegExp(source + '|', flags.replace('g', '')).exec('').length - 1;
  return { names, groupCount, parts: text.split(new RegExp('(' + source + ')', flags)) };
}
function __ms_matches(text, pattern, input = text) {
  const found = [];
  const { source, flags } = pattern;
  const cut = __ms_cut(text, pattern);
  if (cut !== null) {
    const { names, groupCount, parts } = cut;
    const order = names.length === 0 ? [] : __ms_groupNumbers(source);
    const pieces = [parts[0]];
    let at = parts[0].length;
    let isSure = true;
    // No loop with a variable of its own: each turn would cost an environment.
    let i = 1;
    let whole, match, group, rest, pair;
    while (i < parts.length) {
      whole = parts[i];
      if (whole === '' || whole === undefined) { isSure = false; break; }
      match = [whole];
      group = 1;
      while (group <= groupCount) match.push(parts[i + group++]);
      match.index = at;
      match.input = ${inputOf(facts, 'input')};
      match.groups = undefined;
      if (names.length > 0) { match.groups = {}; for (pair of order) match.groups[pair[0]] = match[pair[1]]; }
      found.push(match);
      rest = parts[i + groupCount + 1];
      pieces.push(rest);
      at += whole.length + rest.length;
      i += groupCount + 2;
    }
    if (isSure) {
      found.pieces = pieces;
      return found;
    }
    found.length = 0;
  }
  const own = new RegExp(source, flags.includes('g') ? flags : flags + 'g');
  own.lastIndex = pattern.lastIndex;
  for (let match; (match = own.exec(text)) !== null; ) {
    found.push(match);
    if (match[0] === '') own.lastIndex++;
  }
  return found;
}
function __ms_groupNumbers(source) {
  const numbers = [];
  let number = 0;
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const letter = source[at];
    if (letter === '\\') at++;
    else if (inClass) inClass = letter !== ']';
    else if (letter === '[') inClass = true;
    else if (letter === '(' && source[at + 1] !== '?') number++;
    else if (letter === '(' && source[at + 2] === '<' && source[at + 3] !== '=' && source[at + 3] !== '!') {
      number++;
      numbers.push([source.slice(at + 3, source.indexOf('>', at)), number]);
    }
  }
  return numbers;
}`,
  },
  {
    name: 'matchAll',
    code: `function __ms_matchAll(text, pattern) {
  if (typeof text !== 'string') return text.matchAll(pattern);
  if (!(pattern instanceof RegExp)) return __ms_matches(text, new RegExp(pattern === undefined ? '(?:)' : __ms_string(pattern), 'g')).values();
  if (!pattern.flags.includes('g')) throw new TypeError('String.prototype.matchAll called with a non-global RegExp argument');
  return __ms_matches(text, pattern).values();
}`,
  },
];
