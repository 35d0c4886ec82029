import fc from 'fast-check';
import { code, list, oneOf } from './code.mjs';

/** Generators, classes that hold something, Map and Set while they change, and JSON of objects. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function iterating(g) {
  const source = fc.oneof(g.nums, g.strs, g.str, g.map, g.set, code`(${g.map}).keys()`, code`(${g.set}).values()`);
  const stop = oneOf('', 'if (seen.length > 1) break;', 'if (v === 1) continue;');
  return {
    any: [
      code`((all) => { const seen = []; for (const v of all()) { ${stop} seen.push(v); } return seen; })(function* () { yield* ${source}; yield ${g.any}; })`,
      code`((take, all) => [...take(${oneOf('0', '2', '3')}, all)])(function* (n, from) { let i = 0; for (const v of from) { if (i++ >= n) return; yield v; } }, ${source})`,
      code`((map, all) => [...map(all, (x, i) => ${g.any})])(function* (from, f) { let i = 0; for (const v of from) { if (i > 8) return; yield f(v, i++); } }, ${source})`,
      code`((g) => { const log = []; for (const v of g(log)) { log.push(v); ${oneOf('', 'break;', 'if (v === 2) break;')} } return log; })(function* (log) { try { yield 1; yield 2; yield ${g.any}; } finally { log.push('end'); } })`,
      code`(([a, b = ${g.any}, ...rest]) => [a, b, rest])((function* () { yield* ${source}; })())`,
      code`((it) => { const first = it.next(); const second = it.next(${g.any}); return [first.value, first.done, second, it.next().done]; })((function* () { const got = yield ${g.any}; yield [got]; return ${g.any}; })())`,
      code`[...new (class { #items = ${g.nums}; *[Symbol.iterator]() { for (const x of this.#items) yield ${oneOf('x', '[x]', 'x * 2')}; } })()]`,
      code`Array.from((function* () { yield* ${source}; })(), (v, i) => ${oneOf('[i, v]', 'i', 'typeof v')})`,
      code`Math.max(...(function* () { yield* ${g.nums}; })())`,
      code`((m) => { const seen = []; for (const [k, v] of m) { seen.push(k); if (seen.length < 4) m.set(${fc.oneof(g.num, g.str)}, v); if (seen.length > 6) break; } return [seen, m.size]; })(${g.map})`,
      code`((m) => { const seen = []; for (const v of m) { seen.push(v); m.${oneOf('delete(v)', 'add(seen.length)', 'clear()', 'delete(1)')}; if (seen.length > 5) break; } return [seen, m.size]; })(${g.set})`,
      code`((m) => [m.get(${g.any}), m.has(${g.any}), [...m.keys()].length, [...m.set(${g.any}, 1).values()]])(new Map([[NaN, 'n'], [0, 'z'], ['a', ${g.any}]]))`,
      code`Object.fromEntries(Map.groupBy(${fc.oneof(g.nums, g.strs)}, (v, i) => ${oneOf('typeof v', 'i % 2', 'String(v).length', 'v')}))`,
      code`[...new Map([...${g.map}].${oneOf('map(([k, v]) => [v, k])', 'filter(([k]) => k !== 1)', 'reverse()', 'slice(1)')})]`,
      code`((groups) => { for (const o of ${g.rows}) { if (!groups.has(o.name)) groups.set(o.name, []); groups.get(o.name).push(o.n); } return [...groups].map(([k, v]) => [k, v.length, v.reduce((a, b) => a + b, 0)]); })(new Map())`,
      code`((q) => { q.put(${g.any}).put(${g.any}); return [q.size, q.take(), q.list, \`\${q}\`, JSON.stringify(q)]; })(new (class { #items = []; count = 0; put(v) { this.#items.push(v); this.count++; return this; } take() { return this.#items.shift(); } get size() { return this.#items.length; } get list() { return [...this.#items]; } toString() { return 'Q' + this.count; } })())`,
      code`((A, B) => { const b = new B(${g.any}); return [b.area(), b.kind, B.count, b instanceof A, b.constructor === B, Object.keys(b)]; })(...(() => { class A { static count = 0; kind = 'a'; constructor(v) { this.v = v; A.count++; } area() { return [this.v, this.kind]; } } class B extends A { kind = 'b'; area() { return ['B', ...super.area()]; } } return [A, B]; })())`,
      code`((e) => { try { throw e; } catch (x) { return [x.name, x.message, x.code, x instanceof Error, String(x)]; } })(new (class extends Error { constructor(m, code) { super(m); this.name = 'Own'; this.code = code; } })(${g.str}, ${g.any}))`,
      code`JSON.stringify({ v: ${g.any}, toJSON() { return ${oneOf('[this.v]', '{ v: 1 }', "'x'", 'undefined')}; } })`,
      code`JSON.stringify(${g.rows}, ${oneOf("['id', 'n']", "(k, v) => (k === 'n' ? undefined : v)", 'null', '(k, v) => (Array.isArray(v) ? v.slice(0, 2) : v)')}, ${oneOf('0', '1', "'-'", 'undefined')})`,
      code`JSON.parse(${oneOf('\'{"a":[1,{"b":null}],"c":"x"}\'', "'[3,1,2]'", '\'{"10":1,"9":2,"x":3}\'')}, function (k, v) { return ${oneOf('Array.isArray(v) ? v.length : v', "typeof v === 'number' ? v + 1 : v", "k === 'b' ? undefined : v", "k === '' ? [v] : v", 'Array.isArray(this) ? [k, v] : v')}; })`,
      code`JSON.stringify([${list(g.any)}])`,
    ],
  };
}
