import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

const b = "{ toString() { return 'b'; } }";

/** What `npm run fuzz -- language --tables` found: arguments of kinds that nobody writes where they can be seen. */
it.each([
  `const f = (o, a, n) => o.split(a, n); [f('abcabc', ${b}, 1), f('abcabc', ${b}), f('abc', 'b', '1'), f('abc', /(?<=a)b/, null)]`,
  `['abcabc'.lastIndexOf(${b}, undefined), 'abcabc'.lastIndexOf('b', 'x'), 'abcabc'.lastIndexOf('b', '2'), [1, 2, 1].lastIndexOf(1, undefined)]`,
  `const f = (a) => { try { return 'abcabc'.lastIndexOf('b', a); } catch (e) { return e.name; } }; [f(3n), f(null), f({ valueOf: () => 2 }), f('3'), f(NaN)]`,
  `['abcabc'.replace(${b}), 'abab'.replaceAll(${b}), 'undefined'.replace()]`,
  `['abcabc'.match()[0], 'abc'.search(), [...'abc'.matchAll()].length, [...'a.a.'.matchAll('.')].length]`,
  `['abc'.match(new Map())[0], 'xabc'.search(new Set())]`,
  `['abcabc'.charAt('-1'), 'abc'.charAt('1'), 'abc'.charAt(null)]`,
  `[NaN.toPrecision(-1), (Infinity).toExponential(1e21), (-Infinity).toPrecision(0)]`,
  `[parseInt(1, -Infinity), parseInt('12px', Infinity), parseInt('+5', 4294967296), parseInt('11', 4294967298), parseInt('0x1f', '16'), parseInt('0x1f')]`,
  `const f = (...all) => { try { return Math.min(...all) + Math.max(...all); } catch (e) { return e.name; } }; [f(undefined, 3n), f(3n), f('2', 1), f([4], new Date(3))]`,
  `const f = (a) => { try { return String(BigInt(a)); } catch (e) { return e.name; } }; [f([5]), f([]), f({ valueOf: () => 7 }), f(new Map()), f((x) => x), f('x'), f(1.5), f(null)]`,
  `[1234567n.toLocaleString(), (-123n).toLocaleString(), (-1234n).toLocaleString()]`,
  `[String(), Number(), String(undefined)]`,
  `[(2.5).toExponential(0, 1), (99.9).toPrecision(2, 1), (0.1).toString(3, 1).length]`,
  `[[1234.5, 'a', null].toLocaleString('de-DE'), [1234.5].toLocaleString('en-US', { minimumFractionDigits: 2 })]`,
  `try { btoa(); } catch (e) { e.name; }`,
  `const f = (v, x) => { v += x; return v; }; [f({ valueOf: () => 1 }, '2'), f('a', 'b'), f(1, 2), f({ valueOf: () => 1 }, 2), f(null, 'x')]`,
  `const f = (A) => { try { return new A(); } catch (e) { return e.name; } }; f((x) => x)`,
  `Array.from(new Uint8Array([3, 1, 2]).sort((...all) => all.length))`,
  `Array.from(new Float64Array([1.5, -0]).toSorted(Boolean))`,
  `Array.from(new Uint8Array([3, 1, 2, 9, 4, 4, 7]).sort((a, b) => b - a))`,
  `try { new Uint8Array([2, 1]).toSorted(null); } catch (e) { e.name; }`,
  `const bytes = new Uint8Array([3, 1, 2]); bytes.set(new Set([9])); bytes.set('7', 1); bytes.set({ length: 1, 0: 5 }, '2'); Array.from(bytes)`,
])('%s', (script) => expectAsInV8(script));

/** The arguments of an object's own method are its own affair, and a text keeps its method beside a class that has one. */
it.each([
  `({ match(p) { return [typeof p, p]; } }).match('a.b')`,
  `({ search: (...all) => all }).search()`,
  `const u = undefined; [({ slice: (a, z) => [a, z] }).slice(1, u), 'abc'.slice(1, u), [1, 2].slice(1, u)]`,
  `const o = { charAt: (i) => i }; const f = (x, i) => x.charAt(i); [f(o, -1), f('abc', -1), f('abc', 1)]`,
  `const u = undefined; const o = {}; o.endsWith = (a, z) => [a, z]; [o.endsWith('x', u), 'xy'.endsWith('y', u)]`,
  `class R { search(p) { return p; } match(p) { return p; } } [new R().search('a+'), 'xaa'.search('a+'), 'axb'.match('a.b').length, new R().match('a.b')]`,
  `class R { replace(a, z) { return [a, z]; } split(s, n) { return [s, n]; } map(f) { return f(1); } } const r = new R(); [r.replace('.', '$&'), 'a.b'.replace('.', '$&$&'), r.split(',', -1), 'a,b'.split(',', -1), r.map((x) => x + 1), [1, 2].map((x) => x * 2)]`,
  `class Price { toFixed(n) { return 'p' + n; } } [new Price().toFixed(2), (2.5).toFixed(0)]`,
  `class T { trim() { return 'T'; } slice(a, z) { return [a, z]; } } const u = undefined; [new T().trim(), ' \\ufeffx '.trim(), new T().slice(1, u), 'abc'.slice(1, u)]`,
  `((box) => [box.repeat(''), box.repeat('', 'a')])({ repeat(...all) { return all; } })`,
  `const o = { split: (...a) => a, trim: () => 7, toFixed: (...x) => x.length, n: 1.005 }; [o.split(1, 2, 3), 'a,b'.split(',', -1), o.trim(1), ' \\ufeff'.trim(), o.toFixed(1, 2), o.n.toFixed(2), (2.5).toFixed(0)]`,
  `const o = { sort: 'asc', map: null }; [[3, 10, 2].sort(), [1, 2].map((x) => x + 1), o.sort]`,
  `const o = { sort(f) { return [f]; }, join(...a) { return a; }, matchAll: (...a) => a, lastIndexOf: (...a) => a }; [o.sort(1), o.join(), o.matchAll(), o.lastIndexOf(1, undefined), [2, 1].sort(), ['b'].join()]`,
  `class H { static match(x) { return x; } } [H.match('a.c'), 'abc'.match('a.c')[0]]`,
])('%s', (script) => expectAsInV8(script));

/** What the grammar found once it had typed arrays, scanning and members of such names. */
it.each([
  `class C { #n = 1; add(v) { this.#n += v; this.#n++; return this.#n; } } const bytes = new Uint8Array(2); bytes[0] = 3; [new C().add(2), bytes[0]]`,
  `const b = new Uint8Array(1); [[0, 1].flatMap((x) => (x ? [x, x] : new Uint8Array(2))).length, [1].flatMap(function () { return [this.k]; }, { k: 7 })]`,
  `const bytes = new Uint8Array([1]); bytes['0'] = 300; bytes['1'] = 4; [bytes.length, [...bytes]]`,
  `try { new Uint8Array([]).filter(null); } catch (e) { e.name; }`,
  `const e = new Error(''); e.code = 'E'; const t = new TypeError('x'); t.name = ''; [[e].join(), String(e), e + '', \`\${t}\`]`,
  `class Own extends Error { constructor(m, code) { super(m); this.name = 'Own'; this.code = code; } } const e = new Own('a', {}); [String(e), \`\${e}\`, e + '', [e] + '', e.toString()]`,
])('%s', (script) => expectAsInV8(script));

it('what is no plain object has names that are not known', async () => {
  await expect(run('Object.getOwnPropertyNames(/b/)')).rejects.toMatchObject({ code: 'script_error' });
});
