// What is compared: tasks, and the ways to do each. All ways of a task give the same answer; a test and the bench check it.

/**
 * @typedef {{ name: string, script: string }} Way
 * @typedef {{ task: string, input?: 'log' | 'csv' | 'jsonl', kilobytes?: number, ways: Way[] }} Task
 */

/** A loop over the ranges of the input: `text` is whole lines. */
function scan(name, body, { setup = 'let found = 0;', answer = 'found', step = 1048576 } = {}) {
  const script = `const path = 'attachments:input';
const { size } = file_stats(path);
let rest = '';
${setup}
for (let start = 0; start < size; start += ${step}) {
  const all = rest + read_file(path, { start, length: ${step} });
  const end = start + ${step} < size ? all.lastIndexOf('\\n') + 1 : all.length;
  rest = all.slice(end);
  const text = all.slice(0, end);
  ${body}
}
${answer};`;
  return { name, script };
}

const plain = (name, script) => ({ name, script });

/** Over the lines of each range. */
const lines = (name, body, options) => scan(name, `for (const line of text.split('\\n')) { ${body} }`, options);

const counts = {
  setup: 'const counts = {};',
  answer: 'Object.values(counts).reduce((sum, count) => sum + count * count, 0)',
};
const map = {
  setup: 'const counts = new Map();',
  answer: '[...counts.values()].reduce((sum, count) => sum + count * count, 0)',
};
const durations = 'text.match(/dur=\\d+/g)';
/** An id and a duration, as each line of the log has them. */
const pair = '/id=(\\d+) path=\\S+ dur=(\\d+)/g';
const cents = (text) => `Math.round(Number(${text}) * 100)`;
/** The heading and the last, empty line have no amount. */
const amounts = 'if (line === "" || line.startsWith("id,")) continue;';
const numbers = 'const numbers = Array.from({ length: 2000 }, (_, index) => (index * 7919) % 2003);';
const top10 = 'JSON.stringify(sorted.slice(-10))';

