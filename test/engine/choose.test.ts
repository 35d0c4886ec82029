import { expect, it } from 'vitest';
import { chooseEngine } from '../../packages/sandbox-daemon/src/engine/choose.ts';
import { openChoosing } from '../../fuzz/language/choosing.mjs';
import { programOf } from './support.ts';

it.each([
  '1 + 1',
  'const u = await get({ id: 5 }); const o = await orders(u.id); ({ name: u.name, orders: o })',
  'const { rows } = query("select 1", { t: "a.csv" }); rows[0]',
  'const hits = search("log", "error"); ({ count: hits.length, first: hits[0] })',
  'console.log("x"); const [a, b] = list_files("."); `${a} and ${b}`',
  'if (await ok()) return "yes"; return "no"',
  'return file_stats("a").size / 1024',
  'const out = {}; out.a = await f(1); out',
  'JSON.stringify(f(limits), null, 2)',
  'const r: Row = await f({ a: 1 }); return { id: r.id, total: r?.sum?.total ?? 0 };',
])('MustardScript: %s', (source) => {
  expect(chooseEngine(programOf(source))).toBe('mustardscript');
});

it.each([
  'for (const a of b) a',
  '[1].map((a) => a)',
  'lines("a")',
  'search("log", /error/)',
  'search("log", "error").truncated',
  'f(1).length',
  'f(1)[0]',
  'f(1) + 1',
  '`${f(1)}`',
  '`${1}${2}`',
  'const a = f(1); [a, a]',
  'const a = f(1); [a, a.b]',
  'const l = search("a", "b"); [l[0], l.slice(0, 2)]',
  'const p = f(1); await p',
  'const [a, b] = await Promise.all([f(1), f(2)]); a',
  'x?.a.b',
  'new Date()',
  'f(1).toString',
  '10 ** -5',
  'Math.round(-2.5)',
  '"\\ud83d"',
  'const search = 1; search',
  'f(Math)',
])('QuickJS: %s', (source) => {
  expect(chooseEngine(programOf(source))).toBe('quickjs');
});

it('what it gives to MustardScript means there what it means in V8', async () => {
  const { laws, close, programs } = openChoosing({});
  const [law] = Object.values(laws) as [(typeof laws)[string]];
  const { failures } = await law({ seed: 7, numRuns: 3_000 });
  await close();
  expect(failures.map(({ error }) => error)).toEqual([]);
  expect(programs().chosen).toBeGreaterThan(300);
}, 120_000);
