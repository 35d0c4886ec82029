import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { maxAnswerLength } from '../../../packages/agent-tool/src/failures/explain.ts';
import { parseProgram } from '../../../packages/agent-tool/src/failures/program.ts';
import { findSlowIdioms } from '../../../packages/agent-tool/src/failures/slow/find.ts';
import { slowIdioms } from '../../../packages/agent-tool/src/failures/slow/idioms.ts';
import { exampleIn, explain, inEngine, inJavaScript } from './support.ts';

function idiomsIn(script: string): string[] {
  const program = parseProgram(script);
  if (program === undefined) throw new Error(`not JavaScript: ${script}`);
  return findSlowIdioms(program).map(({ idiom, line }) => `${idiom.id}:${line}`);
}

const text = (size: number): string => `const text = 'a=1 bc;,\\n'.repeat(${size / 8});\n`;

interface Row {
  id: string;
  line: number;
  /** Too slow or too large for the engine. */
  script: string;
  /** The same idiom for the task of the answer's example, in JavaScript. */
  small: string;
  limit?: 'heap_bytes' | 'instructions';
}

const rows: Row[] = [
  {
    id: 'endless-loop',
    line: 2,
    script: `let n = 0;\nwhile (n < 10) { Math.abs(n); }\nn`,
    small: `const text = 'abcdefgh';
const parts = [];
let from = 0;
for (;;) { parts.push(text.slice(from, from + 3)); from += 3; if (from >= text.length) break; }
parts`,
  },
  {
    id: 'cut-head',
    line: 6,
    script: `let text = 'a=1 bc;,\\n'.repeat(400000);
let n = 0;
for (;;) {
  const end = text.search(/\\n/);
  if (end === -1) break;
  text = text.slice(end + 1);
  n++;
}
n`,
    small: `let text = 'x\\ny\\nz\\n';
const lines = [];
while (text !== '') {
  lines.push(text.slice(0, text.indexOf('\\n')));
  text = text.slice(text.indexOf('\\n') + 1);
}
lines`,
  },
  {
    id: 'reduce-text',
    line: 2,
    script: `const parts = new Array(300000).fill('part');\nparts.reduce((all, part) => all + part, '').length`,
    small: `['a', 'b', 'c'].reduce((all, part) => all + part, '')`,
  },
  {
    id: 'copied-accumulator',
    line: 2,
    script: `const words = new Array(40000).fill(0).map((_, i) => 'w' + i);\nObject.keys(words.reduce((all, word) => ({ ...all, [word]: 1 }), {})).length`,
    small: `['a', 'bb', 'ccc'].reduce((all, word) => ({ ...all, [word]: word.length }), {})`,
  },
  {
    id: 'queue',
    line: 4,
    script: `const queue = new Array(200000).fill(1);\nlet n = 0;\nwhile (queue.length > 0) {\n  n += queue.shift();\n}\nn`,
    small: `const queue = [3], seen = [];\nwhile (queue.length > 0) { const n = queue.shift(); seen.push(n); if (n > 0) queue.push(n - 1); }\nseen`,
  },
  {
    id: 'promise-chain',
    line: 3,
    script: `let chain = Promise.resolve(0);\nfor (let i = 0; i < 300000; i++) {\n  chain = chain.then((n) => n + 1);\n}\nawait chain`,
    small: `let chain = Promise.resolve(0);\nfor (const n of [1, 2, 3]) chain = chain.then((sum) => sum + n * 2);\nawait chain`,
  },
  {
    id: 'keys-in-loop',
    line: 4,
    script: `const seen = {};\nlet most = 0;\nfor (let i = 0; i < 50000; i++) {\n  most = Math.max(most, Object.keys(seen).length);\n  seen['k' + i] = 1;\n}\nmost`,
    small: `const seen = {};\nlet distinct = 0;\nfor (const word of ['a', 'b', 'a']) { seen[word] = 1; distinct = Object.keys(seen).length; }\ndistinct`,
  },
  {
    id: 'search-in-loop',
    line: 3,
    script: `const users = new Array(30000).fill(0).map((_, id) => ({ id, name: 'n' + id }));\nlet n = 0;\nfor (const { id } of users) if (users.find((user) => user.id === id)) n++;\nn`,
    small: `const users = [{ id: 1, name: 'Ann' }, { id: 2, name: 'Bo' }];\n[2, 1].map((id) => users.find((user) => user.id === id).name)`,
  },
  {
    id: 'match-all',
    line: 3,
    script: `${text(800_000)}let n = 0;\nfor (const match of text.matchAll(/a=(\\d)/g)) n += match.slice(1).length;\nn`,
    small: `const text = 'id=7 id=12';\n[...text.matchAll(/id=(\\d+)/g)].map((match) => Number(match[1]))`,
  },
  {
    id: 'exec-loop',
    line: 4,
    script: `${text(800_000)}const pattern = /a=(\\d)/g;\nlet match, n = 0;\nwhile ((match = pattern.exec(text)) !== null) n += Number(match[1]);\nn`,
    small: `const text = 'a=1 b=22';
const pattern = /(\\w)=(\\d+)/g;
const pairs = [];
let match;
while ((match = pattern.exec(text)) !== null) pairs.push([match[1], match[2]]);
pairs`,
  },
  {
    id: 'characters',
    line: 3,
    script: `${text(800_000)}let n = 0;\nfor (const character of text) if (character === 'a') n++;\nn`,
    small: `const counts = {};\nfor (const character of 'banana') counts[character] = (counts[character] ?? 0) + 1;\ncounts`,
  },
  {
    id: 'positions',
    line: 3,
    script: `${text(1_600_000)}let n = 0;\nfor (let i = 0; i < 1000000; i++) if (text.charAt(i) === 'a') n++;\nn`,
    small: `const text = 'a,b\\nc,d';
const fields = [[]];
let field = '';
for (let i = 0; i <= text.length; i++) {
  const c = text[i];
  if (c !== ',' && c !== '\\n' && c !== undefined) field += c;
  else { fields.at(-1).push(field); field = ''; if (c === '\\n') fields.push([]); }
}
fields`,
  },
  {
    id: 'index-of-loop',
    line: 3,
    script: `${text(3_200_000)}let n = 0;\nfor (let at = text.indexOf(';'); at !== -1; at = text.indexOf(';', at + 1)) n++;\nn`,
    small: `const text = 'a;b;;c';
let count = 0, from = 0;
for (;;) {
  const at = text.indexOf(';', from);
  if ((at === -1 ? text.length : at) > from) count++;
  if (at === -1) break;
  from = at + 1;
}
count`,
  },
  {
    id: 'sort',
    line: 4,
    script: `const items = [];\nconst key = (n) => n % 1000;\nfor (let i = 0; i < 40000; i++) items.push((i * 7919) % 100003);\nitems.sort((a, b) => { const by = key(a) - key(b); return by; });\nitems[0]`,
    small: `const sign = (x, y) => { if (x < y) return -1; return x > y ? 1 : 0; };\n[5, 3, 9, 1].sort(sign)`,
  },
  {
    id: 'concatenation',
    line: 2,
    script: `let out = '';\nfor (let i = 0; i < 1000000; i++) out += 'line ' + i;\nout.length`,
    small: `let out = '';\nfor (const n of [1, 2, 3]) out += n + ';';\nout`,
  },
  {
    id: 'split-again',
    line: 3,
    script: `const lines = 'GET /a/b/c 200 1 2 3\\n'.repeat(40000).split('\\n');\nlet n = 0;\nfor (const line of [...lines, ...lines, ...lines]) if (line.split(' ')[2] === '500') n++;\nn`,
    small: `const text = 'GET /a 200\\nGET /b 500\\n';\nconst found = [];\nfor (const line of text.split('\\n')) { const [, path, status] = line.split(' '); if (status === '500') found.push(path); }\nfound`,
  },
];

