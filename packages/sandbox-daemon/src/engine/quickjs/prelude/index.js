// What a script finds in QuickJS beside the language. Runs once in a new instance, before any script; its memory is then
// the image that every run begins with. What this file exports is what the engine calls.
import { builtin } from './builtins.js';
import { consoleFunctions } from './console.js';
import { refuseCode } from './code.js';
import { installDates } from './dates.js';
import { installEncodings } from './encodings.js';
import { installFunctionTexts } from './functions.js';
import { describe, stack } from './describe.js';
import { begin, hostFunction, settle, settleFailure } from './calls.js';
import { installIntl } from './intl.js';
import { installRandom } from './random.js';
import { installRegexes } from './regexes.js';
import { installStructuredClone } from './structured-clone.js';
import { enterInputs, enterText, leave, leaveTagged, takeNotes, watchSymbols } from './values.js';

installDates();
installEncodings();
installFunctionTexts();
installIntl();
installRandom();
installRegexes();
installStructuredClone();
refuseCode();
delete globalThis.__host;

/** @param {string} name @param {unknown} value */
function define(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

/**
 * Makes the host functions. Those in a namespace, as `github.search_issues`, are members of a frozen object.
 *
 * @param {readonly string[]} names @param {(name: string) => Function} make
 */
function defineFunctions(names, make) {
  const namespaces = new Map();
  for (const name of names) {
    const [global, member] = name.split('.');
    if (member === undefined) define(name, make(name));
    else if (namespaces.has(global)) namespaces.get(global)[member] = make(name);
    else namespaces.set(global, { __proto__: null, [member]: make(name) });
  }
  for (const [name, namespace] of namespaces) define(name, Object.freeze(namespace));
}

/**
 * Makes the globals of one run.
 *
 * @param {string} names of the built-ins and of console functions, of host functions, whether these give promises, and whether it names `Symbol`; JSON
 */
function setUp(names) {
  const { given, hostFunctions, waits, mayHoldSymbols } = JSON.parse(names);
  watchSymbols(mayHoldSymbols);
  for (const name of given) if (!name.startsWith('console.')) define(name, builtin(name));
  define('console', consoleFunctions(given));
  defineFunctions(hostFunctions, waits ? begin : hostFunction);
}

export { setUp, enterInputs, enterText, leave, leaveTagged, takeNotes, settle, settleFailure, describe, stack };
