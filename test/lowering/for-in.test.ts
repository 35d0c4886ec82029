import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

// A name that is removed before its turn has none.
it.each([
  `const list = [5, , 6]; const seen = []; for (const i in list) { seen.push(i); list.sort(); } seen`,
  `const list = [5, , 6]; const seen = []; for (const i in list) { seen.push(i); if (seen.length < 3) list.unshift(6); } seen`,
  `const o = { a: 1, b: 2, c: 3 }; const seen = []; for (const k in o) { seen.push(k); delete o.b; } seen`,
  `const o = { a: 1, b: 2 }; const seen = []; for (const k in o) { delete o[k]; seen.push(k); } [seen, Object.keys(o)]`,
  `const o = { a: 1, b: 2, c: 3 }; const seen = []; const drop = (k) => delete o[k]; for (var k in o) { seen.push(k); if (k === 'a') drop('c'); } seen`,
  `const list = [5, 6, 7, 8]; const seen = []; for (const i in list) { seen.push(i, list.pop()); } seen`,
  `const list = [5, 6, 7, 8]; const seen = []; let i; for (i in list) { list.length = 2; seen.push(i); } [seen, i]`,
  `const o = { a: 1, b: 2, c: 3 }; const seen = []; out: for (const k in o) { for (const j in o) { if (j === 'b') continue out; delete o.c; seen.push(k + j); } } seen`,
  `class Box { a = 1; b = 2; drop() { delete this.b; } } const box = new Box(); const seen = []; for (const k in box) { box.drop(); seen.push(k); } seen`,
  `const seen = []; const f = (x) => seen.push(x); for (const k in [7]) f(k); for (var j in { a: 1 }) f(j); [seen, j]`,
  `const o = { a: 1, b: 2 }; const seen = []; for (const k in o) { delete o.b; o.b = 5; o.z = 1; seen.push(k); } seen`,
])('%s', (script) => expectAsInV8(script));
