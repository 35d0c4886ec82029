import { describe, expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

/** What the engine makes another text of than JavaScript. */
const values = `[{ name: 'a' }, [{ name: 'a' }], { message: 'm' }, [[1, { name: 'b' }]], { toString() { return 'T'; } }, [{ toString() { return 'T'; } }], new Error('e'), [], {}, null, undefined, 'a', 5]`;

describe('an object where a text is wanted', () => {
  it.each([
    'encodeURIComponent(v)',
    'encodeURI(v)',
    'decodeURIComponent(v)',
    'decodeURI(v)',
    '[v].map(encodeURIComponent)',
    'new Error(v).message',
    'TypeError(v).message',
    `'a,bobject'.includes(v)`,
    `'a,bobject'.indexOf(v, 0)`,
    `'a,bobject'.lastIndexOf(v)`,
    `'a,bobject'.startsWith(v)`,
    `'a,bobject'.endsWith(v, 4)`,
    `'a,bobject'.split(v)`,
    `['b', 'a,bobject'][1].split(v).length`,
    `('b').localeCompare(v)`,
    `[3, 1, 2].join(v)`,
    `v?.toString()`,
  ])('%s', (expression) => expectAsInV8(`${values}.map((v) => ${expression})`));

  it.each([
    `const row = { name: 'a' }; const o = { list: [row], text: 'a' }; [o.list.includes(row), o.list.indexOf(row), o.text.includes(row), o?.text.indexOf(row), [row, 1].lastIndexOf(row), [[row]][0].includes(row)]`,
    `const row = { name: 'a' }; const none = undefined; [none?.list.includes(row), none?.includes(row), row.list?.indexOf(row)]`,
    `const own = { includes: (v) => [v] }; const row = { name: 'a' }; own.includes(row)`,
    `let n = 0; const next = () => { n++; return 'a' + n; }; const row = { name: 'a' }; [next().includes(row), next().indexOf(row), n]`,
    `const at = /x/; 'abc'.includes(at)`,
    `'abc'.startsWith(/a/)`,
    `'abc'.endsWith(/(?<=b)c/)`,
    `[/x/].includes(/x/)`,
    `const at = /[,;]/; 'a,b'.split(at)`,
  ])('%s', (script) => expectAsInV8(script));
});

describe('found where every method met every kind of argument', () => {
  it.each([
    `['0x1f', '-0x10', '0x', ' 0XfF', '1f', '\\ufeff9', '\\n\\ufeff 7'].map((t) => [parseInt(t), parseInt(t, 10), parseInt(t, 16), parseFloat(t)])`,
    `['b', ''].map((t) => [undefined, NaN, 'x', '1', '-1', 0, 1].map((at) => 'abab'.lastIndexOf(t, at)))`,
    `[2.5, -2.5, -0.5, 1.5].map((n) => [n.toFixed(NaN), n.toFixed('x'), n.toFixed(undefined)])`,
    `['Tue, 01 Jan 0099 03:04:05 GMT', '0099-01-01T03:04:05Z', new Date('0049-01-01T03:04:05').toUTCString(), 'Tue, 02 Jan 2024 03:04:05 GMT', '-000001-01-01T00:00:00Z'].map((t) => [Date.parse(t), new Date(t).getTime()])`,
    `['', 'a', 'ab', 'a b', '  a', ',a,'].map((t) => [t.replace(/\\b/g, '|'), t.replaceAll(/\\b/g, (m, at) => at), [...t.matchAll(/\\b/g)].map((m) => m.index), t.replace(/\\b\\w?/g, (m) => m.toUpperCase()), t.replace(/x*\\B/g, () => '-'), t.split(/\\b/)])`,
    `[/\\b/g, /\\bw?/g, /[\\b]*/g, /\\\\b/g].map((r) => ['w', '\\\\b', ''].map((t) => t.replace(r, (m, at) => m + at)))`,
    `['a,b', ''].map((t) => [t.replace(/(?:)/, '$1-$2'), t.replace(/(,)/, '$1-$2'), t.replace(/(x)*/g, '$1-$2'), t.replace(/(?:,)/g, '$1$0'), t.replace(/(a)(,)/, '$2$1$3')])`,
    `[/(?:)/, /(,)/, /(x)*/g, /(?<n>,)/].map((r) => ['$1-$2', '$0', '$&$1', '$9'].map((by) => 'a,b'.replace(r, by)))`,
    `const none = undefined; const o = { a: { b: { c: [1, { d: 'x' }] } } }; [none?.a.b.c, none?.a.b(), none?.a[0].b, none?.a().b.c(), o.z?.b.c.map((x) => x), o.a?.b.c[1].d.toUpperCase(), o?.a.b?.c.at(-1).d, o?.z?.b.c.d, o.a.z?.(1).b, o?.a.b.c.map((x) => x)?.length, none?.a.b.c.d ?? 'no', (none?.a.b)?.c]`,
    `const none = undefined; try { none?.a.b.c; 'fine' } catch (e) { e.name }`,
    `let n = 0; const none = null; const f = () => { n++; return none; }; [f()?.a.b[n++].c(n++), n]`,
    `const none = undefined; const o = { a: 1 }; [!none?.a.b.c, typeof none?.a.b.c, delete o?.a, o]`,
    `let xs = [0, 0, 3]; [JSON.stringify(1), Array.from(xs, (x, at) => [x, at, xs.pop()]), xs, Array.from([1, , 3], (x) => x), Array.from('ab', (x) => x + x), Array.from({ length: 2 }, (_, at) => at), Array.from([1], function () { return this.n; }, { n: 5 })]`,
    `const d = new Date(0); try { [d.getTime(), Array.from([], true)]; } catch (e) { e.name }`,
    `const r = /^a/m; [r instanceof RegExp, /a/ instanceof RegExp, ({}) instanceof RegExp]`,
    `encodeURIComponent([{ id: 0, name: 'a', n: 0 }].map(({ id, ...rest }) => rest))`,
  ])('%s', (script) => expectAsInV8(script));
});

it('a text stays where it is when only texts are looked for', async () => {
  const { value } = await run(
    `const rows = [{ name: 'b' }]; let n = 0; for (const { name } of rows) if ('abc'.includes(name)) n++; n`,
  );
  expect(value).toBe(1);
});
