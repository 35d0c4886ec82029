// Runs programs in V8, each in a new context, and says what came of them. A child process: a program that does not end
// is ended with it. Knows nothing of the sandbox, so that it can judge it.
import { Session } from 'node:inspector';
import vm from 'node:vm';
import { canonical } from './canonical.mjs';

const session = new Session();
session.connect();
let newest = 0;
session.on('Runtime.executionContextCreated', ({ params }) => (newest = params.context.id));

/**
 * @param {string} source
 * @param {import('node:vm').Context} [context] one that others share: the program is a block there, of the same value
 * @returns {Promise<import('./judge.d.mts').WantedOutcome>}
 */
async function run(source, context) {
  // `await (f())` compiles as a call of a function of that name.
  if (/\bawait\b/.test(source)) return await runOtherForm(source);
  try {
    return await outcomeOf(new vm.Script(context === undefined ? source : `{${source}\n}`), context);
  } catch {
    return context === undefined ? await runOtherForm(source) : await run(source);
  }
}

/** What Node has besides the language, and models use without a thought. */
function newContext() {
  const context = vm.createContext({ URL, URLSearchParams });
  for (const [name, value] of Object.entries({ atob, btoa }))
    context[name] = new vm.Script(`(${withOwnErrors.toString()})`).runInContext(context)(value);
  for (const [name, value] of Object.entries({ TextEncoder, TextDecoder }))
    context[name] = new vm.Script(`(${inThisRealm.toString()})`).runInContext(context)(value);
  context.structuredClone = new vm.Script(`(${ownClone.toString()})`).runInContext(context)(structuredClone);
  if (!('groupBy' in Object)) new vm.Script(`(${addGroupBy.toString()})()`).runInContext(context);
  new vm.Script(`(${indentAsTheStandard.toString()})()`).runInContext(context);
  return context;
}

/** For an indent between 0 and 1 V8 breaks the lines and indents them by nothing; for the standard it is none. Runs there. */
function indentAsTheStandard() {
  const { stringify } = JSON;
  const isNone = (space) => typeof space === 'number' && space > 0 && space < 1;
  const value = (given, replacer, space) => stringify(given, replacer, isNone(space) ? 0 : space);
  Object.defineProperty(value, 'name', { configurable: true, value: 'stringify' });
  Object.defineProperty(JSON, 'stringify', { writable: true, configurable: true, value });
}

/** Node has these from version 21 on, and the sandbox with every version: the same programs are for all. Runs there. */
function addGroupBy() {
  const groupsOf = (items, keyOf) => {
    const groups = new Map();
    let index = 0;
    for (const item of items) {
      const key = keyOf(item, index++);
      if (groups.has(key)) groups.get(key).push(item);
      else groups.set(key, [item]);
    }
    return groups;
  };
  const byName = (items, keyOf) => {
    const nameOf = (item, index) => Reflect.ownKeys({ [keyOf(item, index)]: 1 })[0];
    return Object.assign(Object.create(null), Object.fromEntries(groupsOf(items, nameOf)));
  };
  const descriptor = { writable: true, configurable: true };
  Object.defineProperty(Object, 'groupBy', { ...descriptor, value: byName });
  Object.defineProperty(Map, 'groupBy', { ...descriptor, value: groupsOf });
}

