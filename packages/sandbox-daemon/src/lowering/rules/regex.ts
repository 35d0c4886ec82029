import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Methods, Rule } from '../rule.ts';
import { groupsOf } from '../patterns.ts';
import { unwrap, type AnyNode } from '../syntax.ts';
import { inputOf, seesText } from './strings.ts';

/**
 * The engine's regular expressions are those of an automaton, with a syntax of their own. A pattern that it lacks, or
 * takes for another one, is run by V8: the literal becomes an object with the methods and the state of one.
 *
 *     /\d+(?= EUR)/g   →   __ms_regex("\\d+(?= EUR)", "g", [0, []])
 */
export const regexes: Rule = {
  id: 'regex',
  on: ['Literal', 'NewExpression', 'CallExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'Literal') {
      if (!('regex' in node) || !node.regex) return false;
      const { pattern } = node.regex;
      // As `flags` and `toString` show them.
      const flags = [...node.regex.flags].toSorted().join('');
      if (needsV8(pattern, flags))
        rewriter.output.write(
          `${rewriter.helper('regex')}(${JSON.stringify(pattern)}, ${JSON.stringify(flags)}, ${knownGroups(pattern, flags)})`,
          node,
        );
      else if (flags !== node.regex.flags) rewriter.output.write(`/${pattern}/${flags}`, node);
      else return false;
      return true;
    }
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false;
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp' || node.arguments.length === 0) return false;
    if (rewriter.facts.declared.has('RegExp')) return false;
    rewriter.output.write(`${rewriter.helper('regexFrom')}(`, node);
    let separator = '';
    for (const argument of node.arguments) {
      rewriter.write(node, separator, argument);
      separator = ', ';
    }
    rewriter.output.write(')', node);
    return true;
  },
};

/**
 * The groups of a literal, so that they need not be asked for each time that it is met. What the parser lets through may
 * be newer than this V8, which then says so when the script comes there.
 */
function knownGroups(pattern: string, flags: string): string {
  try {
    return JSON.stringify(groupsOf(pattern, flags));
  } catch {
    return 'undefined';
  }
}

