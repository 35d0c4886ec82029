import { expect, it } from 'vitest';
import { lower } from '../../packages/sandbox-daemon/src/lowering/index.ts';
import { expectAsInV8, run } from './support.ts';

it.each([
  'let s = 0; for (let i = 0; i < 5; i++) { if (i === 1) continue; if (i === 4) break; s += i; } s',
  'for (let i = 0; i < 3; i++) i * 2;',
  'const out = []; for (let i = 0, n = 3; i < n; i++) for (let j = i; j < n; j++) out.push([i, j]); out',
  'const i = 9; const out = []; for (let i = 0; i < 2; i++) { const i = 5; out.push(i); } out.push(i); out',
  'const out = []; if (true) for (let i = 0; i < 2; i++) out.push(i); else out.push(9); out',
  'const out = []; for (let i = 0; i < 3; i++) out.push(() => i); out.map((f) => f())',
  'const out = []; outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue outer; if (i === 2) break outer; out.push(i * 3 + j); } } out',
  'function* g() { for (let i = 0; i < 3; i++) yield i; } [...g()]',
  'const out = []; let n = 0; for (let i = 3; i--; ) out.push(i); for (let x; n < 2; n++) { out.push(x); x = n; } out',
  'switch (1) { case 1: for (let i = 0; i < 2; i++) i; }',
  'for (let i = 0 /* ; */; i < 2; i++) i;',
  'let s = "";\nfor (let i = 0\n  ; i < 3\n  ; i++)\n  s += i\ns',
  'let s = ""; for (const c of "aé") s += c; for (const n of [1, 2]) { for (const m of new Set([n, 3])) s += n * m; } s',
  'for (const x of [1, 2, 3]) { if (x === 2) continue; x * 2; }',
  'const out = []; for (let x of [1, 2]) { x *= 2; out.push(x); } for (const [i, v] of ["a"].entries()) out.push(i, v); out',
  'const out = []; try { for (const x of [1, 2]) { out.push(x); x = 5; } } catch (e) { out.push(e.name); } out',
  'const fs = []; for (const x of [1, 2]) fs.push(() => x); fs.map((f) => f())',
  'const x = 7; const out = []; for (const x of [1]) { const y = x; { const x = 2; out.push(x, y); } } out.push(x); out',
  'function* g() { yield 1; yield 2; } const out = []; for (const x of g()) { if (x > 5) break; out.push(x); } out',
  'const out = []; for (const m of "a1b2".matchAll(/[a-z](?=\\d)/g)) out.push(m[0], m.index); out',
  'const find = (xs) => { for (const x of xs) if (x > 1) return x; return 0; }; find([1, 2, 3])',
  'let t = {}; const o = t; for (const k of ["a", "b", "c"]) t = t[k] ??= {}; o',
  'const o = { n: 3 }; for (let i = 0; i < 3; i++) o[i] ??= i; let w = 0; while (w++ < 3) o.v ||= w; do o.x &&= 1; while (w++ < 6); for (; w < 9; w++) o["k" + w] ??= w; o',
  'const o = {}; for (let i = 0; i < 3; o.n ??= 7, i++) i; for (let i = 0; (o.m ||= 5) && i < 3; i++) o.q = i; o',
  'const f = (n) => { for (let i = 0; i < n; i++) { if (i === 2) return i; } return -1; }; [f(1), f(5)]',
])('%s', (script) => expectAsInV8(script));

it('shares the variable where nothing can keep it', () => {
  const codeOf = (script: string): string => (lower(script, []) as { code: string }).code;
  expect(codeOf('let s = 0; for (let i = 0; i < 3; i++) s += i;')).toContain(
    '{ let i = 0; for (; i < 3; i++) s += i; }',
  );
  expect(codeOf('for (let i = 0; i < 3; i++) fs.push(() => i);')).toContain('for (let i = 0;');
});

it('leaves errors at their place', async () => {
  const script =
    'let n;\nfor (let i = 0; i < 3; i++) i;\nfunction f() {\n  for (let i = 0; i < 3; i++) n.x;\n}\nf();\n1';
  await expect(run(script)).rejects.toMatchObject({ details: { location: { line: 3, endLine: 5 } } });
});
