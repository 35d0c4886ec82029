import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  `let n = 0; const none = null; none?.[n++]; none?.f(n++); none?.a[n++]; none?.a.f(n++); none?.a?.b(n++); n`,
  `const groups = { a: [] }; let n = 0; groups.a?.push(++n); groups.b?.push(++n); groups['b']?.at(++n)?.slice(++n); [n, groups]`,
  `const user = undefined; [1, 2]?.includes(user?.id) + String(user?.tags.includes(user.name.first))`,
  `let n = 0; let call; const same = (x) => x; [call?.(n++), same?.(n++), same?.(n++)?.toFixed?.(n++), (() => null)()?.(n++), n]`,
  `const o = { f(x) { return [this.v, x]; }, v: 7 }; let n = 0; [o.f?.(n++), o['f']?.(n++), o.g?.(n++), o?.f?.(n++), o?.['g']?.(n++), n]`,
  `const o = { a: { f(x) { return this.v + x; }, v: 7 } }; let n = 0; const k = () => (n++, 'f'); [o.a[k()]?.(n++), o.a?.[k()]?.(n), o.b?.[k()]?.(n++), n]`,
  `const o = { get f() { n++; return (x) => x; } }; let n = 0; [o.f?.(n), o.f?.(n++), o?.f?.(n * 10), n]`,
  `class A { v = 3; f(x) { return this.v + x; } get g() { return (y) => y + this.v; } } const a = new A(); let n = 0; [a.f?.(n++), a.zz?.(n++), a?.f(n++), a.g?.(n++), a?.g?.(n++), n]`,
  `const o = { f: (...all) => all.length }; let n = 0; [o.f?.(...[n++, n++]), o.g?.(...[n++]), o?.f(...[1], n++), n]`,
  `let none; const o = { g: (x) => x }; [o.g?.(\`\${none?.x}\`), none?.g(\`\${none.x}\`), none?.g({ a: none.a }), none?.[[none.a]]]`,
])('evaluates what is behind ?. only where there is something before it: %s', (script) => expectAsInV8(script));

it('awaits an argument only of a call that is made', async () => {
  const { value } = await run(
    `const log = []; const f = async () => (log.push('f'), 5); let none; const o = { g: (x) => x };
return [none?.g(await f()), o?.g(await f()), o.h?.(await f()), log.length];`,
  );
  expect(value).toEqual([undefined, 5, undefined, 1]);
});

it.each([
  [`class A { #f = (x) => x; t() { return this.#f?.([1].length); } } new A().t()`, 'a private name'],
  [`let n = 0; const o = {}; delete o?.[n++]`, 'delete with ?.'],
])('refuses what it cannot take apart: %s', async (script, words) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    message: expect.stringContaining(words),
  });
});

it.each([
  `function f(a, b = a.x++) { return [b, a.x]; } f({ x: 1 })`,
  `const f = (o, b = o?.list.map((x) => x * 2)[0], c = b + 1) => [b, c]; [f({ list: [1] }), f({ list: [2] }, undefined, 7)]`,
  `const f = ({ a, b = a?.list.at(0) }, [c, d = c?.at(-1)] = [[3]]) => [b, d]; f({ a: { list: [1] } })`,
  `class A { constructor(q, z = q?.list.at(0)) { this.z = z; } m(o, b = o?.[this.z]) { return b; } } [new A({ list: [3] }).z, new A({ list: ['k'] }).m({ k: 4 })]`,
  `function* g(o, b = o?.list.at(0)) { yield b; } [...g({ list: [5] })]`,
  `function f(o, b = o?.list.at(0), ...r) { return [b, r, arguments.length]; } f({ list: [5] }, undefined, 7)`,
  `const f = (n, b = n > 0 ? f(n - 1) + n++ : 0) => b; f(4)`,
  `const o = { v: 2, m(k, b = this[k()]) { return b; } }; o.m(() => 'v')`,
  `const o = { x: 1 }; const f = (a, b = (o.x &&= a), c = (o['y'] ??= [b]), { d = (o.z ||= 5) } = {}) => [b, c, d]; [f(3), { ...o, y: null }]`,
])('has variables for the default of a parameter: %s', (script) => expectAsInV8(script));

it.each([
  ['o?.a.b', 'o?.a[0]', 'o?.a.b.c', 'o?.a?.b.c', 'o?.n.length', 'o?.f().b', 'o.f?.().b', 'o["f"]?.()[0]', 'o?.n.b()'],
  ['[1]?.find((x) => x > 5).name', `'abc'?.match(/x/).index`, `'abc'?.match(/x/)[0]`, `new Map()?.get('x').length`],
  ['o ?. n /* ?. */ . b', 'o // ?.\n ?.n\n.b', '`${o?.n.b}`'],
])('does not leave out what stands behind a member that is missing: %s', async (...chains) => {
  for (const chain of chains)
    await expectAsInV8(
      `const o = { n: null, f: () => null }; let r; try { r = ${chain}; } catch (error) { r = error.name; } r`,
    );
});

it('writes the chain without its ?.', () =>
  expectAsInV8(`const o = { a: { b: [1], f(x) { return this.b[0] + x; } } }; [o ?. a /* ?. */ . b ?. [0], o?.a/* x */?.b.length, o // c ?.
 ?.a?.['b']?.at(0), o?.["a"].b.map((x) => x + 1), o?.a.f(2), o?.a?.f?.(3), o?.a['f'](4), o.a?.f(5).toFixed(1), 5?.toFixed(1).length]`));

it('refuses to ask for a method that only the engine lacks', async () => {
  await expect(run(`'abc'.substr?.(1)`)).rejects.toMatchObject({ code: 'unsupported_syntax' });
  await expect(run(`typeof 'abc'.substr`)).rejects.toMatchObject({ code: 'script_error' });
  expect((await run(`const o = { substr: (n) => n + 1 }; o.substr?.(1)`)).value).toBe(2);
});
