// The functions of the sidecar. Only texts and numbers go through them. They are taken from the global that holds them
// before a script runs, and so are the intrinsics that this prelude depends on, because a script may replace any of
// them.
const { call, begin, failure, inV8, random } = globalThis.__host;
export const { parse, stringify } = JSON;
export const { apply } = Reflect;
export const { defineProperty, hasOwn, keys, getPrototypeOf } = Object;

const errorClasses = { Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };

/** Throws the error of the last call of the sidecar. @returns {never} */
export function throwFailure() {
  throw failureOf(failure());
}

/**
 * The error of the host in the form that a script can catch.
 *
 * @param {string} text `{ name, message, code?, details? }` as JSON
 */
export function failureOf(text) {
  const { name, message, code, details } = parse(text);
  const error = hasOwn(errorClasses, name) ? new errorClasses[name](message) : new Error(message);
  if (error.name !== name) defineProperty(error, 'name', { value: name, writable: true, configurable: true });
  if (code !== undefined) error.code = code;
  if (details !== undefined) error.details = details;
  return error;
}

/**
 * Calls a capability and waits for its answer.
 *
 * @param {string} name
 * @param {string} args a list in the form of `encodeArguments`
 * @returns {string}
 */
export function ask(name, args) {
  const answer = call(name, args);
  return answer === undefined ? throwFailure() : answer;
}

/** Begins a call of a host function. @returns {number} its id */
export function beginCall(name, args) {
  const id = begin(name, args);
  return id === undefined ? throwFailure() : id;
}

/**
 * Asks V8 to do an operation for a script, with JSON in both directions. @param {string} operation @param {unknown[]}
 * args
 */
export function askV8(operation, ...args) {
  const answer = inV8(operation, stringify(args));
  return answer === undefined ? throwFailure() : parse(answer);
}

/** Asks V8 to do an operation on one long text, which crosses apart from the other arguments. */
export function askV8About(text, operation, ...args) {
  const answer = inV8(operation, stringify(args), text);
  return answer === undefined ? throwFailure() : parse(answer);
}

/** Some random numbers, each from 0 up to 1. @returns {number[]} */
export const someRandom = () => parse(random());
