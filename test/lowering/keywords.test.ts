import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

/** No space stands between a keyword and what is written in another way. */
it.each([
  `typeof(3.14159).toFixed(2)`,
  `((n) => { return(n).toFixed(2); })(3.14159)`,
  `(() => { return[...['b', 'a']].sort(); })()`,
  `((text) => { return/a(?=b)/.test(text); })('ab')`,
  `((one, other) => { return(one)-(other); })(new Date(5), new Date(3))`,
  `((text) => { switch (text) { case(' a').trim(): return 1; default: return 2; } })('a')`,
  `[...(function* () { yield(1).toFixed(1); })()]`,
  `[void[1].map((n) => n), 'a'in{ a: [2, 1].sort() }]`,
  `let r = 0; for (const c of[2, 10].sort()) r = c; r`,
  `const[one, other] = [3, 1].sort(); one - other`,
  `let r = 0; if (r) r = 1; else[3].map((n) => { r = n; }); r`,
  `const o = { if: (n) => n, for: 6, while: () => 8, with: () => [4] }; [o.if(6) / 2, o.for / 2, o.with(1)[0] / 2 / 2, o.while() / o.if(2) / 2, 6 / o.if(2)]`,
])('%s', (script) => expectAsInV8(script));
