import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `function* g() { yield 1; yield 2 } [...g()]`,
  `function* nat() { let n = 0; while (true) yield n++ } const r = []; for (const x of nat()) { if (x % 2) continue; if (x > 6) break; r.push(x) } r`,
  `function* ev(limit) { for (let n = 0; n < limit; n += 2) yield n; } Array.from(ev(7))`,
  `function* a() { yield* [1,2]; yield* b() } function* b() { yield 3 } [...a()]`,
  `function* nat() { let n = 0; while (true) yield n++ } const [a, b] = nat(); [a, b]`,
  `const log = []; function* g() { try { log.push('s'); yield 1; log.push('m'); yield 2 } finally { log.push('f') } } for (const x of g()) { log.push(x); break } log`,
  `function first(it, p) { for (const x of it) if (p(x)) return x; return null } function* g() { yield 1; yield 5; yield 9 } [first(g(), x => x > 3), first([1,2], x => x > 1), first(g(), x => x > 30)]`,
  `const o = { *items() { yield 1; yield 2 } }; [...o.items()]`,
  `function* take(n, it) { let i = 0; for (const x of it) { if (i++ >= n) return; yield x } } function* nat() { let n = 0; while (true) yield n++ } [...take(3, nat())]`,
  `class T { constructor(v, l, r) { this.v = v; this.l = l; this.r = r } *walk() { if (this.l) yield* this.l.walk(); yield this.v; if (this.r) yield* this.r.walk() } } [...new T(2, new T(1), new T(3)).walk()]`,
  `function* chunk(list, n) { for (let i = 0; i < list.length; i += n) yield list.slice(i, i + n) } for (const [a, b] of chunk([1,2,3,4], 2)) { a + b }`,
  `new Set((function* () { yield 1; yield 1 })()).size`,
  `function* e() { yield ['a', 1] } Object.fromEntries(e())`,
  `[...(function* () { yield (() => { const one = (n) => n; try { return one(1)(); } catch (e) { return e.name; } })(); })()]`,
  `function* g() { let e = 5; try { yield 1; throw new RangeError('x'); } catch (e) { yield e.name; e = 3; yield e; } yield e; } [...g()]`,
  `let t = 0; function* g() { yield 1; yield 2 } for (const x of g()) t += x; t`,
  `function* g() { yield 1; } let r; try { for (const x of [1, 2].concat([3])) { x -= 1; } } catch (e) { r = e.name; } [r, [...g()]]`,
  `function* g() { yield 1; yield 2; } function f() { for (const a of g()) for (const b of g()) if (b > 1) return 'found'; return 'none' } f()`,
  `function* g() { yield 1; yield 2; } function f() { for (const a of g()) { for (const b of g()) { for (const c of [1]) if (b > 1) return [a, b, c]; } } } f()`,
])('%s', (script) => expectAsInV8(script));
