import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  "const line = 'a b'; for (const line of line.split(' ')) line",
  'const x = [1]; for (const [x] of [x]) x',
  'const k = { a: 1 }; for (const k in k) k',
  'const f = (g) => g(); for (const x of [1].map(() => x)) x',
])('%s', async (script) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    message: expect.stringContaining('another name') as string,
  });
});

it.each([
  'const out1 = []; for (const x of [1, 2].map((x) => x * 2)) out1.push(x); out1',
  'const out2 = []; for (const x of [1].map(function (x) { return x; })) out2.push(x); out2',
  'const o = { x: [3] }; const out3 = []; for (const x of o.x) out3.push(x); out3',
  'let x = [1, 2]; let last; for (x of x) last = x; last',
  'const o = {}; while ((o.n ??= 0) < 3) o.n++; o',
  "const o = {}; const k = () => 'n'; do o.n++; while ((o[k()] ||= 1) < 3); o",
  'const o = {}; let i = 0; for (; (o.n ??= 0) < 3; o.m ||= i, o.m &&= o.m + i, i++) o.n++; o',
  'const f = () => { const o = { a: {} }; while ((o.a.n ??= 0) < 3) o.a.n++; return o; }; f()',
  'class A { #n; v = 0; run() { while ((this.#n ??= 0) < 3) { this.#n++; this.v ||= 7; } return [this.#n, this.v]; } } new A().run()',
  'class A { get n() { return this.m; } set n(v) { this.m = v; } } const a = new A(); while ((a.n ??= 0) < 3) a.n++; a.m',
])('%s', (script) => expectAsInV8(script));
