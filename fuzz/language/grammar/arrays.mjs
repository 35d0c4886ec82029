import fc from 'fast-check';
import { calls, code, list, oneOf } from './code.mjs';

/** Each line works for numbers (`nums` of `num`) and for texts (`strs` of `str`): `list` and `item` stand for them. */
const table = `
list.at(int) any
list.concat(list, any?) list
list.every(test) bool
list.fill(item, int?, int?) list
list.filter(test) list
list.find(test) any
list.findIndex(test) num
list.findLast(test) any
list.findLastIndex(test) num
list.flatMap(toAny) any
list.includes(any, int?) bool
list.indexOf(any, int?) num
list.join(str?) str
list.lastIndexOf(any) num
list.map(toNumber) nums
list.map(toText) strs
list.map(toAny) any
list.map(builtinFunction) any
list.filter(builtinFunction) list
list.pop() any
list.push(item, any?) num
list.reduce(reducer, any) any
list.reduce(reducer) any
list.reduceRight(reducer, any) any
list.reverse() list
list.shift() any
list.slice(int?, int?) list
list.some(test) bool
list.sort(comparer?) list
list.splice(int, small?, item?) list
list.toReversed() list
list.toSorted(comparer?) list
list.toSpliced(int, small?, item?) any
list.toString() str
list.unshift(item) num
list.with(small, item) any
list.copyWithin(int, int?) any
list.flat() any
`;

const shared = `
any2.flat(small?) any
Array.of(any, any?) any
Array.from(str) any
Array.from(nums, toAny) any
Object.keys(any) strs
Object.values(any) any
Object.entries(any) any
Object.assign(obj, any?) any
Object.hasOwn(obj, str) bool
obj.hasOwnProperty(any) bool
`;

/** Arrays and plain objects. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function arrays(g) {
  const numeric = productions('nums', 'num', 'x', g);
  const textual = productions('strs', 'str', 's', g);
  const kinds = {
    ...g,
    any2: code`[${g.any}, [${g.any}, [${g.any}]]]`,
    small: oneOf('0', '1', '2', 'Infinity'),
    toAny: code`(x, i) => ${g.any}`,
  };
  const made = calls(shared, kinds);
  made.num ??= [];
  made.num.push(
    code`(${g.nums}).length`,
    code`Object.keys(${g.obj}).length`,
    code`(${g.rows}).reduce((sum, o) => sum + o.n, 0)`,
  );
  made.any.push(
    code`Array.from({ length: ${oneOf('0', '1', '3')} }, (_, i) => ${g.any})`,
    code`new Array(${oneOf('0', '3', '"3"', '1, 2')})${oneOf('', '.fill(0)', '.length', '.fill().map((_, i) => i)', '.join()')}`,
    code`[...Array(${oneOf('0', '3')}).keys()]`,
    code`[...(${g.nums}).entries()]`,
    code`Object.fromEntries((${g.strs}).map((s, i) => [${g.any}, ${g.any}]))`,
    code`(${g.rows}).map((o) => ${g.any})`,
    code`(${g.rows}).filter((o) => ${g.bool}).map(({ id, name }) => ${oneOf('id', 'name', '[id, name]', '`${id}:${name}`')})`,
    code`(${g.rows}).sort((a, b) => ${oneOf('a.n - b.n', 'b.n - a.n', 'a.name.localeCompare(b.name)', 'a.name < b.name ? -1 : 1', 'a.id - b.id || b.n - a.n')}).map((o) => o.id)`,
    code`(${g.rows}).reduce((groups, o) => { (groups[${oneOf('o.name', 'o.id', 'o.n', 'o.n % 2', 'o.name[0]')}] ??= []).push(o.id); return groups; }, {})`,
    code`(${g.rows}).map(({ ${oneOf('id, ...rest', 'n: v = 5, ...rest', 'missing = 1, ...rest', '[s]: v, ...rest')} }) => rest)`,
    code`((a) => { a.length = ${oneOf('0', '1', '4')}; return a; })(${g.nums})`,
    code`((a) => { a[${oneOf('0', '2', '5', "'1'", "'b'", '-1')}] = ${g.any}; return [a.length, a]; })(${g.nums})`,
    code`((a) => { delete a[${oneOf('0', "'b'", 'a.length - 1')}]; return a; })(${fc.oneof(g.nums, g.obj)})`,
    code`[${list(code`...${fc.oneof(g.nums, g.strs, g.str)}`)}]`,
    code`({ ...Object.groupBy(${g.nums}, (x) => ${g.any}) })`,
  );
  return [made, numeric, textual];
}

function productions(list, item, name, g) {
  const kinds = {
    ...g,
    list: g[list],
    item: g[item],
    small: oneOf('0', '1', '2', '-1'),
    test: fc.oneof(
      code`(${fc.constant(name)}) => ${g.bool}`,
      code`(${fc.constant(name)}, i) => ${oneOf('i > 0', 'i % 2', 'i')}`,
      code`(${fc.constant(name)}) => ${g.any}`,
    ),
    toNumber: code`(${fc.constant(name)}, i) => ${g.num}`,
    toText: code`(${fc.constant(name)}) => ${g.str}`,
    toAny: code`(${fc.constant(name)}) => ${g.any}`,
    builtinFunction: oneOf(
      'Number',
      'String',
      'Boolean',
      'parseInt',
      'parseFloat',
      'Math.round',
      'isNaN',
      'Number.isInteger',
      'JSON.stringify',
      'Math.max',
    ),
    reducer: oneOf(
      '(a, b) => a + b',
      '(a, b, i) => `${a}${b}${i}`',
      '(a, b) => (a > b ? a : b)',
      '(a, b) => [a, b]',
      '(a, b) => ({ ...a, [b]: 1 })',
    ),
    comparer: oneOf(
      '(a, b) => a - b',
      '(a, b) => b - a',
      '(a, b) => (a < b ? -1 : a > b ? 1 : 0)',
      '(a, b) => String(a).localeCompare(String(b))',
      '(a, b) => a > b',
      'undefined',
      '() => 0',
    ),
  };
  // Only what gives this very list can be told to give one of its kind.
  const made = calls(table, kinds);
  const { list: same = [], ...others } = made;
  return { ...others, [list]: [...(others[list] ?? []), ...same] };
}
