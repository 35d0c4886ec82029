import { describe, it } from 'vitest';
import { expectAsInV8 } from './support.ts';

describe('a Map that gets a key after it lost one has it at its end', () => {
  it.each([
    `const m = new Map([['a', 1], ['b', 2]]); m.delete('a'); m.set('a', 1); m.delete('b'); m.set('c', 3); [...m]`,
    `class Cache { constructor(n) { this.n = n; this.map = new Map(); } get(k) { const v = this.map.get(k); this.map.delete(k); this.map.set(k, v); return v; } set(k, v) { if (this.map.size >= this.n) this.map.delete(this.map.keys().next().value); this.map.set(k, v); return this; } } const c = new Cache(2); c.set('a', 1).set('b', 2); c.get('a'); c.set('c', 3); [...c.map.keys()]`,
    `const m = new Map(); const seen = []; for (let i = 0; i < 40; i++) { m.set(i, i); if (m.size > 3) m.delete(m.keys().next().value); seen.push([...m.keys()].join('.')); } seen`,
    `const m = new Map([[4, 0]]); const seen = []; for (const [k] of m) { seen.push(k); if (k % 3 === 0) m.delete(k); if (k < 60) m.set(k + 5, 1); } [seen, [...m.keys()]]`,
    `const m = new Map([[1, 'a'], [2, 'b']]); const seen = []; for (const k of m.keys()) { seen.push(k); m.delete(k); if (k < 9) m.set(k + 2, 'c'); } [seen, m.size]`,
    `const m = new Map([[1, 'a'], [2, 'b']]); const seen = []; m.forEach((v, k) => { seen.push(k); m.delete(k); if (k < 9) m.set(k + 2, v + k); }); [seen, m.size]`,
    `const m = new Map([[NaN, 1], [-0, 2], ['x', 3]]); m.delete(NaN); m.delete(0); m.set(NaN, 4); m.set(0, 5); [...m]`,
    `const m = new Map([[1, 1], [2, 2], [3, 3]]); m.clear(); m.set(9, 9); m.delete(9); m.set(8, 8); m?.set(7, 7); [m.delete(5), m.delete(8), m.set(1).size, [...m]]`,
    `const s = new Set([1, 2, 3]); const own = { set(k, v) { return k + v; }, delete: (k) => k, clear() { return 'c'; } }; const m = new Map(); [own.set(1, 2), own.delete(4), own.clear(), s.delete(1), s.clear(), m.size]`,
  ])('%s', (script) => expectAsInV8(script));

  it.each(Array.from({ length: 40 }, (_, at) => [at, randomScript(at + 1)] as const))(
    'after any calls (%i)',
    (_, script) => expectAsInV8(script),
  );
});

function randomScript(seed: number): string {
  let state = seed * 7919;
  const below = (n: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) % n;
  };
  const keys = 2 + below(20);
  const step = (): string => {
    const key = below(keys);
    const which = below(20);
    if (which < 10) return `m.set(${key}, ${which});`;
    if (which < 16) return `m.delete(${key});`;
    if (which < 18) return 'm.delete(m.keys().next().value);';
    return 'm.clear();'.slice(0, which === 18 ? 0 : undefined);
  };
  const steps = (n: number): string => Array.from({ length: n }, step).join(' ');
  const loop = `for (const [k] of ${seed % 2 === 0 ? 'm' : 'm.entries()'}) { seen.push(k); ${steps(3)} if (k % 3 === 0) m.delete(k); if (seen.length < 90 && k < 60) m.set(k + ${below(keys)}, 1); if (seen.length > 120) break; }`;
  return `const m = new Map(); const seen = []; ${steps(8)} ${loop} ${steps(30)} ${loop} ${steps(5)} [[...m], seen]`;
}
