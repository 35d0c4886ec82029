import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `const u = undefined; ['abc'.slice(-1, u), [1, 2].slice(1, u), 'ab'.padStart(4, u), [1, 2, 3].lastIndexOf(3, u)]`,
  `const u = undefined; ['abc'.substring(1, u), 'abc'.endsWith('c', u), 'abc'.lastIndexOf('c', NaN), 'a'.repeat(u)]`,
  `const u = undefined; [[1, 2, 3].fill(0, 1, u), 'a b'.split(' ', u), 'abc'.match(undefined)[0], Number()]`,
])('%s', (script) => expectAsInV8(script));
