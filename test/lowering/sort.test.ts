import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `[3,1,2].sort()`,
  `[10,9,1].sort()`,
  `['b',undefined,'a',,'c'].sort()`,
  `[3,1,2].sort((a,b)=>a-b)`,
  `[3,1,2].toSorted((a,b)=>b-a)`,
  `[{n:1},{n:3},{n:2}].sort((a,b)=>b.n-a.n)`,
  `[{n:'b'},{n:'a'}].sort((a,b)=>a.n.localeCompare(b.n))`,
  `Array.from({length:500},(_,i)=>(i*7919)%503).sort((a,b)=>a-b)`,
  `Array.from({length:500},(_,i)=>({n:(i*7919)%503})).sort((a,b)=>b.n-a.n)`,
  `Array.from({length:500},(_,i)=>({n:(i*7919)%50,i})).sort((a,b)=>a.n-b.n).map(x=>x.i)`,
  `Array.from({length:500},(_,i)=>String((i*7919)%503)).sort()`,
  `Array.from({length:500},(_,i)=>(i*7919)%503).sort()`,
  `Array.from({length:500},(_,i)=>'k'+(i*7919)%503).sort((a,b)=>a.localeCompare(b))`,
  `Array.from({length:500},(_,i)=>(i*7919)%503).sort((a,b)=>(a%7)-(b%7)||a-b)`,
  `[3,1,2].sort().map(x=>x*2).sort((a,b)=>b-a)[0]`,
  `[[2,'b'],[1,'a']].sort(([a],[b])=>a-b)`,
  `[true,false].sort((a,b)=>a-b)`,
  `[3,1,2].sort((a,b)=>a<b)`,
  `[12, 79814, 2, NaN, 1.5, 5].sort((a, b) => a - b)`,
  `const seen = []; [3, 1, 2, 5, 4].sort((a, b) => { seen.push([a, b]); return a - b; }); seen`,
])('%s', (script) => expectAsInV8(script));
