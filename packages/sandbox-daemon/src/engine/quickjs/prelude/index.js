// What a script finds in QuickJS in addition to the language. This runs once in a new instance, before any script; the
// memory of the instance is then the image that every run begins with. The engine calls what this file exports.
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
 * Makes the host functions. Functions in a namespace, as `github.search_issues`, are members of a frozen object.
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
 * @param {string} names JSON: the names of built-ins and console functions, the names of host functions, whether host
 * functions return promises, and whether the script names `Symbol`
 */
function setUp(names) {
  const { given, hostFunctions, waits, mayHoldSymbols } = JSON.parse(names);
  watchSymbols(mayHoldSymbols);
  for (const name of given) if (!name.startsWith('console.')) define(name, builtin(name));
  define('console', consoleFunctions(given));
  defineFunctions(hostFunctions, waits ? begin : hostFunction);
}

export { setUp, enterInputs, enterText, leave, leaveTagged, takeNotes, settle, settleFailure, describe, stack };
