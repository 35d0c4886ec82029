import { builtinNames } from './builtins.ts';
import { quote } from './text.ts';

/** Names that a host function or an input may have: identifiers of the script language. */
export const identifierPattern = /^[A-Za-z_$][\w$]{0,63}$/;

/** What a script finds as a global, or may not name at all; as the engine lists and refuses it. */
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
 * Why a host function or an input may not have this name, which becomes a global of the script: it must hide
 * nothing that is already there. `undefined` when it may.
 *
 * @param what `host function` or `input`, for the sentence
 */
export function problemOfGlobalName(what: string, name: string): string | undefined {
  if (!identifierPattern.test(name) || name === '__proto__') {
    return `The ${what} name ${quote(name)} is no identifier that a script could use.`;
  }
  if (taken.has(name)) return nameIsTaken(what, name, 'it is built in');
  if (languageGlobals.has(name)) return nameIsTaken(what, name, 'the script language has a global of that name');
  return undefined;
}

export function nameIsTaken(what: string, name: string, why: string): string {
  return `The ${what} name '${name}' is taken: ${why}. Choose another.`;
}
