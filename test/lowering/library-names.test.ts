import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  ['NaN = 1; NaN', 'NaN cannot be assigned'],
  ['let r; [undefined, r] = [1, 2]; r', 'undefined cannot be assigned'],
  ['for (Infinity of [1]) {}', 'Infinity cannot be assigned'],
  ['Math.PI = 3; Math.PI', 'Math.PI cannot be assigned'],
  ['Number.MAX_SAFE_INTEGER++', 'Number.MAX_SAFE_INTEGER cannot be assigned'],
  ['Object.keys(Math)', 'what is in Math cannot be listed'],
  ['Object.keys({}.constructor)', 'what is in a constructor cannot be listed'],
  ['const o = {}; Object.entries((o["constructor"]))', 'what is in a constructor cannot be listed'],
  ['for (const name in (Object)) name', 'what is in Object cannot be listed'],
  ['({ ...JSON })', 'what is in JSON cannot be listed'],
  ['for (const name in console) name', 'what is in console cannot be listed'],
  ['Object.keys(globalThis).length', 'what is in globalThis cannot be listed'],
  ['JSON.stringify(Math)', 'what is in Math cannot be listed'],
  ['class A { static m() { A = 1; } } A.m()', 'the class A cannot be assigned in its own body'],
  ['const B = class A { m() { [A] = [1]; } }; new B().m()', 'the class A cannot be assigned in its own body'],
  ['class A {} class B extends A { constructor() { this.x = 1; } } new B()', 'has to call super()'],
])('refuses %s', async (script, words) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    message: expect.stringContaining(words),
  });
});

it.each([
  `const { max, PI } = Math; const M = Math; [max(1, 2), PI === M.PI, typeof Math, Object.keys({ Math }).length]`,
  `const f = (NaN) => { NaN = 1; return NaN; }; f(0)`,
  `let Math = { PI: 1 }; Math.PI = 3; [Math.PI, Object.keys(Math)]`,
  `class A { static n = 0; m() { A.n++; const a = A; return a.n; } } let B = A; B = null; [new A().m(), B]`,
  `class A {} A = 5; A`,
  `class A { constructor(x) { this.x = x; } } class B extends A { constructor(x) { if (x) super(1); else super(2); } } [new B(1).x, new B(0).x]`,
])('leaves alone what JavaScript has as well: %s', (script) => expectAsInV8(script));