/** @type {Task[]} */
export const tasks = [
  {
    task: 'Count the lines with a text',
    input: 'log',
    ways: [
      scan('`text.match(/ ERROR /g)` over a range', 'found += (text.match(/ ERROR /g) ?? []).length;'),
      scan("`text.split(' ERROR ').length - 1`", "found += text.split(' ERROR ').length - 1;"),
      scan(
        '`text.match(/^.* ERROR .*$/gm)`: the whole lines',
        'found += (text.match(/^.* ERROR .*$/gm) ?? []).length;',
      ),
      scan(
        "`text.indexOf(' ERROR ', at)` in a loop",
        "for (let at = text.indexOf(' ERROR '); at >= 0; at = text.indexOf(' ERROR ', at + 1)) found++;",
      ),
      lines('for…of over lines, `includes`', "if (line.includes(' ERROR ')) found++;"),
      scan(
        'loop with an index over lines, `includes`',
        "const lines = text.split('\\n'); for (let i = 0; i < lines.length; i++) if (lines[i].includes(' ERROR ')) found++;",
      ),
      scan(
        'lines, `filter` with a callback',
        "found += text.split('\\n').filter((line) => line.includes(' ERROR ')).length;",
      ),
      scan(
        'lines, `forEach` with a callback',
        "text.split('\\n').forEach((line) => { if (line.includes(' ERROR ')) found++; });",
      ),
      lines('for…of over lines, a function called for each', 'look(line);', {
        setup: "let found = 0; function look(line) { if (line.includes(' ERROR ')) found++; }",
      }),
      lines('for…of over lines, `regex.test(line)`', 'if (/ ERROR /.test(line)) found++;'),
      lines('for…of over lines, `line.match(regex)`', 'if (line.match(/ ERROR /) !== null) found++;'),
      scan('`replace` with a function', "text.replace(/ ERROR /g, () => { found++; return ''; });"),
      scan('`matchAll`', 'for (const match of text.matchAll(/ ERROR /g)) found++;'),
      scan('`regex.exec` in a loop', 'const regex = / ERROR /g; while (regex.exec(text) !== null) found++;'),
    ],
  },
  {
    task: 'Add up a group of each match',
    input: 'log',
    ways: [
      scan('for…of over `matchAll`, `m[2]`', `for (const m of text.matchAll(${pair})) found += Number(m[2]);`),
      scan(
        'for…of over `matchAll`, `const [, id, ms] = m`',
        `for (const m of text.matchAll(${pair})) { const [, id, ms] = m; found += Number(ms); }`,
      ),
      scan(
        'for…of over `matchAll`, `m.groups.ms`',
        'for (const m of text.matchAll(/id=(?<id>\\d+) path=\\S+ dur=(?<ms>\\d+)/g)) found += Number(m.groups.ms);',
      ),
      scan(
        'for…of over `matchAll`, a pattern with look-around',
        'for (const m of text.matchAll(/id=(\\d+) path=\\S+ dur=(\\d+)(?=ms)/g)) found += Number(m[2]);',
      ),
      scan(
        '`Array.from(text.matchAll(regex), (m) => …)`',
        `for (const ms of Array.from(text.matchAll(${pair}), (m) => Number(m[2]))) found += ms;`,
      ),
      scan(
        '`regex.exec` in a loop',
        `const regex = ${pair}; let m; while ((m = regex.exec(text)) !== null) found += Number(m[2]);`,
      ),
      scan(
        'for…of over `matchAll`, each match given to a function',
        `for (const m of text.matchAll(${pair})) found += ms(m);`,
        { setup: 'let found = 0; const ms = (m) => Number(m[2]);' },
      ),
      scan(
        'one `match`, then `split` of each',
        "for (const part of text.match(/id=\\d+ path=\\S+ dur=\\d+/g)) found += Number(part.split('=')[3]);",
      ),
    ],
  },
  {
    task: 'Count the line breaks',
    input: 'log',
    ways: [
      scan("`text.split('\\n').length - 1`", "found += text.split('\\n').length - 1;"),
      scan('`text.match(/\\n/g).length`', 'found += (text.match(/\\n/g) ?? []).length;'),
      scan(
        "`indexOf('\\n', at)` and `slice`: line by line, in ranges of 16 KB",
        "for (let at = text.indexOf('\\n'), from = 0; at >= 0; from = at + 1, at = text.indexOf('\\n', from)) if (text.slice(from, at).length >= 0) found++;",
        { step: 16384 },
      ),
    ],
  },
  {
    task: 'Add up a column of CSV',
    input: 'csv',
    ways: [
      scan(
        'one `match` up to the column, then `split`',
        `for (const line of text.match(/^\\d+,(?:[^,\\n]*,){4}[^,\\n]*/gm) ?? []) found += ${cents("line.split(',')[5]")};`,
      ),
      scan(
        'one `match` up to the column, then `lastIndexOf` and `slice`',
        `for (const line of text.match(/^\\d+,(?:[^,\\n]*,){4}[^,\\n]*/gm) ?? []) found += ${cents("line.slice(line.lastIndexOf(',') + 1)")};`,
      ),
      lines("`line.split(',')`", `${amounts} found += ${cents("line.split(',')[5]")};`),
      lines("`line.split(',', 6)`", `${amounts} found += ${cents("line.split(',', 6)[5]")};`),
      lines(
        "`const [, , , , , amount] = line.split(',')`",
        `${amounts} const [, , , , , amount] = line.split(','); found += ${cents('amount')};`,
      ),
      scan(
        'one `replace` to the column only: `$1`',
        `for (const amount of text.replace(/^(?:[^,\\n]*,){5}([^,\\n]*).*$/gm, '$1').split('\\n')) if (amount !== '' && amount !== 'amount') found += ${cents('amount')};`,
      ),
      lines('`regex.exec(line)[1]`', `${amounts} found += ${cents('/^(?:[^,]*,){5}([^,]*)/.exec(line)[1]')};`),
    ],
  },
  {
    task: 'Count by value, a thousand different ones',
    input: 'log',
    ways: [
      scan(
        'an object, `counts[key] = (counts[key] ?? 0) + 1`',
        `for (const key of ${durations}) counts[key] = (counts[key] ?? 0) + 1;`,
        counts,
      ),
      scan(
        'a Map, `get` and `set`',
        `for (const key of ${durations}) counts.set(key, (counts.get(key) ?? 0) + 1);`,
        map,
      ),
      scan(
        'a Map of objects, `count++`',
        `for (const key of ${durations}) { const item = counts.get(key); if (item === undefined) counts.set(key, { count: 1 }); else item.count++; }`,
        { ...map, answer: '[...counts.values()].reduce((sum, { count }) => sum + count * count, 0)' },
      ),
      scan(
        '`forEach` and an object',
        `${durations}.forEach((key) => { counts[key] = (counts[key] ?? 0) + 1; });`,
        counts,
      ),
      scan(
        '`reduce` to an object',
        `${durations}.reduce((all, key) => { all[key] = (all[key] ?? 0) + 1; return all; }, counts);`,
        counts,
      ),
    ],
  },
  {
    task: 'Count different ids',
    input: 'log',
    ways: [
      scan('a Set', 'for (const id of text.match(/id=\\d+/g)) found.add(id);', {
        setup: 'const found = new Set();',
        answer: 'found.size',
      }),
      scan('a Map', 'for (const id of text.match(/id=\\d+/g)) found.set(id, true);', {
        setup: 'const found = new Map();',
        answer: 'found.size',
      }),
      scan('keys of an object', 'for (const id of text.match(/id=\\d+/g)) found[id] = true;', {
        setup: 'const found = {};',
        answer: 'Object.keys(found).length',
      }),
    ],
  },
  {
    task: 'Count the records with a value, in JSON lines',
    input: 'jsonl',
    ways: [
      scan('`text.match(/"region":"south"/g)`', 'found += (text.match(/"region":"south"/g) ?? []).length;'),
      scan(
        '`match` of likely lines, `JSON.parse` of these',
        'for (const line of text.match(/^.*"south".*$/gm) ?? []) if (JSON.parse(line).user.region === \'south\') found++;',
      ),
      lines(
        'lines with `includes`, `JSON.parse` of these',
        "if (line.includes('\"south\"') && JSON.parse(line).user.region === 'south') found++;",
      ),
      lines('`JSON.parse` of every line', "if (line !== '' && JSON.parse(line).user.region === 'south') found++;"),
      scan(
        '`JSON.parse` of all lines of a range as one list',
        "for (const { user } of JSON.parse(`[${text.trimEnd().split('\\n').join(',')}]`)) if (user.region === 'south') found++;",
      ),
    ],
  },
  {
    task: 'Look at the start of each line',
    input: 'log',
    ways: [
      scan(
        '`text.match(/^2026-04-20T12:3/gm)` over a range',
        'found += (text.match(/^2026-04-20T12:3/gm) ?? []).length;',
      ),
      lines('`line.startsWith(start)`', "if (line.startsWith('2026-04-20T12:3')) found++;"),
      lines('`line.slice(0, 15) === start`', "if (line.slice(0, 15) === '2026-04-20T12:3') found++;"),
      lines('`line.indexOf(start) === 0`', "if (line.indexOf('2026-04-20T12:3') === 0) found++;"),
      lines('`/^start/.test(line)`', 'if (/^2026-04-20T12:3/.test(line)) found++;'),
    ],
  },
  {
    task: 'Size of the ranges, with one `match` each',
    input: 'log',
    ways: [1048576, 262144, 65536, 16384, 4096].map((step) =>
      scan(`${step / 1024} KB`, 'found += (text.match(/ ERROR /g) ?? []).length;', { step }),
    ),
  },
  {
    task: 'Look at each character of 8 KB',
    kilobytes: 8,
    ways: [
      ['for…of', 'for (const character of text) if (character === "x") found++;'],
      ['`[...text]`, for…of', 'for (const character of [...text]) if (character === "x") found++;'],
      ["`text.split('')`, for…of", 'for (const character of text.split("")) if (character === "x") found++;'],
      ['`text[i]`', 'for (let i = 0; i < length; i++) if (text[i] === "x") found++;'],
      ['`text.charCodeAt(i)`', 'for (let i = 0; i < length; i++) if (text.charCodeAt(i) === 120) found++;'],
    ].map(([name, body]) =>
      plain(name, `const text = 'abcdefgx'.repeat(1024); const length = text.length; let found = 0; ${body} found;`),
    ),
  },
  {
    task: 'Replace a word 2,000 times in 64 KB',
    kilobytes: 64,
    ways: [
      ["`text.split('word').join('name')`", "text.split('word').join('name')"],
      ["`text.replace(/word/g, 'name')`", "text.replace(/word/g, 'name')"],
      ["`text.replace(/word/g, () => 'name')`", "text.replace(/word/g, () => 'name')"],
      ["`text.replaceAll('word', 'name')`", "text.replaceAll('word', 'name')"],
    ].map(([name, expression]) =>
      plain(name, `const text = 'this is a word among others..... '.repeat(2000); ${expression};`),
    ),
  },
  {
    task: 'Build a text of 10,000 pieces',
    ways: [
      [
        '`push`, then `join`',
        'const list = []; for (const piece of pieces) list.push(piece); const all = list.join("");',
      ],
      ['`map`, then `join`', 'const all = pieces.map((piece) => piece).join("");'],
      ['`all += piece`', 'let all = ""; for (const piece of pieces) all += piece;'],
      ['`` all = `${all}${piece}` ``', 'let all = ""; for (const piece of pieces) all = `${all}${piece}`;'],
    ].map(([name, body]) =>
      plain(name, `const pieces = new Array(10000).fill('0123456789abcdef'); ${body} all.length;`),
    ),
  },
  {
    task: 'The largest ten of 2,000 numbers',
    ways: [
      plain(
        'insert each into a list of ten',
        `${numbers} const sorted = []; for (const number of numbers) { let place = sorted.length; while (place > 0 && sorted[place - 1] > number) place--; if (place > 0 || sorted.length < 10) sorted.splice(place, 0, number); if (sorted.length > 10) sorted.shift(); } ${top10};`,
      ),
      plain(
        'count by value, whole numbers as indices',
        `${numbers} const seen = []; for (const number of numbers) seen[number] = (seen[number] ?? 0) + 1; const sorted = []; for (let value = seen.length - 1; sorted.length < 10; value--) for (let i = 0; i < (seen[value] ?? 0); i++) sorted.unshift(value); ${top10};`,
      ),
      plain(
        'a merge sort in the script',
        `${numbers} function merge(list) { if (list.length < 2) return list; const half = list.length >> 1; const left = merge(list.slice(0, half)); const all = []; let next = 0; for (const item of merge(list.slice(half))) { while (next < left.length && left[next] <= item) all.push(left[next++]); all.push(item); } return all.concat(left.slice(next)); } const sorted = merge(numbers); ${top10};`,
      ),
      plain('`numbers.sort((a, b) => a - b)`', `${numbers} const sorted = numbers.sort((a, b) => a - b); ${top10};`),
    ],
  },
];
