import type { Helper } from '../helper.ts';
import type { Methods } from '../rule.ts';

/**
 * The engine's `JSON.parse` sorts the keys of objects. V8 parses the text once more, and what crosses keeps its order.
 * Where a script cannot wait for V8, the text is parsed by its tokens; for lines of the same shape the order is looked
 * up. A reviver is called by a helper, so that it may call capabilities.
 *
 *     Object.keys(JSON.parse('{"b": 1, "a": 2}'))   b, a   (the engine alone: a, b)
 *
 * A loop that parses the lines of a file has them parsed ahead (`ahead.ts`).
 */
export const jsonParse: Helper = {
  name: 'JSON.parse',
  code: String.raw`const __ms_nativeParse = JSON.parse;
const __ms_shapes = new Map();
const __ms_shapeOf = /("(?:[^"\\]|\\.)*")\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^\s"{}\[\],]+)?|"(?:[^"\\]|\\.)*"/g;
function __ms_keysOf(shape) {
  if (shape.indexOf('{') !== shape.lastIndexOf('{') || shape.includes('[')) return null;
  const keys = (shape.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((key) => __ms_nativeParse(key));
  if (new Set(keys).size < keys.length) return null;
  return keys;
}
function __ms_inOrder(text) {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+/g);
  let at = 0;
  const read = () => {
    const token = tokens[at++];
    if (token === '{') {
      const object = {};
      if (tokens[at] === '}') { at++; return object; }
      do {
        const key = tokens[at];
        at += 2;
        object[key.includes('\\') ? __ms_nativeParse(key) : key.slice(1, -1)] = read();
      } while (tokens[at++] === ',');
      return object;
    }
    if (token === '[') {
      const list = [];
      if (tokens[at] === ']') { at++; return list; }
      do list.push(read()); while (tokens[at++] === ',');
      return list;
    }
    if (token[0] === '"') return token.includes('\\') ? __ms_nativeParse(token) : token.slice(1, -1);
    if (token === 'null') return null;
    if (token === 'true') return true;
    if (token === 'false') return false;
    return Number(token);
  };
  return read();
}
function __ms_revive(holder, key, revive) {
  const value = holder[key];
  if (typeof value === 'object' && value !== null) {
    const keys = Array.isArray(value) ? [...value.keys()].map(String) : Object.keys(value);
    for (const name of keys) {
      const made = __ms_revive(value, name, revive);
      if (made === undefined) delete value[name];
      else value[name] = made;
    }
  }
  return revive.call(holder, key, value);
}
const __ms_jsonSite = __ms_site(null, 'json', '', '', 3);
function __ms_parseJson(given) {
  if (__ms_hasV8 && typeof given === 'string') {
    const parsed = __ms_askAhead(__ms_jsonSite, given);
    if (parsed !== 0) return parsed[0];
  }
  const text = typeof given === 'string' ? given : __ms_string(given);
  let value;
  let failure;
  try { value = __ms_nativeParse(text); } catch (error) { failure = error; }
  if (failure !== undefined) {
    // It refuses 1e400, too, which is Infinity.
    if (__ms_hasV8 && /[0-9]{3}|[eE]/.test(text)) return __ms_inV8('json', text);
    if (failure.message.includes('out of range')) __ms_refuse('JSON.parse of a number above 1.8e308 needs a script without async functions and promises');
    throw failure;
  }
  // The engine reads the last digit of some numbers wrongly there.
  if (typeof value === 'number') return Number(text.trim());
  if (typeof value !== 'object' || value === null) return value;
  if (__ms_hasV8) return __ms_inV8('json', text);
  if (text.length > 2000) return __ms_inOrder(text);
  const shape = text.replace(__ms_shapeOf, '$1:');
  let keys = __ms_shapes.get(shape);
  if (keys === undefined) {
    keys = __ms_keysOf(shape);
    if (__ms_shapes.size < 1000) __ms_shapes.set(shape, keys);
  }
  if (keys === null) return __ms_inOrder(text);
  const object = {};
  for (const key of keys) {
    const item = value[key];
    if (typeof item === 'number' && !Number.isSafeInteger(item)) return __ms_inOrder(text);
    object[key] = item;
  }
  return object;
}
JSON.parse = function parse(text, revive) {
  const value = __ms_parseJson(text);
  return typeof revive === 'function' ? __ms_revive({ '': value }, '', revive) : value;
};`,
};

/** Where classes have `toJSON`, which the engine does not see. */
export const jsonMethods: Methods = {
  id: 'json-methods',
  names: new Set(['stringify']),
  helperFor: ({ object }, { classMembers, hasAccessors, declared }) => {
    const isJson = object.type === 'Identifier' && object.name === 'JSON' && !declared.has('JSON');
    return isJson && (classMembers.has('toJSON') || hasAccessors) ? 'stringifyOf' : undefined;
  },
};

export const jsonHelpers: Helper[] = [
  {
    name: 'stringifyOf',
    code: 'function __ms_stringifyOf(json, value, replacer, space) { return __ms_stringify(value, replacer, space); }',
  },
];
