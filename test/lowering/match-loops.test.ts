import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

const log = `const text = 'a=1 b=22\\nc= d=4;\\nlong=55555 x=6';`;
const ways = [
  'out.push(m[0], m[1], m[2]);',
  'out.push(m.index, m[0].length, m.length);',
  'const [, key, value] = m; out.push(key, value);',
  'const [all] = m; let n = all; n += 1; out.push(n);',
  'if (m[1] === "c") continue; if (m[1] === "x") break; out.push(m[1]);',
  'out.push(() => m[1] + m.index);',
  'const key = m[1]; out.push(...[1, 2].map((n) => n + key + m[2]));',
  'for (const n of m[0].matchAll(/\\d/g)) out.push(m.index + n.index, n[0]);',
  'for (const m of "q1".matchAll(/\\d/g)) out.push(m[0]); out.push(m[1]);',
  'out.push({ m: 1, key: m[1] }); ({ m: out.m } = { m: m[2] });',
  'try { if (m.index > 4) throw new Error(m[1]); } catch (error) { out.push(error.message); }',
  'switch (m[1]) { case "a": out.push(1); break; default: out.push(m[2]); }',
  // What is read in any other way needs the list.
  'out.push(m.length, ...m.slice(1));',
  'm[1] = "changed"; out.push(m[1]);',
  'out.push(m[7], m?.[1], m["index"], m.input.length);',
  'const copy = m; out.push(copy[1]);',
  'const { index, 1: key } = m; out.push(index, key);',
  'const [, key = "none", value = "no"] = m; out.push(key, value);',
  'm[1] ||= "x"; out.push(m[1]);',
];
const patterns = ['/(\\w+)=(\\d+)/g', '/(\\w+)=(\\d*)(?=[ ;\\n]|$)/g', '/^(\\w+)=(\\d+)?/gm', '/(\\w*)=?(\\d*)/g'];
const read = 'out.map((one) => (typeof one === "function" ? one() : one))';

for (const pattern of patterns) {
  it.each(ways)(`${pattern}: %s`, async (body) => {
    await expectAsInV8(`${log} const out = []; for (const m of text.matchAll(${pattern})) { ${body} } ${read};`);
  });
}

it.each([
  'for (const [, key, value = "none"] of text.matchAll(/(\\w+)=(\\d+)?/g)) { out.push(key, value); }',
  'for (const [, key, value = "none"] of text.matchAll(/(\\w+)=(\\d+)?/g)) out.push(() => key + value);',
  'for (let [all, key] of text.matchAll(/(\\w+)=/g)) { key += all; out.push(key); }',
  'for (const [all] of text.matchAll(/\\w+/g)) { try { all = 1; } catch (error) { out.push(error.name); } }',
  'for (const { index, 1: key, 0: all } of text.matchAll(/(\\w+)=/g)) { out.push(index, key, all); }',
  'for (const { groups: { key, value } } of text.matchAll(/(?<key>\\w+)=(?<value>\\d+)/g)) { out.push(key, value); }',
  'for (const { groups } of text.matchAll(/(?<key>\\w+)=/g)) { out.push(groups.key); }',
  'for (const m of text.matchAll(/(?<key>\\w+)=(?<value>\\d+)?/g)) { out.push(m.groups.key, m.groups.value); }',
  'for (const m of text.matchAll(/(?<key>\\w+)=(?<value>\\d+)/gm)) { const { key, value: v } = m.groups; out.push(key, v); }',
  'for (const { groups } of text.matchAll(/(?<key>\\w+)=(?<value>\\d+)?/g)) { const { value } = groups; out.push(groups.key, value); }',
  'for (const { groups: g } of text.matchAll(/(?<key>\\w+)=(?<value>\\d+)?/g)) out.push(() => g.key + g.value);',
  'for (const { groups } of text.matchAll(/(?<key>\\w+)=/g)) { out.push({ ...groups }, groups.other); }',
  'for (const { groups } of text.matchAll(/(\\w+)=/g)) { out.push(groups); }',
  'for (const m of text.matchAll(/(?<key>\\w+)=/g)) { const g = m.groups; out.push(g.key, m.index); }',
  'const g = { key: 5 }; for (const m of text.matchAll(/(?<key>\\w+)=/g)) { if (m.index > 2) { const g = m.groups; out.push(g.key); } out.push(g.key); }',
  'for (const m of text.matchAll(/(?<key>\\w+)=/g)) { const g = m.groups; out.push(((g) => g.key)({ key: 3 }), g.key); }',
  'for (const m of text.matchAll(/(\\w+)=/g)) { const g = m.groups; out.push(g === undefined); }',
  'for (const m of text.matchAll(/(?<key>\\w+)=/g)) { const g = m.groups; g.key += "x"; out.push(g.key); }',
  'for (const m of text.matchAll(/(?<key>\\w+)=/g)) { out.push(m.groups.other, m.groups?.key); }',
  'for (const m of [...text.matchAll(/(\\w+)=/g)]) { out.push(m[1]); }',
  'outer: for (const [all] of text.matchAll(/\\w+/g)) { for (const [n] of all.matchAll(/\\w/g)) { if (n === "d") continue outer; if (n === "l") break outer; out.push(n); } }',
  'const re = /(\\w+)=/g; for (const m of text.matchAll(re)) { out.push(m[1], re.lastIndex); }',
  'const re = /(\\w+)=/g; re.lastIndex = 4; for (const m of text.matchAll(re)) { out.push(m[1], m.index); }',
  'const re = /^(\\w+)=/gm; re.lastIndex = 4; for (const m of text.matchAll(re)) { out.push(m[1], m.index); }',
  'const re = /(?:)/g; for (const m of "añb".matchAll(re)) { out.push(m.index, m[0]); }',
  'for (const m of "a b".matchAll(/\\b/g)) { out.push(m.index); }',
  'for (const m of "".matchAll(/x*/g)) { out.push(m.index, m[0]); }',
  'for (const m of "xyz".matchAll(/q/g)) { out.push(m[0]); }',
  'for (const m of "a,b;c".matchAll(/([,;])|(\\w)/g)) { out.push(m[1], m[2]); }',
  'function* pairs() { for (const [, key] of text.matchAll(/(\\w+)=/g)) yield key; } out.push(...pairs());',
  'function keys(given) { const found = []; for (const m of given.matchAll(/(\\w+)=/g)) found.push(m[1]); return found; } out.push(...keys(text), ...keys("z=1"));',
  '["a=1", "b=2"].forEach((line) => { for (const m of line.matchAll(/(\\w)=(\\d)?/gm)) out.push(m[1], m[2]); });',
  'for (const m of "a".matchAll(/a/)) { out.push(m[0]); }',
  'for (const m of undefined.matchAll(/a/g)) { out.push(m[0]); }',
  'for (const m of (5).matchAll(/a/g)) { out.push(m[0]); }',
])('%s', async (script) => {
  await expectAsInV8(`${log} const out = []; ${script} ${read};`);
});

