import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `const o = {}; o[1e-7] = 1; o[1e21] = 2; o[5e-324] = 3; o[Infinity] = 4; o[2 ** 70] = 5; Object.keys(o)`,
  `const x = 1e-7; ({ [x]: 1, 1e21: 2, [\`a\`]: 3 })`,
  `const seen = {}; for (const p of [[1, 2], [1, 2], [3, 4]]) seen[p] = (seen[p] ?? 0) + 1; seen`,
  `const k = 1e300; const o = { [k]: 1 }; [k in o, o[k], delete o[k], Object.keys(o)]`,
  `Object.fromEntries([[1e-9, 'a'], [1e25, 'b']])`,
  `let i = 0; const a = [1, 2, 3]; a[i++] += 5; a[a.length - 1] *= 2; a`,
  `const at = (list, i) => list?.[i]; [at([1, 2], 1), at(null, 1), at('ab', 0)]`,
  `const o = { 1e21: 1, '[object Object]': 2, a: 3 }; const k = { toString: 5 }; const out = [o.hasOwnProperty(1e21), Object.hasOwn(o, 1e21), o?.hasOwnProperty(1e21), o.hasOwnProperty({}), o.hasOwnProperty('a'), Object.hasOwn(o, 'z')]; try { o.hasOwnProperty(k); } catch (e) { out.push(e.name); } out`,
  `let i = 0; ({ i } = { i: 1e21 }); const o = {}; o[i] = 1; Object.keys(o)`,
  `let i = 0; ({ a: i } = { a: 1e-7 }); const o = {}; o[i] = { i }; Object.entries(o)`,
  `let i = 1; const set = ({ i }) => { const o = {}; o[i] = { at: i }; return Object.keys(o); }; [i++, ...set({ i: 1e21 })]`,
  `const out = []; for (let i = 0; i < 3; i++) { const [o, list] = [{ i, at: i }, []]; list[i] = o; out.push(list[i]); } out`,
  `class A { constructor() { this.a = 1; } get b() { return 2; } } const a = new A(); const k = 'a'; [a.hasOwnProperty(k), a.hasOwnProperty('b'), Object.hasOwn(a, k)]`,
])('%s', (script) => expectAsInV8(script));
