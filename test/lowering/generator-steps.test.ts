import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

// A generator whose values are asked for one by one stops in the middle of whatever it does.
it.each([
  `function* range(a, b, step = 1) { for (let i = a; i < b; i += step) yield i; } const g = range(0, 2); [g.next(), g.next(), g.next()]`,
  `function* naturals() { let n = 1; while (true) yield n++; } const g = naturals(); g.next(); g.next().value`,
  `const g = (function* () { const x = yield 1; yield x * 2; })(); g.next(); g.next(21).value`,
  `const g = (function* () { try { yield 1; } catch (e) { yield 'caught ' + e; } })(); g.next(); g.throw('x').value`,
  `function* range(a, b) { for (let i = a; i < b; i++) yield i; } const g = range(0, 5); g.next(); [g.return('done'), g.next()]`,
  `function* g() { const received = []; for (let i = 0; i < 3; i++) received.push(yield i); return received; } const it = g(); it.next(); it.next('a'); it.next('b'); it.next('c').value`,
  `function* g(x) { const y = 2 * (yield x + 1); return x + y; } const it = g(1); [it.next().value, it.next(5).value]`,
  `function* z(a, b) { const i = a[Symbol.iterator](), j = b[Symbol.iterator](); while (true) { const x = i.next(), y = j.next(); if (x.done || y.done) return; yield [x.value, y.value]; } } [...z([1,2,3], 'ab')]`,
  `function* z(a, b) { const i = a[Symbol.iterator](), j = b[Symbol.iterator](); for (;;) { const x = i.next(), y = j.next(); if (x.done || y.done) return; yield [x.value, y.value]; } } function* n() { let i = 0; while (true) yield i++; } [...z(n(), 'abc')]`,
  `function* walk(t) { if (!t) return; yield* walk(t.l); yield t.v; yield* walk(t.r); } const it = walk({ v: 2, l: { v: 1 }, r: { v: 3 } }); const o = []; let r; while (!(r = it.next()).done) o.push(r.value); o`,
  `function* g() { let total = 0; while (true) { total += yield total; } } const it = g(); it.next(); it.next(5); it.next(7).value`,
  `function* g() { const r = yield* inner(); yield r; function* inner() { yield 'i'; return 'ret'; } } const it = g(); [it.next(), it.next(), it.next()]`,
  `function* g() { try { yield 1; yield 2; } finally { yield 'f'; } } const it = g(); [it.next(), it.return(9), it.next(), it.next()]`,
  `const log = []; function* g() { try { yield 1; yield 2; } finally { log.push('closed'); } } const it = g(); it.next(); for (const x of it) { log.push(x); break; } [log, it.next()]`,
  `function* g() { for (const [k, v] of Object.entries({ a: 1, b: 2 })) { const got = yield k; if (got) yield got + v; } } const it = g(); [it.next(), it.next('x'), it.next(), it.next()]`,
  `function* g() { outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 2) continue outer; if (i === 2) break outer; yield [i, j]; } } yield 'end'; } const it = g(); const first = it.next().value; [first, ...it]`,
  `function* g() { const fs = []; for (let i = 0; i < 3; i++) { fs.push(() => i); yield i; } return fs.map((f) => f()); } const it = g(); let r; while (!(r = it.next()).done) {} r.value`,
  `function* g(n) { switch (n) { case 1: yield 'a'; case 2: yield 'b'; break; default: yield 'z'; } yield 'end'; } const f = (n) => { const it = g(n), o = []; for (let r = it.next(); !r.done; r = it.next()) o.push(r.value); return o; }; [f(1), f(2), f(3)]`,
  `function* g() { const a = (yield 'a') || (yield 'b'); return a ? yield 'c' : 'none'; } const f = (...xs) => { const it = g(); it.next(); return xs.map((x) => it.next(x)); }; [f(0, 1, 'x'), f(1, 2), f(0, 0)]`,
  `function* g() { let i = 0; do { yield i; i++; } while (i < 3); } const it = g(); it.next(); [...it]`,
  `function* g() { for (const k in { a: 1, b: 2 }) yield k; } const it = g(); [it.next().value, it.next().value, it.next().done]`,
  `function* g() { let cmd; while ((cmd = yield 'ready') !== 'quit') { yield 'got ' + cmd; } return 'bye'; } const it = g(); [it.next(), it.next('x'), it.next(), it.next('quit')]`,
  `function* g() { throw new RangeError('x'); } const it = g(); let n; try { it.next(); } catch (e) { n = e.name; } [n, it.next()]`,
  `function* g() { yield 1; } const it = g(); let n; try { it.throw(new TypeError('x')); } catch (e) { n = e.message; } [n, it.next()]`,
  `function* g() { yield \`\${yield 1}-\${yield 2}\`; } const it = g(); [it.next(), it.next('a'), it.next('b')]`,
  `function* g() { yield [yield 1, ...(yield 2)]; } const it = g(); [it.next(), it.next('a'), it.next([5, 6])]`,
  `function* g() { yield { a: yield 1, ...{ b: 2 }, c: yield 3 }; } const it = g(); [it.next(), it.next('a'), it.next('c')]`,
  `const ids = (function* () { let n = 0; while (true) yield \`id-\${++n}\`; })(); const nextId = () => ids.next().value; [nextId(), nextId(), nextId()]`,
  `class Tree { constructor() { this.items = [3, 1]; } *[Symbol.iterator]() { for (const x of this.items) yield x; } } const it = new Tree()[Symbol.iterator](); [it.next(), it.next(), it.next()]`,
  `const o = { *gen() { yield this.v; const x = yield this.v + 1; this.v = x; }, v: 7 }; const it = o.gen(); [it.next(), it.next(), it.next(50), o.v]`,
  `function* take(it, n) { for (let i = 0; i < n; i++) { const { value, done } = it.next(); if (done) return; yield value; } } function* nat() { let n = 0; while (true) yield n++; } [...take(nat(), 3)]`,
  `function* merge(a, b) { let x = a.next(), y = b.next(); while (!x.done && !y.done) { if (x.value <= y.value) { yield x.value; x = a.next(); } else { yield y.value; y = b.next(); } } while (!x.done) { yield x.value; x = a.next(); } while (!y.done) { yield y.value; y = b.next(); } } function* l(a) { yield* a; } [...merge(l([1, 4, 9]), l([2, 3, 10, 11]))]`,
  `function* g() { yield 1; return 2; yield 3; } const it = g(); [it.next(), it.next(), it.next()]`,
  `function* g() { const x = yield; const y = yield x; return x + y; } const it = g(); it.next(); it.next(1); it.next(2)`,
  `function* g() { try { try { yield 1; } finally { yield 2; } } catch (e) { yield e.message; } finally { yield 'f'; } } const it = g(); [it.next(), it.throw(new Error('boom')), it.next(), it.next(), it.next()]`,
  `function* g() { const it = g(); } typeof g().next`,
  `function* fib() { let [a, b] = [0, 1]; while (true) { yield a; [a, b] = [b, a + b]; } } const it = fib(); Array.from({ length: 8 }, () => it.next().value)`,
  `function* g() { var s = 0; for (var i = 0; i < 3; i++) { s += i; yield s; } return s + i; } const it = g(); [it.next(), it.next(), it.next(), it.next()]`,
  `class Q { #items = []; push(x) { this.#items.push(x); } *drain() { while (this.#items.length) { yield this.#items.shift(); } } } const q = new Q(); q.push(1); q.push(2); const d = q.drain(); [d.next().value, d.next().value, d.next().done]`,
  `function* g() { block: { yield 1; if (true) break block; yield 2; } yield 3; } const it = g(); [it.next().value, it.next().value, it.next().done]`,
  `function* g() { for (const x of [1, 2, 3]) { if (x === 2) continue; try { yield x; } finally { if (x === 1) continue; } } } const it = g(); [it.next(), it.next(), it.next()]`,
  `class L { constructor() { this.head = { v: 1, next: { v: 2, next: null } }; } *[Symbol.iterator]() { let c = this.head; while (c) { yield c.v; c = c.next; } } } [...new L()]`,
  `function* g() { yield 1; yield 2; } const it = g(); const [a] = it; [a, it.next()]`,
  `function* g() { yield* [1, 2]; yield* 'ab'; return 'r'; } const it = g(); [it.next(), it.next(), it.next(), it.next(), it.next()]`,
  `function* g() { const m = new Map([['a', 1]]); for (const [k, v] of m) yield k + v; } g().next().value`,
  `function* a() { const r = yield* b(); return r + 1; } function* b() { const x = yield 'b'; return x * 2; } const it = a(); it.next(); it.next(10)`,
  `function* a() { try { yield* b(); } finally { log.push('a'); } } function* b() { try { yield 1; } finally { log.push('b'); } } const log = []; const it = a(); it.next(); it.return(5); log`,
  `function* a() { try { yield* b(); } catch (e) { yield 'c' + e; } } function* b() { yield 1; } const it = a(); it.next(); [it.throw('x'), it.next()]`,
  `function* a() { yield 1; it.next(); } const it = a(); it.next(); let n; try { it.next(); } catch (e) { n = e.name; } n`,
  `function* g() { const xs = [1,2,3]; for (let i = xs.length - 1; i >= 0; i--) { const ok = yield xs[i]; if (!ok) return 'stop'; } } const it = g(); [it.next(), it.next(true), it.next(false), it.next()]`,
  `const g = (function* () { const r = yield* inner(); yield r; function* inner() { yield 'i'; return 'ret'; } })(); [...g]`,
  `const g = (function* () { try { yield 1; yield 2; } finally { yield 'f'; } })(); const o = []; for (const x of g) { o.push(x); if (x === 1) break; } o`,
  `function* walk(n) { if (n === 0) return 0; yield n; const sum = yield* walk(n - 1); return sum + n; } function* main() { const total = yield* walk(4); yield 'total ' + total; } [...main()]`,
])('%s', (script) => expectAsInV8(script));