/** Whether the engine lacks this, or reads it in another way. Too often is slow, too seldom is an error. */
export function needsV8(pattern: string, flags: string): boolean {
  if (/[vdy]/.test(flags)) return true;
  // Line ends: the engine only knows \n.
  if (flags.includes('m') && /(?<!\\)[$^]/.test(withoutClasses(pattern))) return true;
  const features =
    /\(\?<?[=!]|\\[1-9]|\\k<|\(\?[a-z]*-?[a-z]*:|\[\^?\]|\\[aAceghijlmoqyzCEFGHIJKLMNOQRTUVXYZ]|\\0|\\u\{/;
  if (
    flags.includes('u')
      ? features.test(pattern.replace(/\\u\{/g, '')) && !pattern.startsWith('(?:')
      : features.test(pattern.replace(/\(\?:/g, ''))
  ) {
    return true;
  }
  // A brace that counts nothing, a bracket in brackets, a class in a range.
  if (/(?<!\\|\\[up])\{(?!\d+(?:,\d*)?\})/.test(pattern.replace(/\\[pPux]\{[^}]*\}/g, ''))) return true;
  if (classesIn(pattern).some(isForeignClass)) return true;
  return hasRepeatedGroup(pattern);
}

/** What the engine takes for a class in a class, for what two have in common, or for a range of classes. */
function isForeignClass(text: string): boolean {
  const inner = text.slice(1);
  return /(?<!\\)\[|&&|--|~~/.test(inner) || /\\[dwsDWS]-(?!\])/.test(text) || /.-\\[dwsDWS]/.test(inner);
}

/** Escaped characters and classes of characters: a bracket that is escaped begins none. */
const escapesAndClasses = /\\.|\[(?:\\.|[^\]\\])*\]/gs;

function classesIn(pattern: string): string[] {
  return (pattern.match(escapesAndClasses) ?? []).filter((part) => part.startsWith('['));
}

function withoutClasses(pattern: string): string {
  return pattern.replace(escapesAndClasses, (part) => (part.startsWith('[') ? '' : part));
}

/** A group that captures, inside of one that repeats: JavaScript forgets it with each turn, the engine does not. */
function hasRepeatedGroup(pattern: string): boolean {
  const open: { captures: boolean; start?: number }[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at];
    if (letter === '\\') at++;
    else if (letter === '[') {
      while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
    } else if (letter === '(') {
      const captures = pattern[at + 1] !== '?' || pattern[at + 2] === '<';
      open.push({ captures: false });
      // It counts for all groups around it, not for itself.
      if (captures) for (const group of open.slice(0, -1)) group.captures = true;
      if (captures && open.length > 0) (open.at(-1) as { start: number }).start = at;
    } else if (letter === ')') {
      const group = open.pop();
      const isEmptyAble = group?.start !== undefined && /[*?|]$/.test(pattern.slice(group.start, at));
      if ((group?.captures === true || isEmptyAble) && /^(?:[*+]|\{\d+,|\{(?:[2-9]|1\d)\})/.test(pattern.slice(at + 1)))
        return true;
    }
  }
  return false;
}

/** Methods of texts that take a pattern, in scripts where one may be V8's. */
export const regexMethods: Methods = {
  id: 'regex-methods',
  names: new Set(['match', 'search', 'split', 'replace', 'replaceAll', 'matchAll']),
  helperFor: ({ name, args }, facts) => {
    if (!facts.hasV8Regexes || args.length === 0 || args[0]?.type === 'SpreadElement') return undefined;
    const pattern = unwrap(args[0] as AnyNode);
    if (pattern.type === 'Literal' && typeof pattern.value === 'string') return undefined;
    if (
      pattern.type === 'Literal' &&
      'regex' in pattern &&
      pattern.regex &&
      !needsV8(pattern.regex.pattern, pattern.regex.flags)
    ) {
      return undefined;
    }
    return `${name}V8`;
  },
};

/** Whether a literal of this kind, or `RegExp`, stands somewhere. */
export function isV8Regex(node: AnyNode): boolean {
  if (node.type === 'Identifier') return node.name === 'RegExp';
  return (
    node.type === 'Literal' &&
    'regex' in node &&
    Boolean(node.regex) &&
    needsV8(node.regex?.pattern ?? '', node.regex?.flags ?? '')
  );
}

/** `while ((m = re.exec(text)))` and `re.test(text)` are linear when all matches are looked for at once. */
export const execMethods: Methods = {
  id: 'exec',
  names: new Set(['exec']),
  helperFor: ({ object, args }, facts: Facts) =>
    args.length === 1 && facts.hasLoop && mayGoOn(object, facts) ? 'exec' : undefined,
};

/** Not where the source shows that each search begins at the start. */
function mayGoOn(regex: AnyNode, { fixedRegexes }: Facts): boolean {
  const inner = unwrap(regex);
  const literal = inner.type === 'Identifier' ? fixedRegexes.get(inner.name) : inner;
  return literal?.type !== 'Literal' || !('regex' in literal) || /g/.test(literal.regex?.flags ?? '');
}

const refusal =
  'this regular expression needs a script without async functions and promises: call the functions of the sandbox without await, or write the pattern without look-around, backreferences and ^ or $ with the flag m';

export const regexHelpers: Helper[] = [
  {
    name: 'regex',
    code: (facts) => `function __ms_regex(source, flags, known) {
  ${facts.isAsync ? `__ms_refuse(${JSON.stringify(refusal)});` : ''}
  const groups = known ?? __ms_v8('regex', 'check', source, flags);
  const pattern = {
    isV8: true, groups, source: source === '' ? '(?:)' : source, flags, lastIndex: 0, global: flags.includes('g'), ignoreCase: flags.includes('i'),
    multiline: flags.includes('m'), dotAll: flags.includes('s'), unicode: flags.includes('u'), sticky: flags.includes('y'),
    exec: (text) => __ms_execV8(pattern, __ms_string(text)),
    test: (text) => {
      if (pattern.global || pattern.sticky) return __ms_execV8(pattern, __ms_string(text)) !== null;
      return __ms_v8('regex', 'test', source, flags, __ms_string(text));
    },
    toString: () => '/' + pattern.source + '/' + flags,
  };
  return pattern;
}
function __ms_isV8(pattern) { return typeof pattern === 'object' && pattern !== null && pattern.isV8 === true; }
function __ms_matchFrom(found, text) {
  const match = found.groups.map((group) => (group === null ? undefined : group));
  match.index = found.index;
  match.input = text;
  match.groups = undefined;
  if (found.names !== null) { match.groups = {}; for (const [name, group] of found.names) match.groups[name] = group === null ? undefined : group; }
  return match;
}
function __ms_allV8(pattern, text) {
  const found = [];
  const search = __ms_findsV8(text, pattern, true);
  const [groupCount, names] = pattern.groups;
  // No variables of a turn: each turn would cost an environment.
  let i, index, match, pair;
  for (let { pieces } = search; pieces !== null; pieces = __ms_moreFinds(search)) {
    i = 3;
    index = pieces[2];
    while (i < pieces.length) {
      match = __ms_listOf(pieces, i, groupCount);
      match.index = index;
      match.input = ${inputOf(facts, 'text')};
      match.groups = undefined;
      if (names.length > 0) { match.groups = {}; for (pair of names) match.groups[pair[0]] = match[pair[1]]; }
      found.push(match);
      index += pieces[i].length + pieces[i + groupCount + 1].length;
      i += groupCount + 2;
    }
  }
  return found;
}
const __ms_ahead = new Map();
function __ms_execV8(pattern, text) {
  if (!pattern.global && !pattern.sticky) {
    const found = __ms_v8('regex', 'exec', pattern.source, pattern.flags, text, 0);
    return found === null ? null : __ms_matchFrom(found, ${inputOf(facts, 'text')});
  }
  let ahead = __ms_ahead.get(pattern);
  if (pattern.global && !pattern.sticky) {
    if (pattern.lastIndex === 0 || ahead === undefined || ahead.lastIndex !== pattern.lastIndex || ahead.text !== text) {
      if (pattern.lastIndex === 0) { ahead = { text, matches: __ms_allV8(pattern, text), at: 0, lastIndex: 0 }; __ms_ahead.set(pattern, ahead); }
      else ahead = undefined;
    }
    if (ahead !== undefined) {
      const match = ahead.matches[ahead.at];
      if (match === undefined) { pattern.lastIndex = 0; __ms_ahead.delete(pattern); return null; }
      if (match[0] !== '') {
        ahead.at++;
        pattern.lastIndex = ahead.lastIndex = match.index + match[0].length;
        return match;
      }
    }
  }
  const found = __ms_v8('regex', 'exec', pattern.source, pattern.flags, text, pattern.lastIndex);
  if (found === null) { pattern.lastIndex = 0; return null; }
  pattern.lastIndex = found.lastIndex;
  return __ms_matchFrom(found, ${inputOf(facts, 'text')});
}`,
  },
  {
    name: 'regexFrom',
    code: ({ isAsync }) => `function __ms_regexFrom(given, flags) {
  const isPattern = given instanceof RegExp || __ms_isV8(given);
  const source = isPattern ? given.source : given === undefined ? '(?:)' : __ms_string(given);
  const marks = flags === undefined ? (isPattern ? given.flags : '') : String(flags).split('').sort().join('');
  ${isAsync ? 'return new RegExp(source, marks);' : "return __ms_v8('regex', 'isForeign', source, marks) ? __ms_regex(source, marks) : new RegExp(source, marks);"}
}`,
  },
  {
    name: 'matchV8',
    code: `function __ms_matchV8(text, pattern) {
  if (!__ms_isV8(pattern) || typeof text !== 'string') return text.match(typeof text === 'string' ? __ms_pattern(pattern) : pattern);
  if (!pattern.global) return __ms_execV8(pattern, text);
  pattern.lastIndex = 0;
  return __ms_v8('regex', 'match', pattern.source, pattern.flags, text);
}`,
  },
  {
    name: 'searchV8',
    code: `function __ms_searchV8(text, pattern) {
  if (!__ms_isV8(pattern) || typeof text !== 'string') return text.search(typeof text === 'string' ? __ms_pattern(pattern) : pattern);
  const found = __ms_v8('regex', 'exec', pattern.source, pattern.flags.replace('g', ''), text, 0);
  return found === null ? -1 : found.index;
}`,
  },
  {
    name: 'splitV8',
    code: `function __ms_splitV8(text, pattern, limit) {
  if (typeof pattern === 'string' && limit === undefined) return text.split(pattern);
  if (!__ms_isV8(pattern) || typeof text !== 'string') return __ms_split(text, pattern, limit);
  return __ms_v8('regex', 'split', pattern.source, pattern.flags, text, limit === undefined ? null : __ms_num(limit) >>> 0).map((part) => (part === null ? undefined : part));
}`,
  },
  {
    name: 'matchAllV8',
    code: `function __ms_matchAllV8(text, pattern) {
  if (!__ms_isV8(pattern)) return __ms_matchAll(text, pattern);
  if (!pattern.global) throw new TypeError('String.prototype.matchAll called with a non-global RegExp argument');
  return __ms_allV8(pattern, __ms_string(text)).values();
}`,
  },
  {
    name: 'replaceV8',
    code: (facts) => `function __ms_replaceV8(text, pattern, replacement) {
  if (!__ms_isV8(pattern) || typeof text !== 'string') return __ms_replace(text, pattern, replacement);
  if (pattern.global) pattern.lastIndex = 0;
  if (typeof replacement !== 'function') return __ms_v8('regex', 'replace', pattern.source, pattern.flags, text, __ms_string(replacement));
  if (pattern.global) {
    const made = __ms_replaceEach(__ms_v8('regex', 'cut', pattern.source, pattern.flags, text), replacement);
    if (made !== null) return made;
  }
  const parts = [];
  let at = 0;
  const first = pattern.global ? null : __ms_execV8(pattern, text);
  const matches = pattern.global ? __ms_allV8(pattern, text) : first === null ? [] : [first];
  const pieces = pattern.global ? __ms_v8('regex', 'between', pattern.source, pattern.flags, text) : __ms_between(text, matches);
  for (let i = 0; i < matches.length; i++) {
    const match = matches[i];
    const args = [...match, match.index];
    if (${seesText(facts, 'replacement', 'args.length')}) {
      args.push(text);
      if (match.groups !== undefined) args.push(match.groups);
    }
    parts.push(pieces[i], __ms_text(replacement(...args)));
  }
  parts.push(pieces[matches.length]);
  return parts.join('');
}
function __ms_replaceAllV8(text, pattern, replacement) {
  if (!__ms_isV8(pattern)) return __ms_replaceAll(text, pattern, replacement);
  if (!pattern.global) throw new TypeError('replaceAll must be called with a global RegExp');
  return __ms_replaceV8(text, pattern, replacement);
}`,
  },
  {
    name: 'exec',
    code: `const __ms_lookedAhead = new Map();
function __ms_exec(pattern, text) {
  if (!(pattern instanceof RegExp) || typeof text !== 'string' || text.length < 1000 || pattern.flags !== 'g') return pattern.exec(text);
  let ahead = __ms_lookedAhead.get(pattern);
  if (pattern.lastIndex === 0) { ahead = { text, matches: __ms_matches(text, pattern), at: 0, lastIndex: 0 }; __ms_lookedAhead.set(pattern, ahead); }
  if (ahead === undefined || ahead.lastIndex !== pattern.lastIndex || ahead.text !== text) return pattern.exec(text);
  const match = ahead.matches[ahead.at];
  if (match === undefined) { pattern.lastIndex = 0; __ms_lookedAhead.delete(pattern); return null; }
  if (match[0] === '') return pattern.exec(text);
  ahead.at++;
  pattern.lastIndex = ahead.lastIndex = match.index + match[0].length;
  return match;
}`,
  },
];
