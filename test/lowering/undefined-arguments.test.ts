import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `const u = undefined; ['abc'.slice(-1, u), [1, 2].slice(1, u), 'ab'.padStart(4, u), [1, 2, 3].lastIndexOf(3, u)]`,
  `const u = undefined; ['abc'.substring(1, u), 'abc'.endsWith('c', u), 'abc'.lastIndexOf('c', NaN), 'a'.repeat(u)]`,
  `const u = undefined; [[1, 2, 3].fill(0, 1, u), 'a b'.split(' ', u), 'abc'.match(undefined)[0], Number()]`,
  `const r = {}; ['abcdef'.substring(0, r.length), 'abcdef'.slice(1, r.size), [1, 2, 3].slice(0, r.length), 'abc'.endsWith('c', r.length), [0, 0].fill(1, 0, r.size), 'abc'.lastIndexOf('c', r.length)]`,
  `const n = ('x'.match(/y/) ?? {}).length; ['abcdef'.substring(0, n), [1, 2, 3].slice(0, n), [0, 0].fill(1, 0, n ? 1 : n), 'an undefined'.includes(n)]`,
  `const r = {}; let rest = 'ab\ncd'.repeat(300); const out = []; for (let i = 0; i < 3; i++) { out.push(rest[0]); rest = rest.slice(r.length); } out`,
  `const o = { toString() { return 'x'; } }; ['abc'.endsWith(o, undefined), 'ax'.endsWith(o, undefined), 'ax'.lastIndexOf(o, undefined), 'axb'.split(o, undefined)]`,
  `['a.c'.search('.c'), 'x1y22'.match('\\\\d+')[0], 'abc'.match(['[b]'])[0]]`,
  `['abc'.charAt(-1), 'abc'.charAt(1.9), 'abc'.charAt(NaN), 'abc'.charAt('1')]`,
  `const o = { sort() { return arguments.length; }, toSorted(...all) { return all; } }; const u = undefined; [o.sort(u), o.sort(), o.toSorted(u), o.toSorted(), [2, 1].sort(u)]`,
  `class Box { sort(...all) { return all.length; } } const by = (a, b) => a - b; [new Box().sort(undefined), new Box().sort(by), new Box().sort(), [10, 9].sort(by)]`,
  `['x'.constructor(), (2.5).constructor(), 'x'.constructor(5), (2).constructor('7'), [1].constructor(3).length, true.constructor()]`,
  `const o = { constructor() { return 'own'; } }; [o.constructor(), 'x'.constructor()]`,
  `class A {} ['x'.constructor(), (5).constructor(), new A().constructor === A]`,
  ...['charAt', 'slice', 'substring', 'endsWith', 'fill', 'match', 'search'].map(
    (name) =>
      `const o = { ${name}(...all) { return all; } }; const n = null; [o?.${name}(), o?.${name}(1, undefined), o?.${name}('a', 'b', undefined), n?.${name}(1), 'abc'?.at(-1)]`,
  ),
  `const o = { charAt: (at) => at, match: (what) => what }; const s = 'a.c'; [o?.charAt(null), s?.charAt(-1), s?.match('.c')[0], s?.slice(1)?.charAt(0), o?.match(undefined)]`,
])('%s', (script) => expectAsInV8(script));