it('says why a generator cannot be asked for its values one by one', async () => {
  const script = `function* g() { const f = () => x; yield 1; const x = 2; yield f(); } const it = g(); it.next().value`;
  await expect(run(script)).rejects.toMatchObject({
    code: 'script_error',
    message: expect.stringContaining('because `x` is used above its declaration: loop over it') as string,
  });
});

it('says that a generator is nested too deeply', async () => {
  const open = 'for (const a of [1]) { try { '.repeat(12);
  const script = `function* g() { ${open} yield 1; ${'} finally { } }'.repeat(12)} } g().next().value`;
  await expect(run(script)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    details: { construct: 'nesting' },
  });
});

it('goes on with what such a generator gives in a loop', () =>
  expectAsInV8(
    `function* g() { const f = () => x; yield 1; const x = 2; yield f(); } const node = { next: () => 1 }; [node.next(), ...g()]`,
  ));

it.each([
  ['a label', `async function* g() { yield 1; } out: for await (const x of g()) { break out; } 1`],
  ['var', `async function* g() { yield 1; } for await (var x of g()) {} x`],
  ['the last statement', `async function* g() { yield 1; } for await (const x of g()) x;`],
])('refuses for await with %s', async (_, script) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    details: { construct: 'generator' },
  });
});

it('warns where an async generator may take turns with something', async () => {
  const script = `async function* g() { yield 1; } const one = async () => { for await (const x of g()) return x; }; `;
  expect((await run(`${script} await Promise.all([one(), one()])`)).warnings).toMatchObject([{ id: 'async-turns' }]);
  expect((await run(`${script} await one()`)).warnings).toEqual([]);
});