describe('a run that was too slow or too large names the idiom', () => {
  it.each(rows)('$id', async ({ id, line, script, small, limit }) => {
    const limits = limit === undefined ? { timeoutMs: 100, instructions: 2e9 } : { timeoutMs: 10_000 };
    const { error, text: answer } = await explain(script, { limits });
    const idiom = slowIdioms.find((each) => each.id === id) as (typeof slowIdioms)[number];
    expect({ code: error.code, limit: error.details.limit }).toEqual(
      limit === undefined ? { code: 'timeout', limit: 'timeout_ms' } : { code: 'limit_exceeded', limit },
    );
    expect(answer).toContain(limit === undefined ? '100 ms' : '64 MB');
    expect(answer).toContain(`The reason may be this: line ${line} ${idiom.what}. ${idiom.advice}`);
    expect(answer).not.toMatch(/syntax|not valid JavaScript|not in the script language/i);
    expect(answer.length).toBeLessThan(maxAnswerLength);
    const example = exampleIn(answer);
    expect(example).toBe(idiom.example);
    if (id !== 'endless-loop') expect(idiomsIn(small).join(' ')).toContain(`${id}:`);
    expect(await inEngine(example)).toEqual(await inJavaScript(small));
  });

  test('for every idiom that there is', () => {
    expect(rows.map(({ id }) => id)).toEqual(slowIdioms.map(({ id }) => id));
  });

  test('in the function that was running, before others', async () => {
    const script = `const order = (a, b) => { return a - b; };
const sorted = (items) => items.sort(order);
function build(n) {
  let out = '';
  for (let i = 0; i < n; i++) out += 'x';
  return out;
}
sorted([2, 1]);
build(10000000).length`;
    const { text: answer } = await explain(script, { limits: { timeoutMs: 100 } });
    expect(answer).toMatch(/^timeout, in function build, lines 3-7: /);
    expect(answer).toContain('this: line 5 adds to a string');
    expect(answer).toContain('Line 2 sorts');
  });

  test('for instructions as well', async () => {
    const { error, text: answer } = await explain('const a = [];\nfor (let i = 0; i < 9999; i++) a.unshift(i);', {
      limits: { instructions: 1e6, timeoutMs: 10_000 },
    });
    expect(error.details.limit).toBe('instructions');
    expect(answer).toContain('its limit of 1 million instructions');
    expect(answer).toContain('line 2 takes from or adds to the front of an array');
  });

  test('and advises in general where there is none', async () => {
    const { text: answer } = await explain('let n = 0;\nfor (let i = 0; i < 1e9; i++) n += i;\nn', {
      limits: { timeoutMs: 50 },
    });
    expect(answer).toContain('Let a built-in do the work');
    expect(answer).not.toContain('The reason may be');
    expect(await inEngine(exampleIn(answer))).toBe(90_000);
  });
});