/** What it makes and throws is of the realm of the program. Runs there. */
function inThisRealm(Foreign) {
  const own = (call) => {
    try {
      const made = call();
      return typeof made === 'string' ? made : new Uint8Array(made);
    } catch (/** @type {any} */ error) {
      throw new { TypeError, RangeError }[error.name](error.message);
    }
  };
  return class {
    #foreign;
    constructor(...args) {
      own(() => {
        this.#foreign = new Foreign(...args);
        return [];
      });
    }
    encode(text) {
      return own(() => this.#foreign.encode(text));
    }
    decode(...args) {
      return own(() => this.#foreign.decode(...args));
    }
    get encoding() {
      return this.#foreign.encoding;
    }
  };
}

/** What a function of this realm throws is an error of the program's, as it is in Node. Runs there. */
function withOwnErrors(call) {
  return (...args) => {
    try {
      return call(...args);
    } catch (/** @type {any} */ error) {
      const own = new Error(error.message);
      Object.defineProperty(own, 'name', { value: error.name });
      throw own;
    }
  };
}

/** A clone is of the realm of whoever makes it: this remakes it in that of the program. Runs there. */
function ownClone(clone) {
  const remake = (value) => {
    const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
    if (kind === 'Array') return Object.assign(new Array(value.length), mapped(value));
    if (kind === 'Object') return mapped(value);
    if (kind === 'Map') return new Map([...value].map(([key, item]) => [remake(key), remake(item)]));
    if (kind === 'Set') return new Set([...value].map(remake));
    if (kind === 'Date') return new Date(value.getTime());
    return kind === 'RegExp' ? new RegExp(value.source, value.flags) : value;
  };
  const mapped = (value) => Object.fromEntries(Object.entries(value).map(([key, item]) => [key, remake(item)]));
  return (value) => remake(clone(value));
}

/** A program that does not end is nothing to compare with. To lose the process by it would cost all that it had to do. */
const programMs = Number(process.argv[2] ?? 5_000);

/** @param {vm.Script} script */
async function outcomeOf(script, context = newContext()) {
  try {
    return await outcomeOfValue(script.runInContext(context, { timeout: programMs }));
  } catch (/** @type {any} */ error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { died: 'it does not end' };
    return { threw: nameOf(error) };
  }
}

async function outcomeOfValue(value) {
  try {
    // `await` of what is no promise would ask it for `then`, which the program could see.
    const settled = isPromise(value) ? await value : value;
    await lastTurn();
    return { value: canonical(settled) };
  } catch (error) {
    return { threw: nameOf(error) };
  }
}

/**
 * What a script of the sandbox may have, and one of `node:vm` may not: `await` and `return` at the top. Without either
 * it is no JavaScript: V8's mode for a prompt takes more, such as a constant that is declared twice.
 */
async function runOtherForm(source) {
  const outcome = /\bawait\b/.test(source) ? await runWithAwait(source) : { threw: 'SyntaxError' };
  return outcome.threw === 'SyntaxError' ? await runWithReturn(source) : outcome;
}

/** V8's own mode for a prompt gives the value of a script with `await`. */
async function runWithAwait(source) {
  session.post('Runtime.enable');
  const context = newContext();
  const parameters = { expression: source, replMode: true, awaitPromise: true, contextId: newest };
  const answer = await post('Runtime.evaluate', { ...parameters, objectGroup: 'run' });
  try {
    if (answer.exceptionDetails !== undefined) return failure(answer.exceptionDetails);
    return await receiveValue(context, answer.result);
  } finally {
    session.post('Runtime.releaseObjectGroup', { objectGroup: 'run' });
    session.post('Runtime.disable');
  }
}

async function receiveValue(context, result) {
  if (result.objectId === undefined) return { value: primitive(result) };
  let received;
  context.receive = (value) => (received = value);
  const functionDeclaration = 'function () { globalThis.receive(this) }';
  await post('Runtime.callFunctionOn', { objectId: result.objectId, functionDeclaration });
  return await outcomeOfValue(received);
}

/** @param {{ type: string, value?: unknown, unserializableValue?: string, subtype?: string }} result */
function primitive({ type, value, unserializableValue }) {
  if (unserializableValue !== undefined) return unserializableValue;
  return type === 'undefined' ? 'undefined' : canonical(value);
}

async function runWithReturn(source) {
  const asynchronous = /\bawait\b/.test(source) ? 'async ' : '';
  try {
    return await outcomeOf(new vm.Script(`(${asynchronous}function () {\n${source}\n})()`));
  } catch {
    return { threw: 'SyntaxError' };
  }
}

function post(method, parameters) {
  return new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

function failure({ exception }) {
  return { threw: exception?.className ?? 'unknown' };
}

/** What promises have still to do may change the value, in the sandbox too. */
function lastTurn() {
  return new Promise((resolve) => setImmediate(resolve));
}

function isPromise(value) {
  return Object.prototype.toString.call(value) === '[object Promise]';
}

function nameOf(error) {
  try {
    return String(error?.name ?? typeof error);
  } catch {
    return 'unknown';
  }
}

// A promise that a program leaves rejected is its own affair.
process.on('unhandledRejection', () => {});
process.on('message', (message) => void answer(message));

/** @param {any} message */
async function answer({ sources, shared }) {
  const outcomes = [];
  const context = shared ? newContext() : undefined;
  for (const source of sources) outcomes.push(await run(source, context));
  process.send?.(outcomes);
}
