import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

// In the engine an iterator that has ended goes on when its list grows.
it.each([
  `const list = [1]; const it = list.values(); it.next(); const end = it.next(); list.push(2); [end, it.next(), it.next()]`,
  `const list = []; const it = list.entries(); list.push('a'); const found = [it.next(), it.next()]; list.push('b'); [found, it.next()]`,
  `const map = new Map([[1, 1]]); const it = map.keys(); it.next(); it.next(); map.set(2, 2); it.next()`,
  `const list = [1]; const it = list[Symbol.iterator](); it.next(); it.next(); list.push(2); it.next()`,
  `let it = [1].keys(); const found = [it?.next().value]; it = null; [...found, it?.next()]`,
  `let name; const list = [1].keys(); const it = undefined; try { it.next(); } catch (error) { name = error.name; } name`,
  `const o = { n: 0, next() { return this.n++; } }; const list = [5].values(); [o.next(), o.next(), list.next().value]`,
  `function* two() { yield 1; yield 2; } const it = two(); const list = [5].values(); [it.next(), list.next(), it.next(), it.next(), list.next(), list.next()]`,
  `class Count { n = 0; next() { return { value: this.n++, done: false }; } } const it = new Count(); [it.next(), [7].values().next(), it.next()]`,
])('%s', (script) => expectAsInV8(script));

// Where a callback may call a function of the host (`parseInt` asks V8), `Array.from` made a list of the values first.
it.each([
  `const map = new Map([[1, 2]]); Array.from(map.keys(), (x, i) => { if (map.size < 4) map.set(i + 10, 1); return parseInt(x); })`,
  `const set = new Set([1, 2]); Array.from(set, (x, i) => { if (i === 0) set.delete(2); return parseInt(x); })`,
  `Array.from({ length: 2, 0: 5, next: () => 1 }, (x, i) => x ?? parseInt(i))`,
  `Array.from('ab', function (c) { return c + this.end + parseInt('1'); }, { end: '!' })`,
])('%s', (script) => expectAsInV8(script));
