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
  ['const { PI, ...others } = Math; Object.keys(others).length', 'what is in Math cannot be listed'],
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

// By another name: that is seen when it is done, and no `catch` of the script goes on.
it.each([
  `const o = JSON; let count = 0; for (const name in o) count++; count`,
  `const m = Math; let count = 0; try { count = Object.keys(m).length; } catch {} count`,
  `const list = (object) => Object.entries(object).length; list(Math)`,
  `const rest = ({ PI, ...others }) => Object.keys(others).length; rest(Math)`,
  `const o = { inner: Math }; JSON.stringify(o.inner)`,
  `const find = () => JSON; Object.getOwnPropertyNames(find())`,
])('refuses %s', async (script) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'script_error',
    message: expect.stringContaining('an object of the library cannot be listed'),
  });
});

it.each([
  `const m = Math; const o = { a: 1 }; [m.max(1, 2), Object.keys(o), Object.hasOwn(m, 'PI'), JSON.stringify([o])]`,
  `const g = globalThis; const { a, ...others } = { a: 1, b: 2 }; [others, g.limit ?? 10]`,
  `const call = (library, name, ...args) => library[name](...args); let out = ''; for (const k in { x: 1 }) out += k; [call(Math, 'min', 3, 4), call(JSON, 'stringify', { out })]`,
])('leaves alone %s', (script) => expectAsInV8(script));
