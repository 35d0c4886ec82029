import { builtinNames } from './builtins.ts';
import { quote } from './text.ts';

/** Names that a host function or an input may have: identifiers of the script language. */
export const identifierPattern = /^[A-Za-z_$][\w$]{0,63}$/;

/** Names that a host function may have: an identifier, or a namespace and an identifier, as `github.search_issues`. */
export const functionPattern = /^[A-Za-z_$][\w$]{0,63}(?:\.[A-Za-z_$][\w$]{0,127})?$/;

/** How many host functions a run may have. */
export const maxHostFunctions = 4_096;

/**
 * Members that every object seems to have, and members that the language calls by itself: `await` calls `then`.
 * `__proto__` is added because a sidecar runs without it, so it is not among the members of `Object.prototype` there.
 */
const takenMembers = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...['__proto__', 'prototype', 'then', 'toJSON'],
]);

/** The globals of the script language, and names that the engine refuses. */
const languageGlobals = new Set(
  (
    'globalThis encodeURI encodeURIComponent decodeURI decodeURIComponent BigInt Object Map Set Array Date Promise RegExp ' +
    'String Error TypeError ReferenceError RangeError SyntaxError EvalError URIError AggregateError Number NaN Infinity ' +
    'parseInt parseFloat isNaN isFinite Boolean Intl Math JSON undefined Symbol ' +
    'eval Function arguments process require module exports global fetch setTimeout setInterval setImmediate queueMicrotask'
  ).split(' '),
);
const taken = new Set<string>([...builtinNames, 'console']);

/**
 * Why a host function or an input may not have this name; `undefined` when it may. The name becomes a global of the
 * script, and must not hide an existing global.
 *
 * @param what `host function` or `input`, for the sentence
 */
export function problemOfGlobalName(what: string, name: string): string | undefined {
  if (!identifierPattern.test(name) || name === '__proto__') {
    return `The ${what} name ${quote(name)} is not an identifier that a script can use.`;
  }
  if (taken.has(name)) return nameIsTaken(what, name, 'it is built in');
  if (languageGlobals.has(name)) return nameIsTaken(what, name, 'the script language has a global of that name');
  return undefined;
}

/** The global that a host function's name begins with, and its member. A name without a namespace has no member. */
export function partsOfFunctionName(name: string): { global: string; member?: string } {
  const dot = name.indexOf('.');
  return dot === -1 ? { global: name } : { global: name.slice(0, dot), member: name.slice(dot + 1) };
}

/**
 * The first of these names that no host function may have beside the others, and why; `undefined` when there is none.
 */
export function problemOfFunctionNames(names: readonly string[]): { name: string; problem: string } | undefined {
  const functions = new Set<string>();
  const namespaces = new Set<string>();
  for (const name of names) {
    const problem = problemOfFunctionName(name);
    if (problem !== undefined) return { name, problem };
    const { global, member } = partsOfFunctionName(name);
    (member === undefined ? functions : namespaces).add(global);
  }
  const name = [...functions].find((each) => namespaces.has(each));
  return name === undefined
    ? undefined
    : { name, problem: nameIsTaken('host function', name, 'it is already a namespace') };
}

function problemOfFunctionName(name: string): string | undefined {
  const { global, member } = partsOfFunctionName(name);
  if (member === undefined) return problemOfGlobalName('host function', name);
  if (!functionPattern.test(name)) return `The host function name ${quote(name)} is not one that a script can use.`;
  if (takenMembers.has(member))
    return nameIsTaken('host function', name, `JavaScript gives '${member}' a meaning in every object`);
  return problemOfGlobalName('namespace', global);
}

/**
 * The sentence that refuses a name for a global of the script.
 *
 * @param why completes the sentence
 */
export function nameIsTaken(what: string, name: string, why: string): string {
  return `The ${what} name '${name}' is taken: ${why}. Choose another.`;
}
