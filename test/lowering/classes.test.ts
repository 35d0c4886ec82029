import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `class A { get d() { return 5; } } const { x = new A().d } = {}; let z; [z = new A().d] = []; [x, z, ((a, b = new A().d) => b)()]`,
  `class A { get x() { return 1; } } const l = [3, 4]; const i = 0; [l[i], l[i + 1]] = [l[i + 1], l[i]]; l`,
  `class Counter { #count = 0; add(n) { return (this.#count += n); } }
const counter = new Counter(); counter.add(2); counter.add(3)`,
  `class P { constructor(x, y) { this.x = x; this.y = y } sum() { return this.x + this.y } static of(x) { return new P(x, x) } get double() { return this.sum()*2 } set both(v) { this.x = v; this.y = v } }
const p = P.of(3); const before = [p.sum(), p.double, JSON.stringify(p)]; p.both = 5; [...before, p.x, Object.keys(p), p instanceof P, p.constructor === P, P.name, typeof P]`,
  `class A { name = 'a'; hi() { return 'hi ' + this.name } }
class B extends A { constructor() { super(); this.name = 'b' } hi() { return super.hi() + '!' } }
const b = new B(); [b.hi(), b instanceof A, b instanceof B, new A() instanceof B]`,
  `class MyError extends Error { constructor(m, code) { super(m); this.name = 'MyError'; this.code = code } }
try { throw new MyError('x', 5) } catch (e) { [e.name, e.message, e.code, e instanceof MyError, e instanceof Error, String(e)] }`,
  `class S { static count = 0; static inc() { return ++S.count } static #secret = 7; static get secret() { return S.#secret } }
S.inc(); S.inc(); [S.count, S.secret]`,
  `class Stack { #items = []; push(x) { this.#items.push(x); return this } pop() { return this.#items.pop() } get size() { return this.#items.length } #helper(n) { return n * 2 } twice(n) { return this.#helper(n) } has(o) { return #items in o } }
const s = new Stack(); s.push(1).push(2); [s.pop(), s.size, s.twice(4), s.has(s), s.has({})]`,
  `class Shape { area() { return 0 } describe() { return \`\${this.constructor.name} \${this.area()}\` } }
class Sq extends Shape { constructor(n) { super(); this.n = n } area() { return this.n ** 2 } }
class Ci extends Shape { area() { return 3 } }
[new Sq(2), new Ci()].map(x => x.describe())`,
  `class T { toString() { return 'T!' } valueOf() { return 4 } }
[\`\${new T()}\`, new T() + 1, String(new T()), new T() * 2]`,
  `const C = class { x = 1; m() { return this.x } }; new C().m()`,
  `class D { constructor() { this.list = [1,2]; } each(f) { this.list.forEach((n) => f.call(this, n)); return this } map(f) { return this.list.map(f) } }
const d = new D(); let t = 0; d.each((n) => { t += n }); [t, d.map(n => n * 2), [1].map(n => n + 1)]`,
  `class E { constructor(x) { if (x) return; this.y = 1 } }
[new E(true).y, new E(false).y]`,
  `class F { static { F.z = 5 } } F.z`,
  `class G { a = 1; b = this.a + 1; f = () => this.b } const { f } = new G(); f()`,
  `class N { constructor(v) { this.value = v; this.next = null } }
class L { constructor() { this.head = null; this.length = 0 } add(v) { const n = new N(v); if (!this.head) this.head = n; else { let c = this.head; while (c.next) c = c.next; c.next = n } this.length++; return this } toArray() { const r = []; let c = this.head; while (c) { r.push(c.value); c = c.next } return r } }
new L().add(1).add(2).toArray()`,
  `function Point(x) { this.x = x } const q = new Point(3); [q.x, q instanceof Point]`,
  `function Point(x) { this.x = x } const q = new Point(3); [q.constructor === Point, q.constructor.name, {}.constructor === Object, [].constructor === Array, new q.constructor(4).x]`,
  `class Temp { #c = 0; get f() { return this.#c * 2 } set f(v) { this.#c = v / 2 } } const tt = new Temp(); tt.f = 10; tt.f += 4; tt.f++; tt.f`,
  `try { class Z {} Z() } catch (e) { e.name }`,
  `class K { constructor(...args) { this.n = args.length } } new K(1,2,3).n`,
  `class M2 extends Map { getOr(k, d) { return this.has(k) ? this.get(k) : d } } const m = new M2([['a', 1]]); [m.getOr('a', 0), m.getOr('b', 9), m.size]`,
  `const made = new (class { #n = 4; add(v) { this.#n += v; return this } get double() { return this.#n * 2 } })(); made.add(1).double`,
  `class V { static create(...a) { return new this(...a) } constructor(a) { this.a = a } } class W extends V {} W.create(5).a`,
  `class P { get l() { return 1; } m() { return 4; } } const k = ['l', 'm']; const p = new P(); [p[k[0]], p[k[1]](), (p[k[0] + 'x'] = 5), p.lx, 'l' in p, 'z' in p]`,
])('%s', (script) => expectAsInV8(script));
