import type { Helper } from '../../helper.ts';

/** ArrayBuffer and DataView, and the bytes of numbers. */
export const bufferHelpers: Helper[] = [
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
  const it = __ms_typed.get(object);
  if (name === 'constructor') __ms_refuse('the constructor of a typed array is not supported here: use instanceof');
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
];
