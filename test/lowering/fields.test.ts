import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

const values = [
  ...[
    "'12'",
    "' 3.5 '",
    "''",
    "' '",
    "'0x1f'",
    "'0b11'",
    "'0o7'",
    "'1e3'",
    "'1e400'",
    "'-Infinity'",
    "'infinity'",
    "'1_0'",
  ],
  ...[
    "'12px'",
    "'.5'",
    "'5.'",
    "'+4'",
    "'--4'",
    "'\\ufeff7'",
    "'7\\u00a0'",
    "'\\n8\\n'",
    "'9007199254740993'",
    "'0.1'",
    "'-0'",
  ],
  ...[
    "'1n'",
    "'\\u0663'",
    'null',
    'undefined',
    'true',
    '7',
    '-0',
    '[]',
    "['8']",
    '[1, 2]',
    '{}',
    'new Date(5)',
    '12n',
    "'e'",
  ],
];

it.each(values)('makes a number of %s', async (value) => {
  await expectAsInV8(
    `const given = ${value}; const list = [given]; [Number(given), Number(list[0]), Number(${value})];`,
  );
});

const numbers = ['2.5', '-2.5', '-0.5', '-0.4', '-0', '0', '0.49999999999999994', '1.5', '-1.5', '1e21', '-1e21'];
it.each([
  ...numbers,
  '9007199254740991.0',
  '4503599627370495.5',
  '-4503599627370495.5',
  'NaN',
  'Infinity',
  '-Infinity',
])('rounds %s', async (number) => {
  await expectAsInV8(
    `const n = ${number}; let m = n; m *= 1; [Math.round(n), Math.round(n * 1), Math.round(m), Math.round(+n)];`,
  );
});

it.each([
  `Math.round('2.5')`,
  `Math.round()`,
  `Math.round(undefined)`,
  `Math.round(2.5, 1)`,
  `[1.5, -1.5].map(Math.round)`,
  `(() => { const Math = { round: () => 7 }; return Math.round(1.2 * 2); })()`,
  `Math.round = () => 9; Math.round(1.5 * 3)`,
  `Math.floor = () => 9; Math.round(1.5 * 3)`,
  `const own = Math; own.round = () => 9; Math.round(1.5 * 3)`,
  `Math.round(2n * 3n)`,
  `Math.round(Math.round(1.4 * 3) * 2.5)`,
  `let count = 0; const next = () => ++count; [Math.round(next() * 1.5), Math.round(-next()), Number(String(next())), count]`,
  `let text = ''; for (const c of ['4', '2']) text += c; [Number(text), text.trim(), text]`,
  `let text = ' '; for (const c of ['4', ' ']) text += c; const [a, b] = text.split('4'); [a, b, text.trim()]`,
  `[' a ', '\\ufeffa', 'a\\ufeff ', ' \\ufeff\\ufeff a', '', '\\ufeff'].map((s) => [s.trim(), s.trimStart(), s.trimEnd()])`,
  `const own = { trim: () => 5, trimEnd() { return this.n; }, n: 6 }; [own.trim(), own.trimEnd()]`,
  `class Hair { constructor() { this.n = 3; } trim() { return this.n; } } new Hair().trim()`,
  `[undefined, null].map((row) => row?.name.trim())`,
  `const row = { name: ' x ' }; [row?.name.trim(), row.name.trim().length, row.name['trim']()]`,
  `let none; none.trim()`,
  `(5).trim()`,
  `const calls = []; const get = () => { calls.push(1); return ' z '; }; [get().trim(), calls.length]`,
  `const line = 'a,b,c'; const [x, , z, w = 'no'] = line.split(','); [x, z, w]`,
  `const line = 'a1b2c'; const [x, y, ...rest] = line.split(/\\d/); [x, y, rest]`,
  `const line = { split: () => new Set([1, 2]) }; const [x, y] = line.split(','); [x, y]`,
  `const line = { split: () => 'pq' }; const [x, y] = line.split(','); [x, y]`,
  `const counts = {}; for (const line of ['a,1', 'b,2', 'a,3']) { const [key, n] = line.split(','); counts[key] = (counts[key] ?? 0) + Number(n); } counts`,
  `[parseInt('12', 10), parseInt('0x1f', 10), parseInt('0x1f'), parseInt(' 7 '), parseInt('\\ufeff8'), parseInt('', 10), parseInt('12345678901234567', 10), parseInt(5.7, 10), parseInt(null, 10)]`,
  `const line = 'a,b,c'; [line.split(',', 0), line.split(',', 2), line.split(',', 9), line.split('', 2), line.split(/,/, 2), line.split(',', -1), line.split(',', 2.9), line.split(undefined, 1), line.split(/(,)/, 2)]`,
  `['1', '2', '3'].map(Number)`,
  `['1', '2', '3'].map(parseInt)`,
])('%s', async (script) => {
  await expectAsInV8(script);
});
