import type { Construct } from '@mustard-sandbox/client';

/** What to write instead. */
export interface Advice {
  /** The advice in one line. Lists of several problems show it too. */
  advice: string;
  /** A complete script. */
  example: string;
}

/** Advice that adds to the words of an error. Advice that depends on a name is in names.ts. */
export const advices: Partial<Record<Construct, Advice>> = {
  module: {
    advice:
      'There are no modules: no import, no export. All functions are global: read_file, list_files, Math and the like.',
    example: `const sizes = {};
for (const path of list_files()) if (!path.endsWith('/')) sizes[path] = file_stats(path).size;
sizes`,
  },
  use_before_declaration: {
    advice: 'Move the declaration up, before the first use.',
    example: `const limit = 2;
const isBig = (n) => n > limit;
isBig(3)`,
  },
  constant_assignment: {
    advice: 'Declare it with let.',
    example: `let total = 1;
total += 2;
total`,
  },
  nullish_access: {
    advice:
      'match and exec give null where nothing matches; find, at, pop and a missing key or index give undefined. Use ?. and ??.',
    example: `const id = 'no digits'.match(/\\d+/)?.[0] ?? 'none';
id`,
  },
  not_iterable: {
    advice: 'Loop over the entries of a plain object; use ?? [] where match may give null.',
    example: `const counts = { a: 1, b: 2 };
let total = 0;
for (const [, count] of Object.entries(counts)) total += count;
total + ('x'.match(/\\d/g) ?? []).length`,
  },
  json_syntax: {
    advice:
      'A file with one JSON value a line is parsed line by line; check that the text is not cut off, not empty, and not a promise.',
    example: `const text = '{"n": 1}\\n{"n": 2}\\n';
let total = 0;
for (const line of text.split('\\n')) if (line !== '') total += JSON.parse(line).n;
total`,
  },
  unsettled_promise: {
    advice: 'There are no timers and events: call resolve, or return the value from an async function.',
    example: `const load = async (n) => n * 2;
await load(21)`,
  },
  cyclic_value: {
    advice: 'Return the fields that matter, with a name instead of the reference.',
    example: `const parent = { name: 'root', children: [] };
const child = { name: 'leaf', parent };
parent.children.push(child);
parent.children.map(({ name, parent }) => ({ name, parent: parent.name }))`,
  },
};
