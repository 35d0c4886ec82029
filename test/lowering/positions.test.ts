import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectAsInV8, run } from './support.ts';

/** Longer than several pieces, and longer than what the engine is left to do itself. */
const long = `Array.from({ length: 700 }, (_, i) => 'k' + i + ',' + (i % 7) + 'é\\n').join('')`;

test.each([
  `const s = ${long}; let n = 0; for (let i = 0; i < s.length; i++) if (s[i] === ',') n++; n`,
  `const s = ${long}; let n = 0; for (let i = -3; i < s.length + 3; i++) n += s.charCodeAt(i) || 1; n`,
  `const s = ${long}; const out = []; for (const i of [0, 511, 512, 513, 4999, 1e9, -1, 1.5, NaN, 2 ** 40, 1e-7]) out.push(s.charAt(i), s.at(i), s.codePointAt(i), s.charCodeAt(i), s[i]); out`,
  `const s = ${long}; const out = []; for (const i of ['0', '512', '05', 'length', undefined, null, true]) out.push(s[i], s.charAt(i)); out`,
  `const s = ${long}; let same = 0; for (let i = 0, j = s.length - 1; i < j; i++, j--) if (s[i] === s[j]) same++; same`,
  `const s = ${long}; let pos = 0; const next = () => s[pos++]; let out = ''; for (let c = next(); c !== undefined; c = next()) if (c === 'k') out += s[pos]; out.length`,
  `const s = ${long}; const out = []; for (let at = 0; ; ) { const end = s.indexOf('\\n', at); if (end === -1) break; out.push(s.slice(at, end), s.substring(end, at)); at = end + 1; } out`,
  `const s = ${long}; const out = []; for (const a of [-9, 0, 3, 511, 512, 6000, 1e9, NaN, 1.7, undefined, null, '4']) for (const b of [-9, 0, 4, 513, 7000, Infinity, undefined, null, '6']) out.push(s.slice(a, b).length, s.substring(a, b), s.indexOf('k9', a)); out`,
  `const s = ${long}; const out = []; for (const word of ['k699', 'absent', '', 'é\\nk1', undefined]) out.push(s.indexOf(word, 5), s.indexOf(word, -1), s.indexOf(word, 1e9)); out`,
  `const s = ${long}; const out = []; let i = 700; for (let n = 0; n < 5; n++) { out.push(s.slice(i, i++), s.slice(i++, i + 4), s.slice(i, (i += 3)), s.indexOf(',', i++), i); } out`,
  `const s = ${long}; const out = []; for (let i = -600; i < 1200; i += 37) for (let j = i - 2; j < i + 5; j += 3) out.push(s.slice(i, j), s.substring(i, j), s.indexOf('é\\n', j), s.indexOf(',', i / 2), s.slice(i / 4, j / 3)); out`,
  `const s = ${long}; const out = []; for (let i = 0; i < 9; i++) { const c = s[i * 600]; const at = s.indexOf('k', 3); out.push(c, at, s.slice(at, at + 9), s[at], s.slice(508, 516), s.indexOf('k', 509), s.slice(0, 0)); } out`,
  `const f = (list) => { let n = 0; for (let i = 0; i < 3; i++) if (list[i] === 'a') n += list.slice(0, 0).length + list.slice(i, 2).length + list.indexOf('b', i); return [n, list.slice(0, 0)]; }; [f(['a', 'c', 'b']), f('aab'), f(${long})]`,
  `const s = ${long}; const out = []; let at = 0; let end; while ((end = s.indexOf('\\n', at)) !== -1) { out.push(s.slice(at, end), s.slice(at, s.length).length); at = end + 1; } out`,
  `const s = ${long}; const out = []; for (const a of [0, 600, '5', '600', undefined, null, true, NaN]) for (const b of [3, 640, '640', undefined, null, { length: 9 }.length, {}.length]) { s[600]; out.push(s.slice(a, b), s.substring(a, b), s.indexOf('k', b), s.indexOf('é\\n', a)); } out`,
  `const f = (s) => { let i = 0; try { for (; i < 2; ) s.slice(i++, 9) && s.charCodeAt(0); } catch (e) { return [e.name, i]; } }; [f(null), f('abc')]`,
  `const rows = [['a', 'b'], ['c', 'd']]; let n = 0; for (const row of rows) for (let i = 0; i < row.length; i++) if (row[i] === 'b') n++; n`,
  `const f = (list) => { let n = 0; for (let i = 0; i < 3; i++) if (list[i] === 'a' || list.at(i) === 'b') n += i; return n; }; [f(['a', null, 'b']), f('aab'), f(${long})]`,
  `const f = (s) => { let n = 0; for (let i = 0; i < 9; i++) n += s.slice(i, i + 2).length + (s[i] === 'x'); return n; }; [f('abx'), f(['x', 'y']), f(Array(5000).fill('x'))]`,
  `const lines = ['a,b', 'c,"d,e"']; const out = []; for (const line of lines) { let q = false; let cell = ''; for (let i = 0; i < line.length; i++) { const c = line[i]; if (c === '"') q = !q; else if (c === ',' && !q) { out.push(cell); cell = ''; } else cell += c; } out.push(cell); } out`,
  `const later = []; for (const s of ['ab', 'cd']) { for (let i = 0; i < 2; i++) if (s[i] !== 'x') later.push(() => s[i] + s.length); } later.map((f) => f())`,
  `class Reader { read(s) { let n = 0; for (let i = 0; i < s.length; i++) if (s.charCodeAt(i) > 98) n++; return n; } } new Reader().read('abcd')`,
  `const f = (s) => { for (let i = 0; i < 2; i++) if (s[i] === 'a') return i; }; try { f(null) } catch (e) { e.name }`,
  `const f = (s) => { for (let i = 0; i < 2; i++) s.charCodeAt(i); }; try { f(5) } catch (e) { e.name }`,
  `const f = (s) => { for (let i = 0; i < 2; i++) s.charCodeAt(i); }; try { f(undefined) } catch (e) { e.name }`,
  `function outer(s) { function inner(i) { return s[i] === '"' ? i : inner(i + 1); } return inner(0); } outer('abc"')`,
  `const s = 'x,y'; { let n = 0; for (const i of [0, 1, 2]) if (s[i] === ',') n = i; n }`,
])('%s', async (script) => {
  await expectAsInV8(script);
});

test('any position, and any two', async () => {
  const at = fc.oneof(fc.integer({ min: -700, max: 1400 }), fc.double(), fc.constant(undefined));
  const property = fc.asyncProperty(fc.array(at, { maxLength: 12 }), async (places) => {
    const list = `[${places.map((place) => (Object.is(place, -0) ? '-0' : String(place))).join()}]`;
    await expectAsInV8(
      `const s = 'abc\\nd'.repeat(1000).slice(0, 1200); const out = []; for (const i of ${list}) { out.push(s[i], s.at(i), s.charAt(i), s.charCodeAt(i)); for (const j of ${list}) out.push(s.slice(i, j), s.substring(i, j), s.indexOf('d', j)); } out`,
    );
  });
  await fc.assert(property, { numRuns: 20 });
});

test('every character of 1 MB fits into the usual limits', async () => {
  const { value } = await run(
    `const s = 'abcd,'.repeat(200000); let n = 0; for (let i = 0; i < s.length; i++) if (s[i] === ',') n++; n`,
    { limits: { timeoutMs: 60_000 } },
  );
  expect(value).toBe(200_000);
});
