import type { Helper } from '../helper.ts';
import { elementSizes } from './typed-arrays.ts';

/**
 * What typed arrays are made of in a program; see typed-arrays.ts. A record says what each list stands for. Two lists may
 * stand for the same memory only as long as nobody writes to it: then the run is refused.
 */
export const typedArrayHelpers: Helper[] = [
  {
    name: 'typed',
    code: `const __ms_typed = new Map();
const __ms_sizes = ${JSON.stringify(elementSizes)};
const __ms_ranges = { Uint8Array: [0, 255], Int8Array: [-128, 127], Uint8ClampedArray: [0, 255], Uint16Array: [0, 65535], Int16Array: [-32768, 32767], Uint32Array: [0, 4294967295], Int32Array: [-2147483648, 2147483647], Float32Array: [0, -1], Float64Array: [-1e15, 1e15] };
function __ms_isTyped(value) { return typeof value === 'object' && __ms_typed.has(value); }
function __ms_isKind(value, kind) { return typeof value === 'object' && __ms_typed.get(value)?.kind === kind; }
function __ms_isList(value) { return Array.isArray(value) && !__ms_typed.has(value); }
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
  if (object.length !== it.length) object.length = it.length;
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
  {
    name: 'newBuffer',
    code: `function __ms_newBuffer(size, owner, kind) {
  const buffer = {};
  const byteLength = Math.trunc(Number(size ?? 0)) || 0;
  if (byteLength < 0) throw new RangeError('Array buffer allocation failed');
  __ms_typed.set(buffer, { kind: 'ArrayBuffer', byteLength, owner: owner ?? new Array(byteLength).fill(0), ownerKind: kind ?? 'Uint8Array', isSplit: false });
  return buffer;
}
function __ms_bufferOf(list, it) {
  if (it.buffer === undefined) {
    it.buffer = __ms_newBuffer(it.length * __ms_sizes[it.kind], list, it.kind);
    it.offset = 0;
  }
  return it.buffer;
}
function __ms_bytesOf(object, name) {
  const it = typeof object === 'object' && object !== null ? __ms_typed.get(object) : undefined;
  if (it === undefined) return object[name];
  if (name === 'BYTES_PER_ELEMENT') return __ms_sizes[it.kind];
  if (it.kind === 'ArrayBuffer') return name === 'byteLength' ? it.byteLength : undefined;
  if (it.kind === 'TextEncoder' || it.kind === 'TextDecoder') return undefined;
  if (name === 'buffer') return it.kind === 'DataView' ? it.buffer : __ms_bufferOf(object, it);
  if (name === 'byteOffset') return it.offset ?? 0;
  return it.kind === 'DataView' ? it.length : it.length * __ms_sizes[it.kind];
}
function __ms_bytesIn(it) {
  if (it.ownerKind === 'Uint8Array') return it.owner;
  it.isSplit = true;
  const bytes = [];
  for (const n of it.owner) for (const byte of __ms_toBytes(it.ownerKind, n)) bytes.push(byte);
  return bytes;
}
function __ms_viewOf(kind, buffer, it, offset, length) {
  const size = __ms_sizes[kind];
  if (offset % size !== 0) throw new RangeError('start offset of ' + kind + ' should be a multiple of ' + size);
  if (length === undefined && it.byteLength % size !== 0) throw new RangeError('byte length of ' + kind + ' should be a multiple of ' + size);
  if (offset > it.byteLength) throw new RangeError('Start offset ' + offset + ' is outside the bounds of the buffer');
  const count = length ?? (it.byteLength - offset) / size;
  if (offset + count * size > it.byteLength) throw new RangeError('Invalid typed array length: ' + count);
  const isWhole = offset === 0 && count * size === it.byteLength;
  if (isWhole && it.ownerKind === kind) {
    if (!__ms_typed.has(it.owner)) __ms_makeTyped(kind, it.owner, buffer, 0);
    return it.owner;
  }
  const bytes = __ms_bytesIn(it);
  it.isSplit = true;
  const list = [];
  for (let at = offset; list.length < count; at += size) list.push(__ms_readNumber(kind, bytes, at, true));
  return __ms_makeTyped(kind, list, buffer, offset);
}`,
  },
  {
    name: 'numberBytes',
    code: `const __ms_powers = [];
function __ms_power2(exponent) {
  if (__ms_powers.length === 0) {
    let power = 5e-324;
    for (let at = -1074; at <= 1023; at++) { __ms_powers.push(power); power *= 2; }
  }
  return __ms_powers[exponent + 1074];
}
function __ms_exponentOf(n) {
  __ms_power2(0);
  let low = 0;
  let high = 2097;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (__ms_powers[middle] <= n) low = middle;
    else high = middle - 1;
  }
  return low - 1074;
}
function __ms_bitsOf(n, exponentBits, fractionBits) {
  const bias = (1 << (exponentBits - 1)) - 1;
  const top = 2 * bias + 1;
  const sign = n < 0 || Object.is(n, -0) ? 1 : 0;
  const size = Math.abs(n);
  if (n !== n) return { sign: 0, exponent: top, fraction: __ms_power2(fractionBits - 1) };
  if (size === Infinity) return { sign, exponent: top, fraction: 0 };
  const exponent = size === 0 ? -1075 : __ms_exponentOf(size);
  if (exponent < 1 - bias) return { sign, exponent: 0, fraction: size / __ms_power2(1 - bias - fractionBits) };
  return { sign, exponent: exponent + bias, fraction: (size / __ms_power2(exponent) - 1) * __ms_power2(fractionBits) };
}
function __ms_toBytes(kind, given) {
  const n = __ms_element(kind, given);
  const size = __ms_sizes[kind];
  let low = n;
  let high = 0;
  if (kind === 'Float32Array') {
    const { sign, exponent, fraction } = __ms_bitsOf(n, 8, 23);
    low = ((sign << 31) | (exponent << 23) | fraction) >>> 0;
  } else if (kind === 'Float64Array') {
    const { sign, exponent, fraction } = __ms_bitsOf(n, 11, 52);
    const upper = Math.floor(fraction / 4294967296);
    low = fraction - upper * 4294967296;
    high = ((sign << 31) | (exponent << 20) | upper) >>> 0;
  }
  const bytes = [low & 255, (low >>> 8) & 255, (low >>> 16) & 255, low >>> 24, high & 255, (high >>> 8) & 255, (high >>> 16) & 255, high >>> 24];
  return bytes.slice(0, size);
}
function __ms_readNumber(kind, bytes, at, isLittle) {
  const size = __ms_sizes[kind];
  if (size === 1) return __ms_element(kind, bytes[at]);
  if (size === 2) return __ms_element(kind, isLittle === true ? bytes[at] | (bytes[at + 1] << 8) : (bytes[at] << 8) | bytes[at + 1]);
  const low = isLittle === true ? __ms_word(bytes[at + 3], bytes[at + 2], bytes[at + 1], bytes[at]) : __ms_word(bytes[at + size - 4], bytes[at + size - 3], bytes[at + size - 2], bytes[at + size - 1]);
  if (kind === 'Float32Array') {
    const exponent = (low >>> 23) & 255;
    const fraction = low & 8388607;
    const sign = low >>> 31 === 1 ? -1 : 1;
    if (exponent === 255) return fraction === 0 ? sign * Infinity : NaN;
    return exponent === 0 ? sign * fraction * __ms_power2(-149) : sign * (fraction + 8388608) * __ms_power2(exponent - 150);
  }
  if (size === 4) return __ms_element(kind, low);
  const high = isLittle === true ? __ms_word(bytes[at + 7], bytes[at + 6], bytes[at + 5], bytes[at + 4]) : __ms_word(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
  const exponent = (high >>> 20) & 2047;
  const fraction = (high & 1048575) * 4294967296 + low;
  const sign = high >>> 31 === 1 ? -1 : 1;
  if (exponent === 2047) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * __ms_power2(-1074) : sign * (fraction + 4503599627370496) * __ms_power2(exponent - 1075);
}
function __ms_word(a, b, c, d) { return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0; }`,
  },
  {
    name: 'newView',
    code: `function __ms_newView(buffer, offset, length) {
  const it = typeof buffer === 'object' && buffer !== null ? __ms_typed.get(buffer) : undefined;
  if (it === undefined || it.kind !== 'ArrayBuffer') throw new TypeError('First argument to DataView constructor must be an ArrayBuffer');
  const start = Math.trunc(Number(offset ?? 0)) || 0;
  if (start < 0 || start > it.byteLength) throw new RangeError('Start offset ' + start + ' is outside the bounds of the buffer');
  const size = length === undefined ? it.byteLength - start : Math.trunc(Number(length)) || 0;
  if (size < 0 || start + size > it.byteLength) throw new RangeError('Invalid DataView length ' + size);
  const view = {};
  __ms_typed.set(view, { kind: 'DataView', buffer, offset: start, length: size });
  return view;
}
function __ms_viewCall(it, method, given, value, isLittle) {
  const isBig = method.slice(3, 6) === 'Big';
  const kind = isBig ? 'Float64Array' : method.slice(3) + 'Array';
  const at = Math.trunc(Number(given ?? 0)) || 0;
  if (at < 0 || at + __ms_sizes[kind] > it.length) throw new RangeError('Offset is outside the bounds of the DataView');
  const memory = __ms_typed.get(it.buffer);
  const where = it.offset + at;
  if (method[0] === 'g') {
    const bytes = __ms_bytesIn(memory);
    if (!isBig) return __ms_readNumber(kind, bytes, where, Boolean(value));
    const first = BigInt(__ms_readNumber('Uint32Array', bytes, where, Boolean(value)));
    const second = BigInt(__ms_readNumber('Uint32Array', bytes, where + 4, Boolean(value)));
    const whole = value ? second * 4294967296n + first : first * 4294967296n + second;
    return method === 'getBigInt64' && whole >= 9223372036854775808n ? whole - 18446744073709551616n : whole;
  }
  if (isBig) __ms_refuse(method + ' is not supported: use setUint32 twice');
  __ms_unsplit(it);
  if (memory.ownerKind !== 'Uint8Array') __ms_refuse('writing to memory that a ' + memory.ownerKind + ' shares is not supported here');
  const bytes = __ms_toBytes(kind, value);
  if (!isLittle) bytes.reverse();
  for (let i = 0; i < bytes.length; i++) memory.owner[where + i] = bytes[i];
  return undefined;
}`,
  },
  {
    name: 'newEncoder',
    code: `function __ms_newEncoder() {
  const encoder = { encoding: 'utf-8' };
  __ms_typed.set(encoder, { kind: 'TextEncoder' });
  return encoder;
}
function __ms_encode(given) {
  const text = given === undefined ? '' : __ms_string(given);
  if (__ms_hasV8) return __ms_inV8('encode', text);
  const bytes = [];
  for (const part of text.split('')) {
    const escaped = encodeURIComponent(part);
    if (escaped.length === 1) bytes.push(escaped.charCodeAt(0));
    else for (let at = 1; at < escaped.length; at += 3) bytes.push(Number('0x' + escaped.slice(at, at + 2)));
  }
  return bytes;
}`,
  },
  {
    name: 'newDecoder',
    code: `function __ms_newDecoder(given, options) {
  const label = given === undefined ? 'utf-8' : __ms_string(given).trim().toLowerCase();
  const encoding = { utf8: 'utf-8', 'utf-8': 'utf-8', 'utf-16': 'utf-16le', 'utf-16le': 'utf-16le', latin1: 'windows-1252', ascii: 'windows-1252', 'iso-8859-1': 'windows-1252', 'windows-1252': 'windows-1252' }[label];
  if (encoding === undefined) __ms_refuse('TextDecoder knows utf-8, utf-16le and latin1 here');
  const decoder = { encoding, fatal: Boolean(options?.fatal), ignoreBOM: Boolean(options?.ignoreBOM) };
  __ms_typed.set(decoder, { kind: 'TextDecoder' });
  return decoder;
}
function __ms_decode({ encoding, fatal, ignoreBOM }, given, options) {
  if (given === undefined) return '';
  if (options?.stream) __ms_refuse('decode with stream is not supported: decode all bytes at once');
  const it = typeof given === 'object' && given !== null ? __ms_typed.get(given) : undefined;
  if (it === undefined) throw new TypeError('The "list" argument must be an instance of ArrayBuffer or ArrayBufferView.');
  const bytes =
    it.kind === 'ArrayBuffer' ? __ms_bytesIn(it)
    : it.kind === 'Uint8Array' ? given
    : it.kind === 'DataView' ? __ms_bytesIn(__ms_typed.get(it.buffer)).slice(it.offset, it.offset + it.length)
    : given.flatMap((n) => __ms_toBytes(it.kind, n));
  const text = __ms_inV8('decode', encoding, fatal, ignoreBOM, bytes);
  if (text === null) throw new TypeError('The encoded data was not valid for encoding ' + encoding);
  return text;
}`,
  },
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
      for (let at = 0; at < list.length; at++) if (args[0](list[at], at, list)) found.push(list[at]);
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
  if (Array.isArray(list) && (args.some(__ms_isTyped) || list.some(__ms_isTyped))) __ms_refuse('typed arrays in concat, flat and flatMap are not supported: spread them');
  return __ms_isTyped(list);
}`,
  },
  {
    name: 'untyped',
    code: `function __ms_holdsTyped(value, depth) {
  if (typeof value !== 'object' || value === null || depth > 100) return false;
  return __ms_typed.has(value) || Object.values(value).some((item) => __ms_holdsTyped(item, depth + 1));
}
function __ms_untyped(value) {
  if (!__ms_isTyped(value)) {
    if (__ms_holdsTyped(value, 0)) __ms_refuse('JSON.stringify of an object with a typed array is not supported: use Array.from');
    return value;
  }
  const made = {};
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) made[String(at)] = value[at];
  return made;
}`,
  },
];
