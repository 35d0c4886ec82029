// Host functions. In a script without `await` a call returns its answer, and otherwise a promise.
import { ask, beginCall, failureOf } from './host.js';
import { decode, encodeArguments } from './values.js';

/** @param {string} name */
export function hostFunction(name) {
  return named(name, (...args) => decode(ask(name, encodeArguments(args))));
}

/** Pending calls, by their ids. */
const pending = new Map();

/** @param {string} name */
export function begin(name) {
  return named(name, (...args) => {
    const { promise, resolve, reject } = Promise.withResolvers();
    try {
      pending.set(beginCall(name, encodeArguments(args)), { resolve, reject });
    } catch (error) {
      reject(error);
    }
    return promise;
  });
}

/** @param {number} id @param {string} text its answer */
export function settle(id, text) {
  const { resolve } = taken(id);
  resolve(decode(text));
}

/** @param {number} id @param {string} text its error */
export function settleFailure(id, text) {
  const { reject } = taken(id);
  reject(failureOf(text));
}

function taken(id) {
  const call = pending.get(id);
  pending.delete(id);
  return call;
}

function named(name, call) {
  return Object.defineProperty(call, 'name', { value: name, configurable: true });
}
