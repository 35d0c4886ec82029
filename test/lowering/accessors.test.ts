import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `class A { m() {} } const o = { m: 1, n: 2 }; [delete o?.m, delete o?.['n'], delete o.zz, o]`,
  `const acc = { get a() { return 1; } }; const o = { a: 1 }; const k = 'a'; [delete o?.[k], o, acc.a]`,
  `({ get v() { return 5; } }).v`,
  `({ _n: 1, get n() { return this._n; }, set n(v) { this._n = v * 2; } }).n`,
  `const g = { _n: 1, get n() { return this._n; }, set n(v) { this._n = v * 2; } }; g.n = 5; [g.n, g._n, Object.keys(g), JSON.stringify(g), 'n' in g]`,
  `JSON.stringify({ get v() { return 5; } })`,
  `const o = { a: 1, b: 2 }; const o2 = { ...o, get sum() { return this.b + this.a; } }; [o2.sum, Object.entries(o2), { ...o2 }, Object.values(o2)]`,
  `const counter = () => { let n = 0; return { inc: () => ++n, get value() { return n; } }; }; const c = counter(); c.inc(); c.inc(); c.value`,
  `const o = { *[Symbol.iterator]() { yield 'a'; yield 'b'; } }; [...o]`,
  `const it = { from: 1, to: 3, [Symbol.iterator]() { let c = this.from, t = this.to; return { next: () => (c <= t ? { value: c++, done: false } : { value: undefined, done: true }) }; } }; [...it]`,
  `class Range { constructor(a, b) { this.a = a; this.b = b; } *[Symbol.iterator]() { for (let i = this.a; i < this.b; i++) yield i; } } [...new Range(1, 4)].reduce((x, y) => x + y)`,
  `class Node { constructor(v, next = null) { this.v = v; this.next = next; } } class List { head = null; push(v) { this.head = new Node(v, this.head); return this; } *[Symbol.iterator]() { for (let n = this.head; n; n = n.next) yield n.v; } } [...new List().push(1).push(2)]`,
  `class Bag { #x = [3, 1]; *[Symbol.iterator]() { yield* this.#x; } } Math.min(...new Bag())`,
  `const it = new Map([['a', 1]])[Symbol.iterator](); it.next().done`,
  `[...'ab'][Symbol.iterator]().next()`,
  `const o = { *[Symbol.iterator]() { yield 1; yield 2; } }; const [a, b] = o; const s = []; for (const x of o) { s.push(x); } [a, b, s, Array.from(o), new Set(o).size, Math.max(...o)]`,
  `function* zip(a, b) { const i = a[Symbol.iterator](), j = b[Symbol.iterator](); for (;;) { const x = i.next(), y = j.next(); if (x.done || y.done) return; yield [x.value, y.value]; } } [...zip([1, 2, 3], 'ab')]`,
  `const { v, ...r } = { get v() { return 1; }, get w() { return 2; } }; [v, r]`,
  `const x = { get a() { return 1; } }; x.a = 5; x.a`,
  `const t = { get self() { return this.k; }, k: 4 }; const k = 'self'; [t[k], Object.assign({}, t)]`,
  `let s = ''; for (const k in { get z() { return 1; }, y: 2 }) s += k; s`,
  `const list = { items: [1, 2], [Symbol.iterator]() { return this.items[Symbol.iterator](); } }; let n = 0; for (const x of list) n += x; n`,
  `typeof [][Symbol.iterator]`,
  `[{ get v() { return 1; } }.v, ...[() => Object.values(null), () => Object.entries(undefined)].map((f) => { f(); })]`,
])('%s', (script) => expectAsInV8(script));
