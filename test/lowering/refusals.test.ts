import { expect, it } from 'vitest';
import { run } from './support.ts';

it.each([
  ['catch', `let r = 1; try { ({}) * 2; } catch { r = 2; } r`],
  ['catch and finally', `(() => { try { Symbol.iterator; } catch { return 1; } finally { } })()`],
  ['a return in finally', `(() => { try { [1].keys().next.call(''.anchor); } finally { return 1; } })()`],
  ['catch of a promise', `await (async () => ({}) * 2)().catch(() => 5)`],
  ['the second callback of then', `await (async () => ({}) * 2)().then(() => 1, () => 2)`],
  ['allSettled', `await Promise.allSettled([(async () => ({}) * 2)()])`],
  ['any', `await Promise.any([(async () => ({}) * 2)(), 1])`],
  [
    'options for the text of -0 beside a promise',
    `await (async () => (1 - 1) * -1)().then((n) => n.toLocaleString('en-US', { minimumIntegerDigits: 2 }))`,
  ],
  ['a call that nobody waits for', `const out = []; (async () => { out.push(({}) * 2); })(); await 1; out`],
  [
    'a call of a name that nobody waits for',
    `const out = []; const f = async () => { await 1; out.push([6] * 2); }; f(); await 1; await 1; await 1; await 1; out`,
  ],
  ['no await at all', `const f = async () => /(?=a)/.test('a'); f(); await 1`],
])('the script cannot go on after what the language lacks: %s', async (_, script) => {
  await expect(run(script)).rejects.toMatchObject({ code: 'script_error' });
});

it('what is an error in JavaScript too can be caught', async () => {
  const script = `const names = [];
for (const f of [() => null.x, () => missing, () => 5(), () => new Map(5), () => JSON.parse('{'), () => [].reduce((a) => a)]) {
  try { f(); } catch (e) { names.push(e.name); }
}
names`;
  const { value } = await run(script);
  expect(value).toEqual(['TypeError', 'ReferenceError', 'TypeError', 'TypeError', 'SyntaxError', 'TypeError']);
});

it.each([
  'class A { set x(v) { this.y = v; } } const a = new A(); [a.x] = [3]; a.y',
  'class A { set x(v) { this.y = v; } } const a = new A(); ({ b: a.x = 4 } = {}); a.y',
  'const a = { set x(v) { this.y = v; } }; for (a.x of [1, 2]) a.y; a.y',
  'class A { static x = 1; static y = 2; } [A.x, A.y] = [A.y, A.x]; A.x',
])('a member of a class is no target of a pattern or a loop: %s', async (script) => {
  const message = expect.stringContaining('x as a target of a pattern or a loop is not supported') as string;
  await expect(run(script)).rejects.toMatchObject({ code: 'unsupported_syntax', message });
});