it.each([
  ['/(\\w+)=(\\d+);/g', ''],
  ['/^(\\w+)=(\\d+);/gm', ''],
  ['/(\\w+)=(\\d+);?|/g', ''],
  // V8 counts two units for a character that the engine counts as one.
  ['/(\\w+)=(\\d+);/g', '😀é'],
  ['/^(\\w+)=(\\d+);/gm', '😀é\\n'],
])('finds thousands of matches of %s, some hundred at a time, behind: %s', async (pattern, start) => {
  const script = `const lines = []; for (let i = 0; i < 2000; i++) lines.push('k' + i + '=' + i + ';');
    const text = '${start}' + lines.join('\\n'); const re = ${pattern}; const at = ${start === '' ? 0 : 1};
    let sum = 0, places = 0, count = 0, odd = 0;
    for (const m of text.matchAll(re)) {
      if (m[1] === undefined) continue;
      count++; sum += Number(m[2]); places += m.index;
      if (text.slice(m.index, m.index + m[0].length) !== m[0]) odd++;
    } [sum, count, odd, re.lastIndex]`;
  expect((await run(script)).value).toEqual([1_999_000, 2000, 0, 0]);
});

it('goes on with a search that was forgotten for others', async () => {
  const script = `const text = 'word '.repeat(2000); const found = [];
    for (const m of text.matchAll(/w(?=o)/g)) {
      if (m.index % 1000 === 0) for (let i = 0; i < 12; i++) for (const n of text.matchAll(/o(?=r)/g)) { if (n.index > 0) break; }
      found.push(m.index);
    }
    found.length + ':' + found.at(-1)`;
  expect((await run(script)).value).toBe('2000:9995');
});

it('refuses what is no text but has the method', async () => {
  const script = `const own = { matchAll: () => [['a']] }; for (const m of own.matchAll(/a/g)) console.log(m[0]); 1`;
  await expect(run(script)).rejects.toThrow('matchAll of a value that is no text is not supported here');
});

it('does so in a script with promises', async () => {
  const script = `const out = []; const wait = async (value) => value;
    for (const m of 'a=1 b=2'.matchAll(/(\\w)=(\\d)/g)) { out.push(m[1], await wait(m[2])); } out;`;
  expect((await run(script)).value).toEqual(['a', '1', 'b', '2']);
});
