import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `const c = structuredClone({a:[1,{b:2}]}); c.a[1].b`,
  `structuredClone(new Map([[1,{a:2}]])).get(1).a`,
  `btoa('hello')`,
  `atob('aGVsbG8=')`,
  `atob(btoa('abc')) `,
  `Object.freeze({a:1})`,
  `Object.isFrozen(Object.freeze([1]))`,
  `const o = Object.create(null); o.x = 1; o.x`,
  `Object.getOwnPropertyNames([1,2])`,
  `Reflect.ownKeys({b:1,a:2})`,
  `typeof performance.now()`,
  `const w = new WeakMap(); const k={}; w.set(k,1); w.get(k)`,
  `const o = {}; Object.defineProperty(o,'x',{value:3,enumerable:true}); o`,
])('%s', (script) => expectAsInV8(script));
