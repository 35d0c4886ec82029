import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  'var a = 1; a',
  'var a = 1, b, [c, d = 4] = [3]; [a, c, d, b === undefined]',
  'function f(a) { if (a) { var b = 2; } return b; } f(1)',
  'function f(a) { var a; return a; } f(7)',
  'function f() { return typeof late; var late = 1; } f()',
  'typeof later; var later = 1; typeof later',
  'const all = []; for (var i = 0; i < 3; i++) all.push(() => i); [i, ...all.map((f) => f())]',
  'for (var key in { a: 1, b: 2 }) { } key',
  'for (var [k, v] of [[1, 2]]) { } [k, v]',
  'for (var i = 0, j = 5; i < j; i++, j--) ; [i, j]',
  'var a = 1; var a = 2; a',
  'if (true) var alone = 4; alone',
  'switch (1) { case 1: var inCase = 3 } inCase',
  'var f = function () { return g(); }; function g() { return 5; } f()',
  '5; var x = 6',
  'const o = {}; var { x, ...rest } = { x: 1, y: 2 }; [x, rest]',
])('%s', (script) => expectAsInV8(script));

it('a script whose last statement is a var has no value', async () => {
  expect((await run('var a = 5')).value).toBeUndefined();
});
