import { messageOf, SandboxError } from '../protocol/errors.ts';
import { builtinCapabilities, identifierPattern, type Params } from '../protocol/methods.ts';
import { quote } from '../protocol/text.ts';
import { entriesOf } from '../protocol/values.ts';

/** What a script finds as a global, or may not name at all; as the engine lists and refuses it. */
const languageGlobals = new Set(
  (
    'globalThis encodeURI encodeURIComponent decodeURI decodeURIComponent BigInt Object Map Set Array Date Promise RegExp ' +
    'String Error TypeError ReferenceError RangeError SyntaxError EvalError URIError AggregateError Number NaN Infinity ' +
    'parseInt parseFloat isNaN isFinite Boolean Intl Math JSON undefined Symbol ' +
    'eval Function arguments process require module exports global fetch setTimeout setInterval setImmediate queueMicrotask'
  ).split(' '),
);
const builtins = new Set<string>([...builtinCapabilities, 'console']);

/**
 * Names of host capabilities and inputs become globals of the script: none may hide what is already there.
 *
 * @throws {SandboxError} `invalid_request`
 */
export function checkNames({ hostCapabilities, inputs }: Params<'sandbox/run'>): void {
  for (const name of hostCapabilities) checkName('capability', name);
  if (inputs === undefined) return;
  const object: unknown = 'json' in inputs ? inputs.json : inputs.tagged;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new SandboxError('invalid_request', 'inputs must be an object: each key becomes a variable of the script.');
  }
  const names = 'json' in inputs ? Object.keys(object) : namesOfTagged(object);
  if (new Set(names).size < names.length) throw new SandboxError('invalid_request', 'inputs: a name is there twice.');
  for (const name of names) {
    checkName('input', name);
    if (hostCapabilities.includes(name)) throw taken('input', name, 'it is a capability');
  }
}

function namesOfTagged(inputs: object): string[] {
  try {
    return entriesOf(inputs).map(([name]) => name);
  } catch (error) {
    throw new SandboxError('invalid_request', `inputs: ${messageOf(error)}`);
  }
}

function checkName(what: string, name: string): void {
  if (!identifierPattern.test(name) || name === '__proto__') {
    throw new SandboxError(
      'invalid_request',
      `The ${what} name ${quote(name)} is no identifier that a script could use.`,
    );
  }
  if (builtins.has(name)) throw taken(what, name, 'it is built in');
  if (languageGlobals.has(name)) throw taken(what, name, 'the script language has a global of that name');
}

function taken(what: string, name: string, why: string): SandboxError {
  return new SandboxError('invalid_request', `The ${what} name '${name}' is taken: ${why}. Choose another.`, {
    details: { name },
  });
}
