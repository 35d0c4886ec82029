import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

const functions = [
  '(m) => m[1]',
  'm => m[1] + m[0]',
  '(m) => ({ key: m[1], value: Number(m[2]) })',
  '(m, place) => [place, m[2]]',
  '([, key, value]) => `${key}:${value}`',
  '([all], place) => place + all',
  '([, key]) => { key += "!"; return key; }',
  '({ 1: key, 2: value }) => [value, key]',
  '(m) => { if (m[1] === "c") return null; const [all, key] = m; return () => all + key; }',
  '(m) => [1, 2].map((n) => n + m[1])',
  '(m) => m[0].length + m.length',
  // What is read in any other way needs the list.
  '(m) => m.index',
  '(m) => [...m]',
  '(m) => m.slice(1)',
  '(m) => m[9]',
  '([, key = "none", value = "no"]) => key + value',
  'function (m) { return m[1]; }',
  '() => 1',
  '(m) => { m[1] = 5; return m[1]; }',
  '(m) => [m[0], m[1], m[2], m[0], m.length]',
];
const patterns = ['/(\\w+)=(\\d+)/g', '/^(\\w+)=(\\d+)?/gm', '/(\\w*)=?(\\d*)/g'];
const ways = [
  'Array.from(text.matchAll(PATTERN), EACH)',
  '[...text.matchAll(PATTERN)].map(EACH)',
  'Array.from(text.matchAll(PATTERN)).map(EACH)',
];

for (const pattern of patterns) {
  for (const way of ways) {
    it.each(functions)(`${pattern}: ${way}: %s`, async (each) => {
      const value = way.replace('PATTERN', () => pattern).replace('EACH', () => each);
      await expectAsInV8(`const text = 'a=1 b=22\\nc= d=4;\\nlong=55555 x=6'; const made = ${value};
        made.map((one) => (typeof one === 'function' ? one() : one));`);
    });
  }
}

it.each([
  `const seen = []; const given = [...'a=1 b=2'.matchAll(/(\\w)=(\\d)/g)].forEach((m, place) => { seen.push(place, m[1]); }); [seen, given]`,
  `const re = /(\\w)=/g; re.lastIndex = 3; Array.from('a=1 b=2 c=3'.matchAll(re), (m) => m[1])`,
  `const re = /(\\w)=(?=\\d)/g; re.lastIndex = 3; [...'a=1 b=2 c=3'.matchAll(re)].map((m) => m[1])`,
  `Array.from('a=1'.matchAll(/(?<key>\\w)=(?<value>\\d)/g), ({ groups }) => groups.key + groups.value)`,
  `Array.from('a=1'.matchAll(/(?<key>\\w)=(?<value>\\d)/g), ({ groups: { key, value } }) => key + value)`,
  `[...'a=1'.matchAll(/(?<key>\\w)=/g)].map((m) => m.groups.key)`,
  `Array.from('a=1'.matchAll(/(\\w)=/), (m) => m[1])`,
  `const Array = { from: (list, each) => 7 }; Array.from('a=1'.matchAll(/(\\w)=/g), (m) => m[1])`,
  `try { [...'ab'.matchAll(/(\\w)/g)].map((m) => { if (m[1] === 'b') throw new Error(m[1]); }); } catch (error) { error.message }`,
])('%s', async (script) => {
  await expectAsInV8(script);
});

it('lets the function ask the host', async () => {
  const host = { look: (key: unknown) => `${String(key)}!` };
  const script = `[...'a=1 b=2'.matchAll(/(\\w)=(\\d)/g)].map((m) => look(m[1]) + m[2])`;
  expect((await run(script, { host })).value).toEqual(['a!1', 'b!2']);
});

it('goes over thousands of matches', async () => {
  const script = `const text = 'key=1;\\n'.repeat(3000); let sum = 0;
    [...text.matchAll(/^(\\w+)=(\\d)/gm)].forEach((m, place) => { sum += Number(m[2]) + place; }); sum;`;
  expect((await run(script)).value).toBe(3000 + (2999 * 3000) / 2);
});
