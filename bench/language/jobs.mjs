import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a script does with much data, as models write it, whose cost in the engine alone grows with the square.
 *
 * @typedef {{ title: string, script: string, scope?: object, limits: object, functions?: Record<string, Function> }} LanguageJob
 *   `functions`: the sidecar's file functions, as a host gives them to another engine
 */

/** The same numbers everywhere: a generator whose products stay exact. */
const random = `let seed = 1; const random = () => (seed = (seed * 48271) % 2147483647);`;

const words = `const words = []; for (let i = 0; i < 60000; i++) words.push('id=' + i + ' name' + (i % 7)); const text = words.join('\\n');`;

const csv = `
const path = 'attachments:rows.csv';
const step = 1048576;
const { size } = file_stats(path);
const totals = {};
let rest = '';
let rows = 0;
for (let start = 0; start < size; start += step) {
  const text = rest + read_file(path, { start, length: step });
  const lines = text.split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const [id, city, amount] = line.split(',');
    totals[city] = (totals[city] ?? 0) + Number(amount);
    rows++;
  }
}
[rows, totals.c3];`;

/**
 * @param {{ quick: boolean, folder: string }} setting `folder`: for the file
 * @returns {Record<string, LanguageJob>}
 */
export function languageJobs({ quick, folder }) {
  const limits = {
    timeoutMs: quick ? 10_000 : 60_000,
    instructions: 2_000e6,
    allocations: 5e6,
    heapBytes: 256 * 1024 * 1024,
  };
  const rows = quick ? 100_000 : 1_000_000;
  return {
    'sort-numbers': {
      title: 'sort of 300,000 numbers',
      script: `${random} const xs = []; for (let i = 0; i < 300000; i++) xs.push(random());\nxs.sort((a, b) => a - b); [xs[0], xs[150000]];`,
      limits,
    },
    'sort-objects': {
      title: 'sort of 100,000 objects',
      script: `${random} const xs = []; for (let i = 0; i < 100000; i++) xs.push({ n: random(), i });\nxs.sort((a, b) => b.n - a.n); [xs[0].i, xs[99999].n];`,
      limits,
    },
    matches: {
      title: 'matchAll over 1 MB',
      script: `${words}\nlet sum = 0; for (const match of text.matchAll(/id=(\\d+)/g)) sum += Number(match[1]); sum;`,
      limits,
    },
    characters: {
      title: 'the characters of 1 MB',
      script: `${words}\nlet found = 0; for (const c of text) if (c === '=') found++;\nfor (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 10) found++; found;`,
      limits,
    },
    exec: {
      title: 'exec until null over 1 MB',
      script: `${words}\nconst id = /id=(\\d+)/g; let sum = 0; let match; while ((match = id.exec(text)) !== null) sum += Number(match[1]); sum;`,
      limits,
    },
    positions: {
      title: 'charAt and [i] of 1 MB',
      script: `${words}\nlet found = 0; for (let i = 0; i < text.length; i++) if (text[i] === '=') found++;\nfor (let i = 0; i < text.length; i++) if (text.charAt(i) === '\\n') found++; found;`,
      limits,
    },
    'indexOf-slice': {
      title: 'lines of 1 MB by indexOf and slice',
      script: `${words}\nlet start = 0; let longest = ''; let lines = 0;\nwhile (start < text.length) {\n  let end = text.indexOf('\\n', start);\n  if (end === -1) end = text.length;\n  const line = text.slice(start, end);\n  if (line.length > longest.length) longest = line;\n  lines++;\n  start = end + 1;\n}\n[lines, longest];`,
      limits,
    },
    'cut-head': {
      title: 'lines of 1 MB, each cut off the head',
      script: `${words}\nlet rest = text; let lines = 0;\nwhile (rest.length > 0) {\n  const end = rest.indexOf('\\n');\n  if (end === -1) break;\n  rest = rest.slice(end + 1);\n  lines++;\n}\n[lines, rest];`,
      limits,
    },
    building: {
      title: '1 MB by +=',
      script: `let text = ''; for (let i = 0; i < 60000; i++) text += 'id=' + i + ' name' + (i % 7) + '\\n'; [text.length, text.slice(-12)];`,
      limits,
    },
    csv: {
      title: `a CSV of ${rows} rows by hand`,
      script: csv,
      ...overRows(makeRows(join(folder, 'rows.csv'), rows)),
      limits,
    },
  };
}

function makeRows(path, rows) {
  const file = openSync(path, 'w');
  for (let start = 0; start < rows; start += 10_000) {
    const lines = Array.from(
      { length: 10_000 },
      (_, i) => `${start + i},c${(start + i) % 17},${(start + i) % 1000}.5\n`,
    );
    writeSync(file, lines.join(''));
  }
  closeSync(file);
  return path;
}

function overRows(path) {
  return {
    scope: { attachments: [{ name: 'rows.csv', path }] },
    functions: {
      file_stats: () => ({ size: statSync(path).size }),
      read_file: (_name, { start, length }) => readRange(path, start, length),
    },
  };
}

function readRange(path, start, length) {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, length, start));
  } finally {
    closeSync(file);
  }
}
