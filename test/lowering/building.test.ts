import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `let out = ''; for (let i = 0; i < 5; i++) out += i + ';'; out`,
  `let out = ''; for (const x of [1, 'a', null, [1, 2], { name: 'q' }]) { out += x; if (out.length > 3) out += '!'; } out`,
  `let out = 'x'; [1, 2].forEach((n) => { out += n; }); out + out.length`,
  `let out = ''; for (const n of [1, 2]) { out += n; }`,
  `let out = ''; function f() { out += 'f'; return 'r'; } for (let i = 0; i < 2; i++) out += f(); out`,
  `let s = ''; const all = []; for (const c of 'a,b,c') { if (c === ',') { all.push(s); s = ''; } else s += c; } all.push(s); all`,
  `let s = 'ab'; while (s.length < 10) { s += s; } s`,
  `let s = ''; for (let i = 0; i < 3; i++) { s += i; s = s.trim(); } ({ s, t: s })`,
  `let s = ''; for (let i = 0; i < 3; i++) { s += i; } const o = { s: s, [s]: 1 }; o`,
  `let s = ''; for (let i = 0; i < 3; i++) { s = s + i; } s`,
  `let s = ''; for (let i = 0; i < 3; i++) { const t = (s += i); s += t.length; } s`,
  `let s = ''; const f = (s) => { s += 1; return s; }; for (let i = 0; i < 3; i++) s += f(i); s`,
])('%s', (script) => expectAsInV8(script));
