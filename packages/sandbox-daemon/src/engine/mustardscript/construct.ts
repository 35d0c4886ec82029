import type { Construct } from '@mustard-sandbox/protocol';

/** What an engine message is about, as far as its words tell. */
export interface Subject {
  construct: Construct;
  /** The name in question: `String.prototype.substr`, `require`, a regular expression's pattern. */
  subject?: string;
}

// Apart from diagnostics.ts, only this file reads the engine's words. The first group, if any, is the subject.
const byMessage: [RegExp, Construct][] = [
  [/^(?:(?:classes|super|private fields|private accessors) (?:are|is) not|super\[)/, 'class'],
  [/^(?:generators are not|yield is not|for await|async generator)/, 'generator'],
  [/^only let and const are supported/, 'var'],
  [/^object literal accessors/, 'accessor'],
  [/^tagged templates/, 'tagged_template'],
  [/^(?:module syntax|dynamic import\(\)) is not supported/, 'module'],
  [/^free reference to forbidden ambient global `([\w$]+)`/, 'forbidden_global'],
  [/^`([\w$]+)` is not defined$/, 'undefined_name'],
  [/^`([\w$]+)` accessed before initialization$/, 'use_before_declaration'],
  [/^assignment to constant variable `([\w$]+)`$/, 'constant_assignment'],
  [/^((?:[\w$]+\.)+[\w$]+) is (?:not supported$|unsupported because)/, 'missing_member'],
  [/^value is not callable$/, 'not_callable'],
  [/nullish value$/, 'nullish_access'],
  [/^value is not (?:iterable|destructurable as an array)/, 'not_iterable'],
  [/^cannot coerce complex value to number$/, 'coercion'],
  [/^only conservative built-in constructors/, 'user_constructor'],
  [/do(?:es)? not support (?:synchronous )?host suspensions$/, 'call_in_callback'],
  [/^unsupported regular expression flag `(\w+)`/, 'regex_flag'],
  [/^(?:unsupported|invalid) regular expression: (?!regex parse error)([^\n]*)/, 'regex_syntax'],
  [/^shared references cannot cross/, 'shared_reference'],
  [/^(?:cyclic values cannot cross|Converting circular structure)/, 'cyclic_value'],
  [/^Map and Set values cannot cross/, 'map_or_set_value'],
  [/^Date values cannot cross/, 'date_value'],
  [/^BigInt values cannot cross/, 'bigint_value'],
  [/^functions cannot cross/, 'function_value'],
  [/^only plain objects can cross/, 'exotic_value'],
  [/nesting (?:depth )?limit exceeded|native recursion depth|^recursion limit exceeded at line/, 'nesting'],
  [/^async root promise/, 'unsettled_promise'],
  [/^([^\n]+) at line \d+ column \d+$/, 'json_syntax'],
  [/^[a-z ]+ (?:missing|accounting (?:over|under)flow)$|^(?:function not found|vm lost all frames)$/, 'engine_fault'],
];

/** The engine's regular expression errors quote the pattern, mark a place in it, and say what is wrong there. */
const regexError =
  /^invalid regular expression: regex parse error:\n {4}([^\n]*)\n {4}( *)\^+\nerror: ([^\n]*)|^invalid regular expression: regex parse error:/;

/** @param text the engine's words, without the name of the error and without spans */
export function subjectOf(text: string): Subject | undefined {
  const regex = regexError.exec(text);
  if (regex !== null) return regexSubject(regex);
  for (const [pattern, construct] of byMessage) {
    const match = pattern.exec(text);
    if (match !== null) return match[1] === undefined ? { construct } : { construct, subject: match[1] };
  }
  return undefined;
}

function regexSubject([, pattern, indent = '', why = '']: (string | undefined)[]): Subject {
  if (pattern === undefined) return { construct: 'regex_syntax' };
  const marked = pattern.slice(indent.length);
  const subject = pattern;
  if (why.startsWith('look-around')) {
    return { construct: marked.startsWith('(?<') ? 'look_behind' : 'look_ahead', subject };
  }
  if (why.startsWith('backreferences') || marked.startsWith('\\k<')) return { construct: 'backreference', subject };
  return { construct: 'regex_syntax', subject };
}
