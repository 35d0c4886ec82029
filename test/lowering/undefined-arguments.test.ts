import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `const u = undefined; ['abc'.slice(-1, u), [1, 2].slice(1, u), 'ab'.padStart(4, u), [1, 2, 3].lastIndexOf(3, u)]`,
  `const u = undefined; ['abc'.substring(1, u), 'abc'.endsWith('c', u), 'abc'.lastIndexOf('c', NaN), 'a'.repeat(u)]`,
  `const u = undefined; [[1, 2, 3].fill(0, 1, u), 'a b'.split(' ', u), 'abc'.match(undefined)[0], Number()]`,
  `['a.c'.search('.c'), 'x1y22'.match('\\\\d+')[0], 'abc'.match(['[b]'])[0]]`,
  `['abc'.charAt(-1), 'abc'.charAt(1.9), 'abc'.charAt(NaN), 'abc'.charAt('1')]`,
])('%s', (script) => expectAsInV8(script));