describe('an idiom is not seen', () => {
  it.each([
    [
      'in strings and comments',
      `// text.matchAll(/a/g); for (const c of 'text') {}\nconst s = "while (true) {} a.sort()"; /* s.replaceAll('a', 'b') */ s`,
    ],
    ['in regular expressions and templates', 'const a = /while(true){}.sort()/; `a.sort() ${a}`'],
    [
      'where an array is indexed',
      `const list = [1, 2];\nlet n = 0;\nfor (let i = 0; i < list.length; i++) n += list[i];\nn`,
    ],
    ['where numbers are added', `let n = 0;\nfor (const m of [1, 2]) n += m;\nn`],
    [
      'where the rest of a range is kept',
      `let rest = '';\nfor (let i = 0; i < 3; i++) { const text = rest + read_file('a.txt'); rest = text.slice(2); }\nrest`,
    ],
    [
      'in what a loop goes over',
      `const o = { a: 1 };\nfor (const k of Object.keys(o)) k;\nfor (const line of read_file('a.txt').split('\\n')) line;`,
    ],
    [
      'in a function that is only defined in a loop',
      `const fs = [];\nfor (const n of [1]) fs.push(() => [n].find((x) => x));\nfs.length`,
    ],
    [
      'where a loop ends',
      `let n = 0;\nwhile (true) { n++; if (n > 3) break; }\ndo { n--; } while (n > 0);\nfor (;;) { throw new Error('x') }`,
    ],
    [
      'where a call may end it',
      `let open = true;\nconst close = () => { open = false; };\nwhile (open) close();\nconst q = [1];\nwhile (q.length) q.pop();`,
    ],
    ['where values are sorted by what they are', `[2, 1].sort(); [{ n: 1 }].sort((a, b) => b.n - a.n);`],
    ['where elements are spread', `const parts = [1, 2];\nMath.max(...parts);\n[...parts, 3]`],
  ])('%s', (_, script) => {
    expect(idiomsIn(script)).toEqual([]);
  });

  it.each(slowIdioms)('in its own cure: $id', ({ id, example }) => {
    expect(idiomsIn(example).filter((found) => found.startsWith(`${id}:`))).toEqual([]);
  });

  const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
  const scripts = readdirSync(examples).filter((name) => name.endsWith('.js'));
  it.each(scripts)('endless in examples/%s', (name) => {
    const found = idiomsIn(readFileSync(join(examples, name), 'utf8'));
    expect(found.filter((each) => /^(?:endless-loop|characters|match-all|exec-loop|positions):/.test(each))).toEqual(
      [],
    );
  });
});

test('an endless loop is seen in its forms', () => {
  for (const loop of [
    'while (true) {}',
    'for (;;) { 1 }',
    'do { n; } while (1)',
    'while (n < 3) { m++; }',
    'for (let i = 0; i < 3; n++) {}',
  ]) {
    expect(idiomsIn(`let n = 0, m = 0;\n${loop}`)).toEqual(['endless-loop:2']);
  }
});
