import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  "['abc'.charAt(-1), 'abc'.charAt(1), 'abc'.charAt(9), 'abc'.charAt(), 'abc'.charAt('x')]",
  "['a,b'.split(',', -1), 'a,b'.split(',', 1), 'a,b'.split(',', undefined), 'a,b'.split(',')]",
  "'a.b.c'.replace('.', '[$&]')",
  "'a.b.c'.replaceAll('.', '$&$&')",
  "'a.b'.replace('.', \"$`|$'|$$|$1|$\")",
  "'aXa'.replaceAll('a', '$$')",
  "'ab'.replaceAll('', '-$&')",
  "'ab'.replace('c', '$&')",
  "'a1'.replace(/(\\d)/, '<$1>')",
  "'\\ufeff x \\ufeff'.trim() + '|'",
  "['\\ufeff\\n\\ufeffx'.trimStart(), 'x\\ufeff'.trimEnd(), ' a '.trim()]",
  "['abcdef'.substr(1, 2), 'abcdef'.substr(-2), 'abcdef'.substr(-9, 2), 'abcdef'.substr(2, -1), 'abcdef'.substr(7)]",
  '[0.5, 1.5, 2.5, -0.5, -2.5, 0, 12.25].map((n) => n.toFixed(0))',
  '[1.25, 1.35, 1.005, 0.125, 1e21, NaN].map((n) => n.toFixed(2))',
  '(1.25).toFixed(1)',
  "({ split: (a, b) => [a, b], trim: () => 't' }).split('x', 'y')",
  `var n = 1e20; [() => 'ab'.repeat(n), () => 'ab'.padStart(n), () => 'ab'.padEnd(n, 'c'), () => 'ab'.padEnd(n, ''), () => ''.repeat(n), () => ''.repeat(Infinity), () => 'a'.repeat(-1)].map((f) => { try { return f(); } catch (e) { return e.name; } })`,
  `['ab'.repeat(NaN), 'ab'.repeat(), 'ab'.repeat('2'), 'ab'.padStart(5, undefined), 'ab'.padStart('7', 12), 'ab'.padStart(), 'a'.padStart(3, null)]`,
  `const limit = -1; ['a,b'.split(',', limit), 'a1b'.split(/(?=1)/, limit)]`,
])('%s', (script) => expectAsInV8(script));

it('what has no such method says so', async () => {
  await expect(run('(5).charAt(0 - 1)')).rejects.toMatchObject({ code: 'script_error' });
});
