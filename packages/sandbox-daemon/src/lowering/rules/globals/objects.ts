import { member, variable, type Replacement } from './replacement.ts';

/** What makes and copies objects and lists. */
export const objectGlobals: Replacement[] = [
  {
    name: 'Object.fromEntries',
    isNeeded: member('Object', 'fromEntries'),
    code: `Object.fromEntries = function fromEntries(entries) {
  if (entries === null || entries === undefined) throw new TypeError(String(entries) + ' is not iterable');
  const made = {};
  for (const entry of entries) {
    if (typeof entry !== 'object' || entry === null) throw new TypeError('Iterator value ' + String(entry) + ' is not an entry object');
    made[typeof entry[0] === 'string' ? entry[0] : __ms_key(entry[0])] = entry[1];
  }
  return made;
};`,
  },
  {
    name: 'Object.groupBy',
    isNeeded: member('Object', 'groupBy'),
    code: `const __ms_nativeGroupBy = Object.groupBy;
Object.groupBy = function groupBy(items, call) {
  if (!Array.isArray(items) || typeof call !== 'function') return __ms_nativeGroupBy(items, call);
  const groups = {};
  for (let at = 0; at < items.length; at++) {
    // The callback may change the list.
    const item = items[at];
    const key = __ms_key(call(item, at));
    if (Object.hasOwn(groups, key)) groups[key].push(item);
    else groups[key] = [item];
  }
  return groups;
};`,
  },
  {
    name: 'Array.from',
    isNeeded: (facts) => facts.suspendsInCallback && member('Array', 'from')(facts),
    code: `const __ms_nativeFrom = Array.from;
Array.from = function from(values, call, self) {
  if (call === undefined) return __ms_nativeFrom(values);
  if (typeof call !== 'function') return __ms_map(__ms_nativeFrom(values), call, self);
  // The callback may change the list.
  const made = [];
  if (values instanceof Map || values instanceof Set || (typeof values === 'object' && typeof values?.next === 'function' && !Object.hasOwn(values, 'next'))) {
    for (const value of values) made.push(self === undefined ? call(value, made.length) : call.call(self, value, made.length));
    return made;
  }
  if (!Array.isArray(values)) return __ms_map(__ms_nativeFrom(values), (value, at) => (self === undefined ? call(value, at) : call.call(self, value, at)));
  for (let at = 0; at < values.length; at++) made.push(self === undefined ? call(values[at], at) : call.call(self, values[at], at));
  return made;
};`,
  },
  {
    name: 'structuredClone',
    isNeeded: variable('structuredClone'),
    code: `globalThis.structuredClone = function structuredClone(value) {
  const copies = new Map();
  const copy = (from) => {
    if (typeof from === 'function') __ms_refuse('a function cannot be cloned');
    if (typeof from !== 'object' || from === null) return from;
    if (copies.has(from)) return copies.get(from);
    if (from instanceof Date) return new Date(from.getTime());
    if (from instanceof RegExp) return new RegExp(from.source, from.flags);
    if (from instanceof Error) { const made = new Error(from.message); made.name = from.name; return made; }
    const made = Array.isArray(from) ? new Array(from.length) : from instanceof Map ? new Map() : from instanceof Set ? new Set() : {};
    copies.set(from, made);
    if (from instanceof Map) for (const [key, item] of from) made.set(copy(key), copy(item));
    else if (from instanceof Set) for (const item of from) made.add(copy(item));
    else for (const key of Object.keys(from)) made[key] = copy(from[key]);
    return made;
  };
  return copy(value);
};`,
  },
  {
    name: 'Object.freeze',
    isNeeded: ({ references, members }) =>
      references.has('Object') &&
      (members.has('freeze') || members.has('seal') || members.has('isFrozen') || members.has('preventExtensions')),
    code: `const __ms_frozen = new Set();
Object.freeze = function freeze(value) { __ms_frozen.add(value); return value; };
Object.seal = function seal(value) { return value; };
Object.preventExtensions = function preventExtensions(value) { return value; };
Object.isFrozen = function isFrozen(value) { return (typeof value !== 'object' && typeof value !== 'function') || value === null || __ms_frozen.has(value); };`,
  },
  {
    name: 'Object.own',
    isNeeded: ({ references, members }) =>
      (references.has('Object') &&
        (members.has('getOwnPropertyNames') || members.has('defineProperty') || members.has('create'))) ||
      references.has('Reflect'),
    code: `Object.getOwnPropertyNames = function getOwnPropertyNames(value) {
  if (typeof value === 'function' || value instanceof RegExp || value instanceof Error) __ms_refuse('Object.getOwnPropertyNames of a ' + typeof value + ' that is no plain object is not supported');
  const names = Object.keys(value);
  return Array.isArray(value) ? [...names.slice(0, value.length), 'length', ...names.slice(value.length)] : names;
};
Object.defineProperty = function defineProperty(object, name, descriptor) {
  if (!('value' in descriptor)) __ms_refuse('Object.defineProperty takes a value only here, no get and no set');
  if (descriptor.enumerable !== true) __ms_refuse('Object.defineProperty makes enumerable properties only here: add enumerable: true');
  object[name] = descriptor.value;
  return object;
};
Object.create = function create(base, properties) {
  if (base !== null) __ms_refuse('Object.create takes null only here: there are no prototypes');
  const made = {};
  if (properties !== undefined) for (const name of Object.keys(properties)) Object.defineProperty(made, name, properties[name]);
  return made;
};`,
  },
  {
    name: 'Reflect',
    isNeeded: variable('Reflect'),
    code: `globalThis.Reflect = {
  ownKeys: (value) => Object.getOwnPropertyNames(value),
  has: (value, name) => name in value,
  get: (value, name) => value[name],
  set: (value, name, item) => { value[name] = item; return true; },
  deleteProperty: (value, name) => delete value[name],
  apply: (call, self, args) => call.apply(self, args),
};`,
  },
  {
    name: 'WeakMap',
    isNeeded: variable('WeakMap'),
    code: 'globalThis.WeakMap = Map;',
  },
  {
    name: 'WeakSet',
    isNeeded: variable('WeakSet'),
    code: 'globalThis.WeakSet = Set;',
  },
];
