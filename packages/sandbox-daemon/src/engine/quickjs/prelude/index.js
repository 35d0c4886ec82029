// What a script finds in QuickJS beside the language. Runs once in a new instance, before any script; its memory is then
// the image that every run begins with. What this file exports is what the engine calls.
import { builtins } from './builtins.js';
import { consoleFunctions } from './console.js';
import { refuseCode } from './code.js';
import { installDates } from './dates.js';
import { installEncodings } from './encodings.js';
import { installFunctionTexts } from './functions.js';
import { describe } from './describe.js';
import { begin, hostFunction, settle, settleFailure } from './calls.js';
import { installIntl } from './intl.js';
import { installRandom } from './random.js';
import { installRegexes } from './regexes.js';
import { installStructuredClone } from './structured-clone.js';
import { enterInputs, enterText, leave, takeNotes, watchSymbols } from './values.js';

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
 * Makes the globals of one run.
 *
 * @param {string} names of the built-ins and of console functions, of host functions, whether these give promises, and whether it names `Symbol`; JSON
 */
function setUp(names) {
  const { given, hostFunctions, waits, mayHoldSymbols } = JSON.parse(names);
  watchSymbols(mayHoldSymbols);
  for (const name of given) if (Object.hasOwn(builtins, name)) define(name, builtins[name]);
  define('console', consoleFunctions(given));
  for (const name of hostFunctions) define(name, waits ? begin(name) : hostFunction(name));
}

export { setUp, enterInputs, enterText, leave, takeNotes, settle, settleFailure, describe };
