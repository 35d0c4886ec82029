import { builtinNames } from '@mustard-sandbox/client';
import type { Failure } from './failure.ts';
import type { Advice } from './advice.ts';

type Names = [names: string, advice: Advice];

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
    'setTimeout setInterval setImmediate clearTimeout clearInterval requestAnimationFrame',
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
    'Buffer Blob',
    {
      advice:
        "read_file gives text already; read_file(path, { encoding: 'base64' }) gives the bytes in base64, Uint8Array.fromBase64(text) as numbers.",
      example: `const [path] = list_files();
[read_file(path, { length: 3 }), read_file(path, { length: 3, encoding: 'base64' })]`,
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

const adviceOfName = new Map(byName.flatMap(([names, advice]) => names.split(' ').map((name) => [name, advice])));

/** What to use instead of a global that does not exist. */
export function adviceOnName(fullName: string, failure: Failure): Advice {
  const name = fullName.slice(0, 64);
  const known = adviceOfName.get(name);
  if (known !== undefined) return known;
  const similar = similarName(name, failure);
  if (similar !== undefined) return { advice: `There is ${similar}.`, example: `typeof ${similar}` };
  if (failure.code.includes(`${fullName}(`)) {
    return {
      advice: `Write it in the script, or use one of the functions that are there: ${failure.functions}.`,
      example: `function ${name}(value) {\n  return value + 1;\n}\n${name}(1)`,
    };
  }
  return {
    advice: `Declare it with let or const in a block around all its uses. The functions that are there: ${failure.functions}.`,
    example: `const ${name} = 1;\n${name}`,
  };
}

/** Every name that has its own answer. A test provokes each of these answers. */
export const answeredNames: readonly string[] = [...adviceOfName.keys()];

/** `readfile`, `listFiles` → `read_file`, `list_files`. */
function similarName(name: string, { context }: Failure): string | undefined {
  const plain = (text: string): string => text.replaceAll('_', '').toLowerCase();
  const names = [...builtinNames, 'console', ...(context.hostFunctions ?? [])];
  return names.find((other) => plain(other) === plain(name));
}
