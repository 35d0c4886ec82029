import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectAsInV8, run } from './support.ts';

/** Longer than what the engine is left to do itself, in lines of all lengths. */
const long = `Array.from({ length: 900 }, (_, i) => 'k' + i + ',' + 'xé'.repeat((i * i) % 40) + '\\n').join('')`;

test.each([
  `let rest = ${long}; const out = []; while (rest.length > 0) { const end = rest.indexOf('\\n'); if (end === -1) break; out.push(rest.slice(0, end)); rest = rest.slice(end + 1); } [out, rest]`,
  `let rest = ${long}; let n = 0; while (rest) { if (rest[0] === 'k') n++; rest = rest.slice(1); } [n, rest]`,
  `let rest = ${long}; let n = 0; while (rest !== '') { if (rest.startsWith('x')) n += rest.length; rest = rest.substring(1); } n`,
  `let rest = ${long}; let n = 0; do { n += rest.charCodeAt(0) || 1; rest = rest.substr(3); } while (rest.length >= 3); [n, rest]`,
  `let out = 0; for (let rest = ${long}; rest.length > 0; rest = rest.slice(7)) out += rest.length; out`,
  `let rest = ${long}; const out = []; while (rest.includes(',')) { const at = rest.indexOf(','); out.push(rest.substring(0, at)); rest = rest.slice(at + 1); } out.push(rest); out`,
  `let rest = ${long}; const out = []; const word = 'k89'; while (rest.indexOf(word) !== -1) { rest = rest.slice(rest.indexOf(word) + word.length); out.push(rest.length, rest[1]); } [out, rest]`,
  // Nowhere to be found, and far away.
  `let rest = ${long}; const out = []; for (let i = 0; i < 300; i++) { out.push(rest.indexOf('absent'), rest.indexOf('k899'), rest.includes('k899'), rest.includes('é\\nk5'), rest.indexOf('')); rest = rest.slice(97); } out`,
  // Much of it is wanted at once.
  `let rest = ${long}; const out = []; for (let i = 0; i < 9; i++) { out.push(rest.slice(0, i * 700).length, rest[i * 900], rest.charAt(i * 1000), rest.at(i), rest.codePointAt(i * 300), rest.substring(i * 800, 3)); rest = rest.slice(i * 10); } [out, rest]`,
  // What counts from the end, is no whole number, or none at all.
  `const out = []; const text = ${long}; for (const by of [0, -0, 3, 1.7, -1, -900, -1e9, NaN, Infinity, -Infinity, 1e9, 127, 128, 129, 511, 512, 513, 640, 5000, '4', '-4', '', 'x', null, undefined, true]) for (const name of [0, 1, 2]) { let rest = text; for (let i = 0; i < 3; i++) { if (name === 0) rest = rest.slice(by); if (name === 1) rest = rest.substring(by); if (name === 2) rest = rest.substr(by); } out.push(rest.length, rest.slice(0, 5)); } out`,
  `const out = []; const text = ${long}; for (const a of [0, 3, -3, 600, 9000, 1e9, NaN, 2.5, '7', null, undefined]) for (const b of [0, 9, -9, 700, 9100, Infinity, NaN, 8.5, '12', null, undefined]) { let rest = text; for (let i = 0; i < 2; i++) { rest = rest.slice(4); out.push(rest.slice(a, b).length, rest.substring(a, b).length, rest[a], rest.charAt(b), rest.at(a)); } } out`,
  `let rest = ${long}; const out = []; for (const word of ['k3', '', 7, null, undefined, ['k4'], 'k1,x', 'k'.repeat(700)]) { rest = rest.slice(2); out.push(rest.indexOf(word), rest.includes(word), rest.startsWith(word)); } out`,
  // More comes behind it, or another text takes its place.
  `let rest = ''; const out = []; for (let i = 0; i < 5; i++) { rest += ${long}; let end; while ((end = rest.indexOf('\\n')) !== -1) { out.push(rest.slice(0, end).length); rest = rest.slice(end + 1); } rest = rest + '|' + i; } [out, rest]`,
  `let rest = 'a'; const out = []; for (const text of [${long}, null, ['a', 'b', 'c'], 'short', ${long}]) { rest = text; try { for (let i = 0; i < 4; i++) { out.push(rest.length, rest[0]); rest = rest.slice(1); } } catch (e) { out.push(e.name); } out.push(rest?.length, rest); } out`,
  `let rest = ${long}; for (let i = 0; i < 9; i++) rest = rest.slice(31); const same = rest; rest += '!'; rest = rest.trim(); [same === rest, rest.length, same.length, rest.at(-1)]`,
  `const f = (rest) => { let n = 0; while (rest.length > 2) { rest = rest.slice(2); n++; } return [n, rest]; }; [f(${long}), f('abc'), f(['a', 'b', 'c', 'd', 'e'])]`,
  `let rest = ${long}; const take = (n) => { const part = rest.slice(0, n); rest = rest.slice(n); return part; }; const out = []; for (let i = 0; i < 40; i++) out.push(take(i), take('2'), rest.length); out`,
  `let rest = ${long}; const peek = () => rest; while (rest.length > 90) rest = rest.slice(90); [peek(), { rest }, \`\${rest}\`]`,
  `const out = []; for (let rest = 'abc'; rest.length > 0; rest = rest.slice(1)) out.push(() => rest); out.map((f) => f())`,
  `const out = []; for (const text of ['ab', ${long}]) { let rest = text; while (rest.length > 1) { rest = rest.slice(1); if (rest.length % 999 === 0) out.push(() => rest.length); } } out.map((f) => f())`,
  `function* parts(text) { let rest = text; while (rest.length > 0) { yield rest.slice(0, 50); rest = rest.slice(50); } } [...parts(${long})]`,
  `let rest = ${long}; let i = 0; while (i < 5) { rest = rest.slice((i++, rest.indexOf('k'), 12)); } rest`,
  `let rest = ${long}; while (rest.length > 9) { rest = rest.slice(9); }`,
  `class Reader { constructor(text) { this.n = 0; let rest = text; while (rest.length > 0) { rest = rest.slice(11); this.n++; } } } new Reader(${long}).n`,
  `let rest = { length: 3, slice(n) { return { ...this, length: this.length - n }; } }; while (rest.length > 0) { rest = rest.slice(1); } rest.length`,
  // Wherever the variable stands.
  `class A { constructor(rest) { while (rest.length > 99) rest = rest.slice(50); this.r = rest; } m(rest) { let n = 0; while (rest.length > 0) { rest = rest.slice(13); n++; } return [n, rest]; } static s(rest, k = 2) { for (let i = 0; i < k; i++) rest = rest.substring(i + 1); return rest; } get g() { let rest = this.r; while (rest) rest = rest.slice(1); return [rest]; } } const a = new A(${long}); [a.m(${long}), A.s(${long}).length, a.r, a.g]`,
  `const o = { m(rest) { while (rest.length > 9) rest = rest.slice(9); return rest; }, set v(rest) { while (rest.length > 9) rest = rest.slice(9); this.k = rest; } }; o.v = ${long}; [o.m(${long}), o.k]`,
  `let rest = ${long}; outer: while (rest.length > 0) { for (const c of 'ab') { if (rest.startsWith('k899')) break outer; rest = rest.slice(1); } } rest`,
  `let rest = ${long}; let k = 0; try { while (true) { rest = rest.slice(7); if (++k > 90) throw new Error(rest); } } catch (e) { k = e.message.length; } finally { rest = rest.slice(1); } [k, rest.length]`,
  `let rest = ${long}; for (const n of (function* () { yield 1; yield 300; yield 7000; })()) { rest = rest.slice(n); } rest.length`,
  `let rest = ${long}; [5, 600, 70].forEach((n) => { rest = rest.slice(n); }); rest`,
  `let rest = ${long}; const f = (depth) => { if (depth === 0) return; rest = rest.slice(90); f(depth - 1); rest = rest.slice(1); }; f(20); rest.length`,
  `let rest = ${long}, b = 2; while (rest.length > 5000) rest = rest.slice(b); var v = rest; v`,
])('%s', async (script) => {
  await expectAsInV8(script);
});

