import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  `const m = new Map([['a', 1], ['b', 2]]); const [[first]] = m; first`,
  `const { length: n, ...r } = [1, 2]; r`,
  `(({ length, ...r }) => r)([1, 2])`,
  `const k = 'a'; const { [k]: v, ...w } = { a: 1, b: 2 }; [v, w]`,
  `const { a: { b: [c, d = 5] = [7] } = {}, ...e } = { z: 1 }; [c, d, e]`,
  `Object.entries({ a: 1, b: 2 }).map(([k, v]) => k + v)`,
  `let s = 0; for (const [k, [v]] of [[1, [2]], [3, [4]]]) s += k * v; s`,
  `(([a, b = 2] = [1]) => a + b)()`,
  `function f([a, b], { c, ...d }) { return [a, b, c, d]; } f([1, 2], { c: 3, d: 4 })`,
  `function swap(a, i, j) { [a[i], a[j]] = [a[j], a[i]]; return a; } swap([1, 2, 3], 0, 2)`,
  `const add = ([a, b]) => a + b; add(new Set([1, 2]))`,
  `let a, b; [a, b] = 'xy'; a + b`,
  `let r; try { const [a] = null; } catch (e) { r = e.name; } r`,
  `let r; try { (([a]) => a)(5); } catch (e) { r = e.name; } r`,
  `const { ...o } = 'ab'; o`,
  `const id = 2; const { [id]: removed, ...others } = { 1: 'a', 2: 'b', 3: 'c' }; [removed, others]`,
  `const { 0: x, [1]: y, [-1.5]: z, [null]: n, ...r } = { 0: 1, 1: 2, '-1.5': 3, null: 4, 5: 6 }; [x, y, z, n, r]`,
  ...[
    'const {} = null',
    'const {} = undefined',
    '(({}) => 1)()',
    '({} = null)',
    'for (const {} of [null]) {}',
    'const { a: {} } = {}',
    'const {} = 5',
    'let x; ({} = x = { a: 1 })',
  ].map((declaration) => `let r = 'nothing'; try { ${declaration}; } catch (e) { r = e.name; } r`),
  ...['a = 3', 'b++', '[a] = [4]', '({ a } = { a: 4 })', '(() => { b = 4; })()'].map(
    (change) => `let r; try { for (const [a, b] of [[1, 2]]) { ${change}; r = [a, b]; } } catch (e) { r = e.name; } r`,
  ),
  `let r; try { for (const [k, ...v] of new Map([[1, 2]])) { v = 9; r = v; } } catch (e) { r = e.name; } r`,
  `let r; try { for (const { a, ...b } of [{ a: 1 }]) { b = 9; r = b; } } catch (e) { r = e.name; } r`,
  `let r = []; for (let [a, b] of [[1, 2], [3, 4]]) { a += b; r.push(a); } r`,
  `const r = []; for (const [a] of [[1], [2]]) { const b = a; r.push(() => a + b); } r.map((f) => f())`,
  `let a; let r = 'none'; try { for ([a] of [null]) r = 'a list'; } catch (e) { r = e.name; } r`,
  `let a, b; const r = []; for ([a, b = 2] of new Map([[1, 3], [4]])) { if (a > 3) continue; r.push(a + b); } [a, r]`,
  `class P { x = 1; get y() { return 2; } m() { return 3; } } const { x, y, m } = new P(); [x, y, typeof m]`,
])('%s', (script) => expectAsInV8(script));

// Each left its variable undefined.
it.each([`let a; [[a]] = [null]; a`, `let a; ({ x: [a] } = { x: undefined }); a`])('%s is refused', async (script) => {
  await expect(run(script)).rejects.toHaveProperty('code', 'unsupported_syntax');
});
