import type { Helper } from '../helper.ts';
import { seesText } from './replace-helpers.ts';
import { inputOf } from './strings.ts';

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
  const marks = flags === undefined ? (isPattern ? given.flags : '') : __ms_string(flags).split('').sort().join('');
  ${isAsync ? 'return new RegExp(source, marks);' : "return __ms_v8('regex', 'isForeign', source, marks) ? __ms_regex(source, marks) : new RegExp(source, marks);"}
}`,
  },
  {
    name: 'regexOf',
    code: `function __ms_regexOf(given, flags) {
  return flags === undefined && (given instanceof RegExp || __ms_isV8(given)) ? given : __ms_regexFrom(given, flags);
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
  if (pattern.sticky && pattern.lastIndex !== 0) __ms_refuse('replace from lastIndex on, by a pattern with the flag y, is not supported: cut the text with slice()');
  if (typeof replacement !== 'function' && pattern.sticky && !pattern.global)
    pattern.lastIndex = __ms_v8('regex', 'exec', pattern.source, pattern.flags, text, 0)?.lastIndex ?? 0;
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