test('any cuts, and what is read between them', async () => {
  const by = fc.oneof(fc.integer({ min: -3, max: 40 }), fc.integer({ min: 0, max: 1500 }), fc.double());
  const write = (n: number): string => (Object.is(n, -0) ? '-0' : String(n));
  const property = fc.asyncProperty(fc.array(fc.tuple(by, by), { maxLength: 20 }), async (steps) => {
    const list = `[${steps.map((pair) => `[${pair.map(write).join()}]`).join()}]`;
    await expectAsInV8(
      `let rest = 'abc\\nd;'.repeat(900) + 'end'; const out = []; for (const [n, m] of ${list}) { out.push(rest.length, rest[m], rest.slice(0, m), rest.substring(m, 3), rest.indexOf('end'), rest.indexOf('d;a'), rest.includes('zz'), rest.charAt(n), rest === ''); rest = rest.slice(n); } [out, rest]`,
    );
  });
  await fc.assert(property, { numRuns: 20 });
});

test('1 MB of lines, each cut off the head, fits into the usual limits', async () => {
  const { value } = await run(
    `let rest = 'abcdefghi\\n'.repeat(100000); let n = 0; while (rest.length > 0) { const end = rest.indexOf('\\n'); n += rest.slice(0, end).length; rest = rest.slice(end + 1); } n`,
    { limits: { timeoutMs: 60_000 } },
  );
  expect(value).toBe(900_000);
});
