import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  `var size = 1; this.size`,
  `function size() {} typeof this.size`,
  `var size = 1; const name = 'size'; this[name]`,
  `var size = 1; const read = () => this.size; read()`,
  `var at = 0; function next(n) { this.at++; return n; } Array.from([1, 2], next, this)`,
  `var toString = () => 'mine'; String(this)`,
  `for (var i = 0; i < 2; i++); const all = this; all.i`,
])('refuses %s', async (script) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    message: expect.stringContaining('is no member of this here'),
  });
});

it.each([
  `var size = 1; [this.limit ?? 10, typeof this]`,
  `let size = 1; this.size`,
  `var size = 1; class A { own = this; size = 2; m() { return this.size; } } const a = new A(); [a.m(), a.own === a]`,
  `var size = 1; const o = { size: 2, m() { return this.size; } }; o.m()`,
  `var o = { b: 5 }; (function () { return 4; }).call(this)`,
  `function double(n) { return n * 2; } [1, 2].map(double, this)`,
])('leaves alone %s', (script) => expectAsInV8(script));
