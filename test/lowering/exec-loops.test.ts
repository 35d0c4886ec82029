import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

const long = `const line = 'k1=22; k2=; näme=55555 x; '; const text = line.repeat(60);`;
const patterns = [
  '/(\\w+)=(\\d+);/g',
  '/(\\w+)=(\\d+)?(?=;)/g',
  '/(?<key>\\w+)=(?<value>\\d*)/g',
  '/^(k)|(x)$/gm',
  '/[a-z]*/g',
  '/\\b/g',
  '/q/g',
  '/x/',
  '/k\\d/y',
];
const loops = [
  'while ((m = re.exec(text)) !== null) { out.push(m[0], m[1], m[2], m.index, re.lastIndex); bump(); }',
  'while ((m = re.exec(text))) { const { index, groups } = m; out.push([...m], index, groups === undefined ? 0 : groups.key); bump(); }',
  'for (let m; (m = re.exec(text)); ) { if (m.index === re.lastIndex) re.lastIndex++; out.push(m.length, m.input.length); if (turns++ > 300) break; }',
  'do { m = re.exec(text); if (m) { out.push(m[0]); bump(); } } while (m && m.index < 40); out.push(re.lastIndex);',
  'while ((m = re.exec(text)) !== null) { out.push(m.index); re.lastIndex += 7; if (out.length > 50) break; }',
  'while ((m = re.exec(text)) !== null) { out.push(m.index); other.lastIndex = re.lastIndex; const n = other.exec(text); if (n) out.push(n.index); bump(); }',
  'while ((m = re.exec(text)) !== null) { out.push(m.index); bump(); if (re.test(text)) out.push(re.lastIndex); }',
  'for (let turn = 0; turn < 3; turn++) { m = re.exec(text); out.push(m && m.index, re.lastIndex); if (turn === 1) re.lastIndex = 0; }',
  'for (const part of [text, line, text + "k9=1;"]) { re.lastIndex = 0; while ((m = re.exec(part)) !== null) { out.push(m.index); bump(); } }',
  'let rest = text; for (let turn = 0; turn < 2; turn++) { while ((m = re.exec(rest)) !== null) { out.push(m.index); bump(); } rest = "ab; " + rest; }',
  'const all = (given) => { const found = []; let n; while ((n = re.exec(given)) !== null) { found.push(n.index); if (n[0] === "") re.lastIndex++; if (!re.global || found.length > 400) break; } return found; }; out.push(all(text), all(line), [text, line].map(all));',
];

for (const pattern of patterns) {
  it.each(loops)(`${pattern}: %s`, async (loop) => {
    await expectAsInV8(`${long} const out = []; const re = ${pattern}, other = /\\d\\d|e/g; let m; let turns = 0;
      const bump = () => { turns++; if (m[0] === '' && re.global) re.lastIndex++; if (turns > 400 || !re.global) throw new Error('enough'); };
      try { ${loop} } catch (error) { out.push(error.message); } out;`);
  });
}

it.each(['/(\\w+)=(\\d+);/g', '/^(\\w+)=(\\d+);/gm', '/(\\w+)=(\\d+);|(?:)/g'])(
  'counts places in characters, as the engine does, for %s',
  async (pattern) => {
    const script = `const text = '😀é\\nkey=1;\\n'.repeat(400); const re = ${pattern}; let m; let odd = 0, count = 0;
    while ((m = re.exec(text)) !== null) {
      if (m[0] === '') { re.lastIndex++; continue; }
      count++;
      if (text.slice(m.index, re.lastIndex) !== m[0]) odd++;
    } [count, odd]`;
    expect((await run(script)).value).toEqual([400, 0]);
  },
);

it('leaves the method of any other object alone', async () => {
  await expectAsInV8(`const re = { exec: (text) => text.length, lastIndex: 0 }; const out = [];
    for (const text of ['ab', 'c'.repeat(2000)]) { for (let i = 0; i < 2; i++) out.push(re.exec(text)); } out;`);
});

it('does so in a script with promises', async () => {
  const script = `const text = 'a=1 b=2 '.repeat(300); const re = /(\\w)=(\\d)/g; let m, sum = 0; const wait = async (value) => value;
    while ((m = re.exec(text)) !== null) sum += await wait(Number(m[2])); sum;`;
  expect((await run(script)).value).toBe(900);
});
