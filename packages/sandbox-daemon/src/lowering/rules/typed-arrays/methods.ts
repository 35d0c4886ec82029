import type { Helper } from '../../helper.ts';

/** The methods of typed arrays, and what stands for one where there are none. */
export const methodHelpers: Helper[] = [
  {
    name: 'typedCall',
    code: `function __ms_typedCall(list, method, ...args) {
  const it = __ms_typed.get(list);
  const { kind } = it;
  if (kind === 'DataView') return __ms_viewCall(it, method, ...args);
  if (kind === 'TextEncoder' && method === 'encode') return __ms_makeTyped('Uint8Array', __ms_encode(args[0]));
  if (kind === 'TextDecoder' && method === 'decode') return __ms_decode(list, ...args);
  if (kind === 'ArrayBuffer' && method === 'slice') {
    const bytes = __ms_bytesIn(it).slice(args[0] ?? 0, args[1] ?? it.byteLength);
    return __ms_newBuffer(bytes.length, bytes, 'Uint8Array');
  }
  if (!(kind in __ms_sizes)) throw new TypeError(method + ' is not a function');
  if (['fill', 'set', 'sort', 'reverse', 'copyWithin'].includes(method)) __ms_unsplit(it);
  if (method === 'map' || method === 'filter') __ms_callable(args[0]);
  switch (method) {
    case 'map': return __ms_typedFrom(kind, list, args[1] === undefined ? (value, at) => args[0](value, at, list) : (value, at) => args[0].call(args[1], value, at, list));
    case 'filter': {
      const found = [];
      for (let at = 0; at < list.length; at++) {
        const value = list[at];
        if (args[1] === undefined ? args[0](value, at, list) : args[0].call(args[1], value, at, list)) found.push(value);
      }
      return __ms_makeTyped(kind, found);
    }
    case 'slice': return __ms_makeTyped(kind, list.slice(args[0] ?? 0, args[1] === undefined ? list.length : args[1]));
    case 'toReversed': return __ms_makeTyped(kind, [...list].reverse());
    case 'sort': return __ms_sortTyped(list, args[0]);
    case 'toSorted': return __ms_makeTyped(kind, __ms_sortTyped([...list], args[0]));
    case 'reverse': list.reverse(); return list;
    case 'copyWithin': list.copyWithin(...args); return list;
    case 'fill': {
      // V8 forgets the end there.
      if (args[1] === undefined && args[2] !== undefined) __ms_refuse('fill of a typed array with an end needs a start: use 0');
      list.fill(__ms_element(kind, args[0]), args[1] ?? 0, args[2] === undefined ? list.length : args[2]); return list;
    }
    case 'with': {
      const at = Math.trunc(Number(args[0])) || 0;
      const where = at < 0 ? list.length + at : at;
      if (where < 0 || where >= list.length) throw new RangeError('Invalid typed array index');
      const copy = [...list];
      copy[where] = __ms_element(kind, args[1]);
      return __ms_makeTyped(kind, copy);
    }
    case 'set': {
      if (typeof args[0] === 'function') __ms_refuse('set of a typed array is given a function: give it a list');
      const start = Math.trunc(__ms_operandNumber(args[1])) || 0;
      if (start < 0) throw new RangeError('offset is out of bounds');
      const values = __ms_elements(kind, __ms_listLike(args[0]));
      if (start + values.length > list.length) throw new RangeError('offset is out of bounds');
      for (let at = 0; at < values.length; at++) list[start + at] = values[at];
      return undefined;
    }
    case 'subarray': {
      const part = list.slice(args[0] ?? 0, args[1] === undefined ? list.length : args[1]);
      const start = Math.trunc(Number(args[0] ?? 0)) || 0;
      const from = start < 0 ? Math.max(0, list.length + start) : Math.min(start, list.length);
      const buffer = __ms_bufferOf(list, it);
      __ms_typed.get(buffer).isSplit = true;
      return __ms_makeTyped(kind, part, buffer, (it.offset ?? 0) + from * __ms_sizes[kind]);
    }
  }
  throw new TypeError(method + ' is not a function');
}
function __ms_listLike(given) {
  if (given === null || given === undefined) throw new TypeError('Cannot convert undefined or null to object');
  if (Array.isArray(given)) return given;
  if (typeof given === 'string') return given.split('');
  const isPlain = typeof given === 'object' && !(given instanceof Map || given instanceof Set);
  return isPlain && given.length > 0 ? Array.from({ length: given.length }, (_, at) => given[at]) : [];
}
function __ms_sortTyped(list, compare) {
  if (compare !== undefined && typeof compare !== 'function') throw new TypeError('The comparison function must be either a function or undefined');
  if (typeof compare !== 'function' || list.length >= 64) return __ms_sort(list, compare ?? __ms_numeric);
  // V8 asks for other pairs than in a list, which shows where a comparator contradicts itself.
  const sortInto = (target, from, to, source) => {
    const middle = from + ((to - from) >> 1);
    if (middle - from > 1) sortInto(source, from, middle, target);
    if (to - middle > 1) sortInto(source, middle, to, target);
    let left = from;
    let right = middle;
    for (let at = from; at < to; at++) {
      const isLeft = left < middle && (right >= to || !(__ms_operandNumber(compare(source[left], source[right])) > 0));
      target[at] = isLeft ? source[left++] : source[right++];
    }
  };
  if (list.length < 2) return list;
  const made = [...list];
  sortInto(made, 0, list.length, [...list]);
  for (let at = 0; at < made.length; at++) list[at] = made[at];
  return list;
}
function __ms_whole(call) {
  if (typeof call !== 'function') return call;
  return function (...all) {
    const part = call.apply(this, all);
    return __ms_isTyped(part) ? [part] : part;
  };
}
function __ms_numeric(a, b) { return a !== a ? (b !== b ? 0 : 1) : b !== b ? -1 : a < b ? -1 : a > b ? 1 : Object.is(a, b) ? 0 : Object.is(a, -0) ? -1 : 1; }
function __ms_isTypedIn(list, ...args) {
  if (Array.isArray(list) && (args.some(__ms_isTyped) || list.some(__ms_isTyped))) __ms_refuseJoin();
  return __ms_isTyped(list);
}
function __ms_isTypedWithin(list) {
  if (__ms_isTyped(list)) return true;
  if (Array.isArray(list) && __ms_hasTyped(list, 0)) __ms_refuseJoin();
  return false;
}
function __ms_hasTyped(list, depth) {
  return list.some((item) => __ms_isTyped(item) || (depth < 100 && Array.isArray(item) && __ms_hasTyped(item, depth + 1)));
}
function __ms_refuseJoin() { __ms_refuse('typed arrays in concat, flat and flatMap are not supported: spread them'); }`,
  },
  {
    name: 'untyped',
    code: `function __ms_holdsTyped(value, depth) {
  if (typeof value !== 'object' || value === null || depth > 100) return false;
  // JSON looks into none of these.
  if ([Map, Set, Date, RegExp, Error, Promise].some((kind) => value instanceof kind)) return false;
  return __ms_typed.has(value) || Object.values(value).some((item) => __ms_holdsTyped(item, depth + 1));
}
function __ms_untyped(value, isReplaced) {
  if (!__ms_isTyped(value)) {
    if (__ms_holdsTyped(value, 0)) __ms_refuse('JSON.stringify of an object with a typed array is not supported: use Array.from');
    return value;
  }
  // The function would be asked for the elements as they were, not as it has changed them.
  if (isReplaced) __ms_refuse('JSON.stringify of a typed array with a function is not supported: use Array.from');
  const made = {};
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) made[String(at)] = value[at];
  return made;
}`,
  },
];
