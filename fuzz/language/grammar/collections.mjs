import fc from 'fast-check';
import { calls, code, list, oneOf } from './code.mjs';

const table = `
map.has(any) bool
map.get(any) any
map.delete(any) bool
set.has(any) bool
set.delete(any) bool
JSON.stringify(any) any
JSON.stringify(any, replacer) any
JSON.stringify(any, replacer, indent) any
JSON.parse(json) any
JSON.parse(json, reviver) any
structuredClone(any) any
`;

/** JSON as a program meets it: with spaces, with duplicates, broken. */
const json = fc.oneof(
  fc.json({ maxDepth: 2 }).map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(JSON.stringify(value, null, 1))),
  oneOf(
    ...[
      '\'{"b":1,"a":2}\'',
      '\'{"2":1,"1":2,"x":3}\'',
      "'[1,2'",
      "''",
      "'01'",
      "'1e5'",
      "'-0'",
      "' [1 , 2 ] '",
      "'undefined'",
    ],
    ...[
      '\'{"a":1,"a":2}\'',
      '\'{"__proto__":1}\'',
      "'\"\\\\u0041'",
      '\'"\\\\u0041"\'',
      "'nul'",
      '\'{"a":}\'',
      "'1e400'",
      "'[1,]'",
      "'12345678901234567890'",
    ],
  ),
);

/** Map, Set and JSON. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function collections(g) {
  const kinds = {
    ...g,
    json,
    replacer: oneOf(
      'null',
      "['a', 'n']",
      '(k, v) => (typeof v === "number" ? v + 1 : v)',
      '(k, v) => (k === "a" ? undefined : v)',
      'undefined',
    ),
    indent: oneOf('2', '"\\t"', '0', '1', '"--"'),
    reviver: oneOf(
      '(k, v) => v',
      '(k, v) => (typeof v === "number" ? v * 2 : v)',
      '(k, v) => (k === "a" ? undefined : v)',
    ),
  };
  const made = calls(table, kinds);
  made.num = [code`(${oneOf('m', 't')}).size`, code`(${g.map}).size`, code`(${g.set}).size`];
  made.strs = [code`[...new Set(${g.strs})]`];
  made.nums = [code`[...new Set(${g.nums})]`, code`[...new Set(${g.nums})].sort((a, b) => a - b)`];
  made.map = [
    code`new Map([${list(code`[${g.any}, ${g.any}]`)}])`,
    code`new Map(Object.entries(${g.obj}))`,
    code`(${g.map}).set(${g.any}, ${g.any})`,
    code`new Map((${g.rows}).map((o) => [o.id, o.name]))`,
  ];
  made.set = [
    code`new Set(${fc.oneof(g.nums, g.strs, g.str)})`,
    code`(${g.set}).add(${g.any})`,
    code`new Set([${list(g.any)}])`,
  ];
  made.any.push(
    code`[...${g.map}]`,
    code`[...(${g.map})${oneOf('.keys()', '.values()', '.entries()')}]`,
    code`[...${g.set}]`,
    code`Object.fromEntries(${g.map})`,
    code`Array.from(${g.map}, ([k, v]) => ${oneOf('k', 'v', '`${k}=${v}`')})`,
    code`[...${g.map}].sort((a, b) => ${oneOf('b[1] - a[1]', 'a[0] < b[0] ? -1 : 1')})`,
    code`((all) => { const seen = []; (${g.map}).forEach((v, k) => seen.push([k, v])); return seen; })()`,
    code`((counts) => { for (const c of ${fc.oneof(g.str, g.strs)}) counts.set(c, (counts.get(c) ?? 0) + 1); return [...counts]; })(new Map())`,
    code`((counts) => { for (const c of ${fc.oneof(g.str, g.strs)}) counts[c] = (counts[c] || 0) + 1; return counts; })({})`,
    code`JSON.parse(JSON.stringify(${g.any}))`,
    code`JSON.stringify({ d: ${g.date}, m: ${g.map}, f: () => 1, u: undefined, n: ${g.num} })`,
  );
  return made;
}
