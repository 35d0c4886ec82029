import { builtinNames } from './builtins.ts';
import { quote } from './text.ts';

/** Names that a host function or an input may have: identifiers of the script language. */
export const identifierPattern = /^[A-Za-z_$][\w$]{0,63}$/;

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
 * script, and must not hide a global that is already there.
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

export function nameIsTaken(what: string, name: string, why: string): string {
  return `The ${what} name '${name}' is taken: ${why}. Choose another.`;
}
