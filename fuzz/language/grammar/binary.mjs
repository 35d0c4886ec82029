import fc from 'fast-check';
import { calls, code, list, oneOf } from './code.mjs';

const table = `
bytes.at(int) any
bytes.includes(any, int?) bool
bytes.indexOf(any, int?) num
bytes.lastIndexOf(any) num
bytes.join(str?) str
bytes.toString() str
bytes.slice(int?, int?) bytes
bytes.fill(num, small?, int?) bytes
bytes.reverse() bytes
bytes.sort(comparer?) bytes
bytes.toSorted(comparer?) bytes
bytes.toReversed() bytes
bytes.map(toNumber) bytes
bytes.filter(test) bytes
bytes.with(small, num) any
bytes.set(nums, small?) any
bytes.find(test) any
bytes.findIndex(test) num
bytes.some(test) bool
bytes.every(test) bool
bytes.reduce(reducer, any) any
bytes.copyWithin(int, int?) bytes
Array.from(bytes) nums
`;

const type = oneOf('Uint8', 'Int8', 'Uint16', 'Int16', 'Int32', 'Uint32', 'Float32', 'Float64', 'Uint8Clamped');
const viewType = oneOf('Uint8', 'Int8', 'Uint16', 'Int16', 'Int32', 'Uint32', 'Float32', 'Float64');

/** Typed arrays and views. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function binary(g) {
  const kinds = {
    ...g,
    small: oneOf('0', '1', '2', '-1'),
    test: fc.oneof(code`(x) => ${g.bool}`, code`(x, i) => ${oneOf('i > 0', 'i % 2', 'x > 1')}`),
    toNumber: fc.oneof(code`(x, i) => ${g.num}`, oneOf('(x) => x * 2', '(x, i) => x + i', 'Math.round', '(x) => -x')),
    reducer: oneOf('(a, b) => a + b', '(a, b) => (a > b ? a : b)', '(a, b, i) => `${a}${b}${i}`'),
    comparer: oneOf('(a, b) => a - b', '(a, b) => b - a', 'undefined'),
  };
  const made = calls(table, kinds);
  made.bytes.push(
    code`new ${type}Array(${g.nums})`,
    code`new ${type}Array([${list(g.any)}])`,
    code`new ${type}Array(${oneOf('0', '2', '4')})`,
    code`${type}Array.${fc.oneof(code`from(${g.nums})`, code`of(${list(g.num, { max: 3 })})`)}`,
    code`new ${type}Array(${g.bytes})`,
    code`new TextEncoder().encode(${g.str})`,
  );
  made.num.push(code`(${g.bytes}).${oneOf('length', 'byteLength', 'BYTES_PER_ELEMENT', 'byteOffset')}`);
  made.str.push(
    code`new TextDecoder().decode(new Uint8Array(${fc.oneof(g.nums, code`[${list(oneOf('104', '105', '195', '169', '0xf0', '10'))}]`)}))`,
  );
  made.any.push(
    code`(${g.bytes})[${g.any}]`,
    code`[...${g.bytes}]`,
    code`((a) => { a[${oneOf('0', '1', '9', "'1'", '-1')}] ${oneOf('=', '+=', '-=', '*=', '|=', '??=')} ${g.any}; return [...a]; })(${g.bytes})`,
    code`((a) => { a[0]++; --a[1]; return Array.from(a); })(${g.bytes})`,
    code`((a) => { let sum = 0; for (const v of a) sum += v; for (let i = 0; i < a.length; i++) sum += a[i] * i; return sum; })(${g.bytes})`,
    code`((v) => { v.set${viewType}(${oneOf('0', '2', '7')}, ${g.any}, ${g.bool}); return [v.get${viewType}(${oneOf('0', '1', '4')}, ${g.bool}), v.getUint8(0), v.byteLength]; })(new DataView(new ArrayBuffer(8)))`,
    code`((a) => new DataView(a.buffer).get${viewType}(${oneOf('0', '1')}${oneOf('', ', true')}))(new Uint8Array([1, 130, 3, 4, 192, 6, 7, 8, 9]))`,
    code`[...(${g.bytes}).subarray(${oneOf('', '1', '0, 2', '-2', '1, -1')})]`,
    code`[...(${g.bytes}).${oneOf('entries', 'keys', 'values')}()]`,
    code`Array.isArray(${g.bytes})`,
    code`((${g.bytes}) instanceof ${oneOf('Uint8Array', 'Float64Array', 'Object', 'Array')})`,
  );
  return made;
}
