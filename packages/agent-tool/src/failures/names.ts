import { builtinNames } from '@mustard-sandbox/client';
import type { Failure } from './failure.ts';
import type { Rewrite } from './rewrites.ts';

type Names = [names: string, rewrite: Omit<Rewrite, 'what'>];

const paths = `const found = [];
for (const path of list_files()) if (path.endsWith('.txt')) found.push(path);
found`;

/** Globals of other environments, and what to use instead. */
const byName: Names[] = [
  [
    'require module exports fs path os child_process',
    {
      advice:
        'There are no modules. Files are read with read_file(path), listed with list_files(folder), measured with file_stats(path).',
      example: paths,
    },
  ],
  [
    'process Deno Bun __dirname __filename',
    {
      advice:
        'There is no process, environment or working folder. Write values into the script; paths begin at the project folder.',
      example: paths,
    },
  ],
  [
    'readFile readFileSync readdir readdirSync stat statSync open cat readfile read ls glob',
    {
      advice: 'The functions are read_file(path, { start, length }), list_files(folder) and file_stats(path).',
      example: `file_stats(list_files()[0]).size`,
    },
  ],
  [
    'write_file writeFile writeFileSync appendFile delete_file exec spawn',
    {
      advice: 'Scripts can only read. Return what should be written as the value of the script.',
      example: `const lines = ['# Report', 'all good'];
lines.join('\\n')`,
    },
  ],
  [
    'fetch XMLHttpRequest WebSocket http https axios',
    {
      advice: 'There is no network. Work with the files that are there.',
      example: `const there = [];
for (const path of list_files('attachments:')) there.push(path);
there`,
    },
  ],
  [
    'setTimeout setInterval setImmediate queueMicrotask clearTimeout clearInterval requestAnimationFrame',
    {
      advice: 'There are no timers, and nothing to wait for: call the function directly.',
      example: `const later = async (n) => n + 1;
await later(1)`,
    },
  ],
  [
    'eval Function',
    {
      advice: 'There is no evaluation of text. Choose from functions by name.',
      example: `const operations = { '+': (a, b) => a + b, '*': (a, b) => a * b };
operations['*'](6, 7)`,
    },
  ],
  [
    'global window self document',
    {
      advice: 'The global object is globalThis; there is no browser.',
      example: `globalThis.answer = 42;
globalThis.answer`,
    },
  ],
  [
    'Symbol Iterator',
    {
      advice: 'Use a string as the key. Of all symbols there is Symbol.iterator, as the name of a method.',
      example: `const list = { items: [1, 2, 3] };
let total = 0;
for (const item of list.items) total += item;
total`,
    },
  ],
  [
    'Proxy',
    {
      advice: 'Use a function instead of the intercepted access; Object.keys, in and delete work on plain objects.',
      example: `const counts = { a: 1 };
const countOf = (key) => counts[key] ?? 0;
[countOf('a'), countOf('b')]`,
    },
  ],
  [
    'BigInt64Array BigUint64Array Float16Array SharedArrayBuffer',
    {
      advice: 'Use a plain array; a plain number already is a double.',
      example: `const buckets = new Array(4).fill(0);
for (const n of [0, 1, 1, 3]) buckets[n]++;
buckets`,
    },
  ],
  [
    'Buffer Blob',
    {
      advice:
        "read_file gives text already; read_file(path, { encoding: 'base64' }) gives the bytes in base64, Uint8Array.fromBase64(text) as numbers.",
      example: `const [path] = list_files();
[read_file(path, { length: 3 }), read_file(path, { length: 3, encoding: 'base64' })]`,
    },
  ],
  [
    'WeakRef FinalizationRegistry',
    {
      advice: 'Use a Map or Set.',
      example: `const names = new Map();
const key = {};
names.set(key, 'a');
names.get(key)`,
    },
  ],
  [
    'URL URLSearchParams',
    {
      advice: 'Take addresses apart with a regular expression; decodeURIComponent is there.',
      example: `const url = 'https://example.com/a/b?q=x%20y';
const { host, path, query } = /^\\w+:\\/\\/(?<host>[^/]+)(?<path>[^?]*)\\??(?<query>.*)$/.exec(url).groups;
[host, path, decodeURIComponent(query)]`,
    },
  ],
  [
    'crypto',
    {
      advice: 'There are Date.now() and Math.random().',
      example: `const started = Date.now();
Date.now() - started < 1000`,
    },
  ],
];

const rewriteOfName = new Map(byName.flatMap(([names, rewrite]) => names.split(' ').map((name) => [name, rewrite])));

/** The answer to a global that does not exist. */
export function missingName(fullName: string, failure: Failure): Rewrite {
  const name = fullName.slice(0, 64);
  const what = `There is no ${name} here.`;
  const known = rewriteOfName.get(name);
  if (known !== undefined) return { what, ...known };
  const similar = similarName(name, failure);
  if (similar !== undefined) {
    return { what, advice: `There is ${similar}.`, example: `typeof ${similar}` };
  }
  if (isOwnName(fullName, failure)) {
    return {
      what: `A function expression cannot call itself by its own name, ${name}.`,
      advice: 'Declare it as a function.',
      example: `function countDown(n) {\n  return n > 0 ? countDown(n - 1) : 'done';\n}\ncountDown(3)`,
    };
  }
  if (isAssigned(fullName, failure)) {
    return {
      what: `${name} is assigned but was never declared.`,
      advice: 'Declare every variable with let or const, in a block around all its uses.',
      example: `let ${name} = 1;\n${name} = ${name} + 1;\n${name}`,
    };
  }
  if (isCalled(fullName, failure)) {
    return {
      what: `There is no function ${name} here.`,
      advice: `Write it in the script, or use one of the functions that are there: ${failure.functions}.`,
      example: `function ${name}(value) {\n  return value + 1;\n}\n${name}(1)`,
    };
  }
  return {
    what: `${name} is not defined.`,
    advice: `Declare it with let or const in a block around all its uses. The functions that are there: ${failure.functions}.`,
    example: `const ${name} = 1;\n${name}`,
  };
}

/** Every name that has its own answer. A test provokes each of them. */
export const answeredNames: readonly string[] = [...rewriteOfName.keys()];

/** `readfile`, `listFiles` → `read_file`, `list_files`. */
function similarName(name: string, { context }: Failure): string | undefined {
  const plain = (text: string): string => text.replaceAll('_', '').toLowerCase();
  const names = [...builtinNames, 'console', ...(context.hostFunctions ?? [])];
  return names.find((other) => plain(other) === plain(name));
}

function isOwnName(name: string, { program }: Failure): boolean {
  return program?.some((node) => node.type === 'FunctionExpression' && node.id?.name === name) ?? false;
}

function isCalled(name: string, { program }: Failure): boolean {
  return (
    program?.some(
      (node) => node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === name,
    ) ?? false
  );
}

function isAssigned(name: string, { program }: Failure): boolean {
  return (
    program?.some(
      (node) => node.type === 'AssignmentExpression' && node.left.type === 'Identifier' && node.left.name === name,
    ) ?? false
  );
}
