import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  `'abc '.trimRight() + ' x'.trimLeft()`,
  `[1234.5, 'a', null].toLocaleString()`,
  `({ a: 1 }).propertyIsEnumerable('a')`,
  `({ link: 5, small: 6 }).link`,
  `new Date('2024-03-10').toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric' })`,
  `(1234.5).toLocaleString('de-DE', { minimumFractionDigits: 2 })`,
])('%s', (script) => expectAsInV8(script));

it.each([
  `'abc'.anchor === undefined`,
  `typeof Proxy`,
  `({ __proto__: { p: 1 } }).p`,
  `({}).__proto__`,
  `RegExp.$1`,
  `Object.getPrototypeOf({}) === undefined`,
  `function f(a) { a = 5; return arguments[0]; } f(1)`,
  `[...(function* () { const f = () => x; try { yield 1; } finally { yield 2; } const x = 1; })()]`,
])('%s is refused', async (script) => {
  await expect(run(script)).rejects.toHaveProperty('code');
});
