import type { Construct } from '@mustard-sandbox/client';

/** What to write instead of a construct that the language lacks, or of an operation that fails. */
export interface Rewrite {
  /** What happened: a whole sentence. */
  what: string;
  /** What to do, in one line. Lists of several problems show it too. */
  advice: string;
  /** A complete script. */
  example: string;
}

/** The answers that are always the same. Answers that depend on a name are in names.ts and members.ts. */
export const rewrites: Partial<Record<Construct, Rewrite>> = {
  class: {
    what: 'Classes have no private getters and setters, and super is followed by a name.',
    advice: 'Write a private method and call it.',
    example: `class Box {
  #width = 2;
  #area() { return this.#width ** 2; }
  area() { return this.#area(); }
}
new Box().area()`,
  },
  generator: {
    what: 'This generator cannot be stepped through by next().',
    advice: 'Loop over it with for...of, spread it, or take it apart: const [first] = ids().',
    example: `function* ids() { yield 1; yield 2; }
const [first] = ids();
first`,
  },
  accessor: {
    what: 'The name of a getter or setter must stand there, not be computed.',
    advice: 'Write the name, or a method.',
    example: `const box = { width: 2, height: 3, get area() { return this.width * this.height; } };
box.area`,
  },
  module: {
    what: 'There are no modules: no import, no export.',
    advice: 'All functions are global: read_file, list_files, file_stats, Math, JSON and the like.',
    example: `const sizes = {};
for (const path of list_files()) if (!path.endsWith('/')) sizes[path] = file_stats(path).size;
sizes`,
  },
  use_before_declaration: {
    what: 'A let or const is used before the line that declares it.',
    advice: 'Move the declaration up, before the first use.',
    example: `const limit = 2;
const isBig = (n) => n > limit;
isBig(3)`,
  },
  constant_assignment: {
    what: 'A const is assigned again.',
    advice: 'Declare it with let.',
    example: `let total = 1;
total += 2;
total`,
  },
  not_callable: {
    what: 'Something is called like a function but is not a function.',
    advice:
      'length and size are not functions. A function expression cannot call itself by its own name: declare it instead.',
    example: `function depth(list) {
  return Array.isArray(list) ? 1 + Math.max(0, ...list.map(depth)) : 0;
}
depth([1, [2, [3]]]) + 'abc'.length`,
  },
  nullish_access: {
    what: 'A property of null or undefined is read.',
    advice:
      'match and exec give null where nothing matches; find, at, pop and a missing key or index give undefined. Use ?. and ??.',
    example: `const id = 'no digits'.match(/\\d+/)?.[0] ?? 'none';
id`,
  },
  not_iterable: {
    what: 'A value that is not an array, string, Map or Set is looped over, spread or destructured.',
    advice: 'Loop over the entries of a plain object; use ?? [] where match may give null.',
    example: `const counts = { a: 1, b: 2 };
let total = 0;
for (const [, count] of Object.entries(counts)) total += count;
total + ('x'.match(/\\d/g) ?? []).length`,
  },
  coercion: {
    what: 'An object, array or Date is used as a number.',
    advice:
      'Take the number out of it: date.getTime(), list.length, Number(text). A template of values alone adds them: use String(value).',
    example: `const start = new Date('2026-04-20T11:00:00Z');
const end = new Date('2026-04-20T12:30:00Z');
(end.getTime() - start.getTime()) / 60000`,
  },
  call_in_callback: {
    what: 'A function of the sandbox (read_file, list_files, file_stats, console.log, a host function) is called inside a callback of map, forEach, filter, sort, replace or the like. That cannot work.',
    advice: 'Make the call in a for...of loop.',
    example: `const sizes = [];
for (const path of list_files()) {
  if (!path.endsWith('/')) sizes.push(file_stats(path).size);
}
sizes`,
  },
  look_ahead: {
    what: 'Regular expressions have no look-ahead.',
    advice: 'Match more, and take a group out of the match; for "not followed by" use two tests.',
    example: `const text = 'price: 12 EUR, size: 7 cm';
const price = /(\\d+) EUR/.exec(text)?.[1];
const isPlain = (word) => /^foo/.test(word) && !/^foobar/.test(word);
[price, ['foo', 'foobar', 'food'].filter(isPlain)]`,
  },
  look_behind: {
    what: 'Regular expressions have no look-behind.',
    advice: 'Match the text before it as well, and take a group out of the match; for "not preceded by" use two tests.',
    example: `const text = 'user=ann id=42';
const id = /id=(\\d+)/.exec(text)?.[1];
const isClosed = (line) => /closed/.test(line) && !/not closed/.test(line);
[id, isClosed('not closed'), isClosed('closed')]`,
  },
  backreference: {
    what: 'Regular expressions have no backreferences.',
    advice: 'Capture both parts and compare them.',
    example: `const isDoubled = (text) => {
  const found = /^(\\w+) (\\w+)$/.exec(text);
  return found !== null && found[1] === found[2];
};
[isDoubled('the the'), isDoubled('the cat')]`,
  },
  regex_flag: {
    what: 'A regular expression has an unknown flag.',
    advice: 'The flags are d, g, i, m, s, u and y.',
    example: `/\\p{L}+/u.exec('12 größe')[0]`,
  },
  regex_syntax: {
    what: 'A regular expression is not accepted; its syntax is stricter here.',
    advice:
      'Put - last in a class and escape [ in it; \\p{…} needs the u flag; write [\\s\\S] for [^], {0,5} for {,5}; there are no inline flags.',
    example: `/[\\w.\\[-]+/.exec('a.b-c[0]')[0] + /\\p{L}+/u.exec('12 größe')[0]`,
  },
  json_syntax: {
    what: 'JSON.parse got a text that is more or less than one JSON value.',
    advice:
      'A file with one JSON value a line is parsed line by line; check that the text is not cut off, not empty, and not a promise.',
    example: `const text = '{"n": 1}\\n{"n": 2}\\n';
let total = 0;
for (const line of text.split('\\n')) if (line !== '') total += JSON.parse(line).n;
total`,
  },
  nesting: {
    what: 'A value, or the script itself, is nested deeper than 127 levels.',
    advice: 'Keep a flat list, with the depth or the parent of each item. Make functions of inner blocks.',
    example: `const items = [];
for (let depth = 0; depth < 200; depth++) items.push({ depth, name: \`n\${depth}\` });
items.length`,
  },
  unsettled_promise: {
    what: 'The script waits for a promise that nothing will ever settle.',
    advice: 'There are no timers and events: call resolve, or return the value from an async function.',
    example: `const load = async (n) => n * 2;
await load(21)`,
  },
  engine_fault: {
    what: 'The script hit a fault of the engine; it is not a mistake in the script.',
    advice: 'Do the same with fewer callbacks: a plain loop over fewer elements.',
    example: `const values = [];
for (let i = 0; i < 5; i++) values.push(i * i);
values`,
  },
  shared_reference: {
    what: 'The same object or array occurs twice in a value that leaves the script.',
    advice: 'Copy it where it occurs again: {...object} or [...array].',
    example: `const range = { from: 1, to: 2 };
[{ name: 'a', range: { ...range } }, { name: 'b', range: { ...range } }]`,
  },
  cyclic_value: {
    what: 'A value contains itself, so it cannot leave the script or become JSON.',
    advice: 'Return the fields that matter, with a name instead of the reference.',
    example: `const parent = { name: 'root', children: [] };
const child = { name: 'leaf', parent };
parent.children.push(child);
parent.children.map(({ name, parent }) => ({ name, parent: parent.name }))`,
  },
  map_or_set_value: {
    what: 'A Map or Set cannot leave the script.',
    advice: 'Spread it into an array, or make an object of it with Object.fromEntries.',
    example: `const counts = new Map([['a', 1], ['b', 2]]);
const names = new Set(['x', 'y']);
({ counts: Object.fromEntries(counts), names: [...names] })`,
  },
  date_value: {
    what: 'A Date cannot leave the script.',
    advice: 'Return its ISO string, or its milliseconds with getTime().',
    example: `const start = new Date('2026-04-20T12:00:00Z');
({ start: start.toISOString(), ms: start.getTime() })`,
  },
  bigint_value: {
    what: 'A BigInt cannot leave the script.',
    advice: 'Return String(value), or Number(value) where it is small enough.',
    example: `const big = 2n ** 64n;
String(big)`,
  },
  function_value: {
    what: 'A function or a promise cannot leave the script.',
    advice: 'Call the function and return what it gives; await promises, with Promise.all where there are several.',
    example: `const double = async (n) => n * 2;
const total = () => 3;
[total(), ...(await Promise.all([1, 2].map(double)))]`,
  },
  exotic_value: {
    what: 'Only plain objects, arrays, strings, numbers, booleans, null and undefined can leave the script.',
    advice:
      'Return String(pattern) for a regular expression, error.message for an error, [...iterator] for an iterator.',
    example: `const pattern = /a+/g;
const error = new Error('no');
[String(pattern), error.message, [...new Map([['k', 1]]).keys()]]`,
  },
};
