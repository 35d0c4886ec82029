import type { Helper } from '../../helper.ts';
import { elementSizes } from './rules.ts';

/**
 * What typed arrays are made of in a program; see rules.ts. A record says what each list stands for. Two lists may
 * stand for the same memory only as long as nobody writes to it: then the run is refused.
 */
export const elementHelpers: Helper[] = [
  {
    name: 'typed',
    code: `const __ms_typed = new Map();
const __ms_sizes = ${JSON.stringify(elementSizes)};
const __ms_ranges = { Uint8Array: [0, 255], Int8Array: [-128, 127], Uint8ClampedArray: [0, 255], Uint16Array: [0, 65535], Int16Array: [-32768, 32767], Uint32Array: [0, 4294967295], Int32Array: [-2147483648, 2147483647], Float32Array: [0, -1], Float64Array: [-1e15, 1e15] };
function __ms_isTyped(value) { return typeof value === 'object' && __ms_typed.has(value); }
function __ms_isKind(value, kind) { return typeof value === 'object' && __ms_typed.get(value)?.kind === kind; }
function __ms_isList(value) { return Array.isArray(value) && !__ms_typed.has(value); }
function __ms_kindText(value) {
  const kind = typeof value === 'object' ? __ms_typed.get(value)?.kind : undefined;
  return kind === undefined ? Object.prototype.toString.call(value) : '[object ' + kind + ']';
}
function __ms_makeTyped(kind, list, buffer, offset) {
  const [least, most] = __ms_ranges[kind];
  __ms_typed.set(list, { kind, length: list.length, buffer, offset, least, most });
  return list;
}
function __ms_element(kind, given) {
  const n = typeof given === 'number' ? given : Number(typeof given === 'object' ? __ms_toNumber(given) : given);
  if (typeof given === 'bigint') throw new TypeError('Cannot convert a BigInt value to a number');
  switch (kind) {
    case 'Uint8Array': return n & 255;
    case 'Int8Array': return (n << 24) >> 24;
    case 'Uint16Array': return n & 65535;
    case 'Int16Array': return (n << 16) >> 16;
    case 'Uint32Array': return n >>> 0;
    case 'Int32Array': return n | 0;
    case 'Float32Array': return Math.fround(n);
    case 'Float64Array': return n;
  }
  if (!(n > 0)) return 0;
  if (n >= 255) return 255;
  const below = Math.floor(n);
  return n - below < 0.5 || (n - below === 0.5 && below % 2 === 0) ? below : below + 1;
}
function __ms_elements(kind, values) {
  const list = [];
  for (let at = 0; at < values.length; at++) list.push(__ms_element(kind, values[at]));
  return list;
}
function __ms_unsplit(it) {
  if (it.buffer !== undefined && __ms_typed.get(it.buffer).isSplit) {
    __ms_refuse('writing to memory that two typed arrays share is not supported here: write first, or take slice() in place of subarray()');
  }
}
function __ms_fix(object, key, value) {
  const it = typeof object === 'object' ? __ms_typed.get(object) : undefined;
  if (it === undefined) return value;
  if (it.buffer === undefined && key >= 0 && key < it.length && typeof key === 'number' && key % 1 === 0) {
    const stored = object[key];
    if (stored >= it.least && stored <= it.most && typeof stored === 'number' && stored % 1 === 0 && (stored !== 0 || 1 / stored > 0)) return value;
  }
  __ms_unsplit(it);
  if (key === 'length') __ms_refuse('the length of a typed array cannot be set');
  const at = Number(key);
  if (object.length !== it.length) {
    object.length = it.length;
    // Lost, but read as a number nevertheless.
    __ms_element(it.kind, value);
  }
  else if (Number.isInteger(at) && at >= 0 && at < it.length) object[at] = __ms_element(it.kind, object[at]);
  else __ms_refuse('only elements of a typed array can be written');
  return value;
}`,
  },
  {
    name: 'newTyped',
    code: ({ hasGenerators }) => `function __ms_valuesIn(given) {
  const source = ${hasGenerators ? '__ms_list(given)' : 'given'};
  if (typeof source === 'string') return source.split('');
  if (Array.isArray(source)) return source;
  if (source === null || source === undefined) throw new TypeError(String(source) + ' is not iterable');
  return Array.from(source);
}
function __ms_newTyped(kind, from, offset, length) {
  if (typeof from === 'object' && from !== null) {
    const it = __ms_typed.get(from);
    if (it !== undefined && it.kind === 'ArrayBuffer') return __ms_viewOf(kind, from, it, offset ?? 0, length);
    return __ms_makeTyped(kind, __ms_elements(kind, __ms_valuesIn(from)));
  }
  const size = Math.trunc(Number(from ?? 0)) || 0;
  if (size < 0 || size > 4294967296) throw new RangeError('Invalid typed array length: ' + String(from));
  return __ms_makeTyped(kind, new Array(size).fill(0));
}
function __ms_typedFrom(kind, source, call) {
  const values = __ms_valuesIn(source);
  if (call === undefined) return __ms_makeTyped(kind, __ms_elements(kind, values));
  const list = [];
  for (let at = 0; at < values.length; at++) list.push(__ms_element(kind, call(values[at], at)));
  return __ms_makeTyped(kind, list);
}
function __ms_typedOf(kind, ...values) { return __ms_makeTyped(kind, __ms_elements(kind, values)); }
function __ms_typedBase64(kind, text) {
  const list = __ms_inV8('base64', text);
  if (list === null) throw new SyntaxError('Found a character that cannot be part of a valid base64 string.');
  return __ms_makeTyped(kind, list);
}`,
  },
];
