// Values that enter and leave cross as JSON. What JSON cannot say is written with a tag, as on the wire: see
// `WireValue` in protocol/values.ts. A text that begins with `$` is JSON with tags.
import { defineProperty, hasOwn, keys, parse, stringify } from './host.js';

const special = { undefined, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 };

/** @param {string} text */
export function decode(text) {
  return text[0] === '$' ? fromTagged(parse(text.slice(1))) : parse(text);
}

function fromTagged(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = new Array(value.length);
    for (let index = 0; index < value.length; index++) {
      if (value[index]?.$ !== 'hole') list[index] = fromTagged(value[index]);
    }
    return list;
  }
  const { $: tag } = value;
  if (tag !== undefined && tag !== 'object') return special[tag];
  const object = {};
  const entries = tag === 'object' ? value.entries : Object.entries(value);
  for (const [key, item] of entries) set(object, key, fromTagged(item));
  return object;
}

/** Sets a field, even if its key is `__proto__`. */
function set(object, key, value) {
  if (key === '__proto__') defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** Makes the inputs of a run its globals. @param {string} text an object */
export function enterInputs(text) {
  const inputs = decode(text);
  for (const name of keys(inputs)) {
    defineProperty(globalThis, name, { value: inputs[name], writable: true, configurable: true, enumerable: true });
  }
}

/** Makes a global of one input that is a text. */
export function enterText(name, value) {
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
}

class ResultError extends Error {
  get name() {
    return 'ResultError';
  }
}

const OwnSet = Set;
/** @type {Set<string> | undefined} */
let notes;

/** The conversions of the last value that left, such as `map`, for a note to the caller. @returns {string} JSON */
export function takeNotes() {
  // Most values have no conversions. Then this uses a literal, so that nothing that a script did to lists matters.
  const taken = notes === undefined ? '[]' : stringify([...notes]);
  notes = undefined;
  return taken;
}

const refuse = (why) =>
  function () {
    throw new ResultError(why);
  };

const noted = (note, convert) =>
  function () {
    notes ??= new OwnSet();
    notes.add(note);
    return convert(this);
  };

const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);

/** How values are written that JSON would lose or leave empty. Installed only while a value leaves. */
const conversions = [
  [Map.prototype, noted('map', (map) => [...map])],
  [Set.prototype, noted('set', (items) => [...items])],
  [BigInt.prototype, noted('bigint', String)],
  [RegExp.prototype, noted('regex', String)],
  [typedArray, noted('bytes', (items) => Array.from(items))],
  [ArrayBuffer.prototype, noted('bytes', (buffer) => Array.from(new Uint8Array(buffer)))],
  [Error.prototype, noted('error', ({ name, message }) => ({ name, message }))],
  [iteratorPrototype, noted('iterator', (items) => [...items])],
  [Function.prototype, refuse('a function: call it, and return its result')],
  [Promise.prototype, refuse('a promise: await it')],
];

/**
 * Writes a value that leaves by the rules of JSON: fields that are `undefined` are left out, and in a list they are
 * `null`.
 *
 * @param {(value: unknown) => string} write
 */
function leaving(value, write) {
  for (const [prototype, toJSON] of conversions) {
    if (!hasOwn(prototype, 'toJSON')) defineProperty(prototype, 'toJSON', { value: toJSON, configurable: true });
  }
  try {
    return write(value);
  } finally {
    for (const [prototype, toJSON] of conversions) {
      if (Object.getOwnPropertyDescriptor(prototype, 'toJSON')?.value === toJSON) delete prototype.toJSON;
    }
  }
}

/** Whether the script may hold symbols, which JSON leaves out silently. */
let mayHoldSymbols = false;

/** @param {boolean} may whether the script names `Symbol` */
export function watchSymbols(may) {
  mayHoldSymbols = may;
}

/**
 * Writes a value that leaves by the rules of JSON. The engine searches this text to see whether it must be written
 * again, with tags, because V8 finds a word in a long text a hundred times as fast.
 *
 * @returns {string} JSON, or `$` and JSON with tags
 */
export function leave(value) {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return stringify(value);
  if (typeof value === 'number' && value - value === 0) return stringify(value);
  if (typeof value === 'function') throw new ResultError('a function: call it, and return its result');
  if (typeof value === 'symbol') throw new ResultError('a symbol: return its description');
  return leaving(value, stringifyOnce) ?? '${"$":"undefined"}';
}

/** Writes a value that leaves, with tags. @returns {string} JSON */
export function leaveTagged(value) {
  return leaving(value, stringifyTagged);
}

/**
 * Writes a value in the way in which the engine does it for a result. @returns {string} JSON, or `$` and JSON with tags
 */
function write(value) {
  // A text needs no tags, and looking for them takes ten times as long as writing it.
  if (typeof value === 'string') return stringify(value);
  const text = leave(value);
  // Only a value with one of these in its JSON may hold something that JSON cannot say.
  if (text[0] === '$' || (!mayHoldSymbols && !text.includes('null') && !text.includes('"$"'))) return text;
  const tagged = leaveTagged(value);
  return tagged === text ? text : `$${tagged}`;
}

const stringifyOnce = (value) => stringify(value);
const stringifyTagged = (value) => stringify(value, tagging);

/** A replacer of `JSON.stringify`. */
function tagging(_key, value) {
  // oxlint-disable-next-line unicorn/no-instanceof-builtins -- there is one realm
  if (value instanceof Number) value = +value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $: String(value), [made]: true };
  if (typeof value === 'symbol') throw new ResultError('a symbol: return its description');
  if (typeof value !== 'object' || value === null || value[made] || Array.isArray(value) || !hasOwn(value, '$')) {
    return value;
  }
  // In a list of entries, JSON would write `null` for a field that it leaves out of an object.
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return { $: 'object', entries, [made]: true };
}
const made = Symbol('made');

/**
 * Encodes the arguments of a call. `undefined` among them stays `undefined`. @param {unknown[]} args @returns {string}
 */
export function encodeArguments(args) {
  let length = args.length;
  while (length > 0 && args[length - 1] === undefined) length--;
  if (length === 0) return '[]';
  const texts = [];
  let isTagged = false;
  for (let index = 0; index < length; index++) {
    const text = write(args[index]);
    if (text[0] === '$') isTagged = true;
    texts.push(text);
  }
  if (!isTagged) return `[${texts.join(',')}]`;
  const tagged = texts.map((text, index) => (text[0] === '$' ? text.slice(1) : leaveTagged(args[index])));
  return `$[${tagged.join(',')}]`;
}
