import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

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
  [
    'a call whose promise is kept',
    `const out = []; const f = async () => { out.push([6] * 2); }; const p = f(); await 1; out`,
  ],
  ['a method', `const out = []; const o = { async f() { out.push([6] * 2); } }; const all = [o.f()]; await 1; out`],
  ['a callback of forEach', `const out = []; [1].forEach(async () => { out.push([6] * 2); }); await 1; out`],
  [
    'a callback of then',
    `const out = []; const p = Promise.resolve(1).then(() => { out.push([6] * 2); }); await 1; out`,
  ],
  ['what makes a promise', `const out = []; const p = new Promise(() => { out.push([6] * 2); }); await 1; out`],
  ['no await at all', `const f = async () => /(?=a)/.test('a'); f(); await 1`],
])('the script cannot go on after what the language lacks: %s', async (_, script) => {
  await expect(run(script)).rejects.toMatchObject({ code: 'script_error' });
});

it.each([
  ['async function load() { await null; throw new RangeError("no rows"); }\nload();\nawait 1; await 1; 5', 2],
  ['const load = async () => { throw new RangeError("no rows"); };\n\n(load)();\n5', 3],
  [
    'let n = 0;\n[1, 2].forEach(async (row) => { await row; throw new RangeError("no rows"); });\nawait 1; await 1; n',
    2,
  ],
  ['let n = 0;\nPromise.resolve(1).then(() => { throw new RangeError("no rows"); });\nawait 1; await 1; n', 2],
])('an error that nothing can handle ends the run, as in Node: %s', async (script, line) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'script_error',
    message: expect.stringMatching(/^RangeError: no rows \(line \d+:\d+\), in a call that nobody awaits/) as string,
    details: { name: 'RangeError', location: { line } },
  });
});

it.each([
  ['async function main() { await null; throw new RangeError("own"); }\nmain();', /^RangeError: own \(line 1:37\)$/],
  ['const f = async () => { throw 5; };\nf();\n1', /^Error: 5 \(line 2:1\), in/],
  ['const f = async () => { throw {}; };\nf();\n1', /^Error: an object that is no Error \(line 2:1\), in/],
])('says where, and what was thrown: %s', async (script, message) => {
  await expect(run(script)).rejects.toThrow(message);
});

it('a promise that is handled later does not end the run', async () => {
  const script = `const out = [];
const fail = async (name) => { throw new Error(name); };
const kept = fail('kept');
fail('caught').catch((error) => out.push(error.message));
fail('both').then(() => 1, (error) => out.push(error.message));
await null;
try { await kept; } catch (error) { out.push(error.message); }
(await Promise.allSettled([fail('settled')])).forEach(({ reason }) => out.push(reason.message));
out`;
  expect((await run(script)).value).toEqual(['caught', 'both', 'kept', 'settled']);
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

it.each(['length(a) { return [a]; }', 'name = 5', 'name() { return 5; }', "toString() { return 'box'; }"])(
  'a class is a function: static %s',
  async (member) => {
    const script = `const names = []; try { names.push(class { static ${member} }); } catch (e) { names.push(e.name); } names.length`;
    await expect(run(script)).rejects.toMatchObject({ code: 'unsupported_syntax' });
  },
);

it('other static members are as in JavaScript', () =>
  expectAsInV8(
    'class Box { static get name() { return 5; } static call(n) { return n; } static #length(n) { return n + 1; } static of(n) { return Box.#length(n); } } [Box.name, Box.call(3), Box.of(4)]',
  ));
