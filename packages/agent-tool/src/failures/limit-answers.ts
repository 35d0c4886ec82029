import { installedBuiltins, readLimitTable } from '@mustard-sandbox/client';
import { builtinLimitAnswer, lessFromBuiltins } from './builtin-answers.ts';
import type { Answer, Failure } from './failure.ts';
import { compressedFileOf, measurementsOf } from './measured.ts';
import { formatLimit, limitAndActual } from './words.ts';

const anyFile = 'attachments:server.log';

/** How built-ins do the work of a whole loop outside of the engine. */
function byBuiltins(): string {
  const sql = installedBuiltins().includes('query')
    ? ' query(sql, { t: path }) for percentiles, sums by group and joins;'
    : '';
  return `Let a built-in do the work: search(path, /re/, { count: true }) or { by: 1 } instead of match in a loop;${sql} read_json(path, { pointer }) for JSON. Or split the work over several runs.`;
}

/** The answer to `timeout`. The cause is always too much work, and never the syntax of the script. */
export function timeoutAnswer(failure: Failure): Answer {
  const { value, unit, killed } = failure.error.details;
  const limit = value === undefined ? 'its time limit' : `the time limit of ${formatLimit(value, unit)}`;
  const how =
    killed === true
      ? 'It was inside one long operation on a large text or array, which cannot be stopped half-way.'
      : 'It is valid code that does too much work.';
  const what = `The script ran into ${limit} and was stopped. ${how}${measurementsOf(failure)}`;
  const compressed = compressedFileOf(failure);
  if (compressed !== undefined) return { what, ...inOnePass(compressed) };
  return {
    what,
    advice: byBuiltins(),
    example: rangeLoop(anyFile, readLimitTable.maxReadBytes.default),
  };
}

/** Each call reads a compressed file from its beginning, so a part of it takes as long as everything before it. */
function inOnePass(path: string): Pick<Answer, 'advice' | 'example'> {
  const sql = installedBuiltins().includes('query') ? ', query(sql, { t: path }) for tables' : '';
  return {
    advice: `${quote(path)} is compressed, and no call can begin in its middle: let one call read it once. search(path, /re/, { count: true }) or { by: 1 } for lines${sql}, read_json(path, { pointer }) for JSON. If one pass takes too long, ask for more time or for the unpacked file.`,
    example: `search(${JSON.stringify(path)}, /ERROR/, { count: true })`,
  };
}

function quote(path: string): string {
  return JSON.stringify(shortened(path));
}

export function limitAnswer(failure: Failure): Answer {
  const { limit = '', capability } = failure.error.details;
  const ofBuiltin = builtinLimitAnswer(failure);
  if (ofBuiltin !== undefined) return ofBuiltin;
  const answer = byLimit[limit];
  const [amount = 'its limit', asked = ''] = limitAndActual(failure.error.details, limit);
  if (answer !== undefined) return answer(failure, amount, asked);
  return {
    what: capability === undefined ? 'The script went over a limit.' : `${capability}() gave or got too much.`,
    advice: 'Ask for less at a time, and return counts or slices.',
    example: rangeLoop(anyFile, readLimitTable.maxReadBytes.default),
  };
}

type LimitAnswer = (failure: Failure, amount: string, asked: string) => Answer;

const byLimit: Record<string, LimitAnswer> = {
  instructions: (failure, amount) => ({
    what: `The script used up its limit of ${amount}. It is valid code that does too much work.${measurementsOf(failure)}`,
    advice: byBuiltins(),
    example: rangeLoop(anyFile, readLimitTable.maxReadBytes.default),
  }),
  heap_bytes: (failure, amount) => ({
    what: `The script's values need more than the limit of ${amount} of memory.${measurementsOf(failure)}`,
    advice:
      'Keep counts and slices, never a whole big file or a list of all its lines: read a range, take from it what the answer needs, go on.',
    example: rangeLoop(anyFile, readLimitTable.maxReadBytes.default),
  }),
  allocations: (_, amount) => ({
    what: `The script keeps more values at a time than its limit of ${amount}.`,
    advice: 'Count or add up in one object instead of keeping an object or array for each line.',
    example: rangeLoop(anyFile, readLimitTable.maxReadBytes.default),
  }),
  call_depth: (_, amount) => ({
    what: `The script's functions call each other deeper than the limit of ${amount}.`,
    advice: 'Turn the recursion into a loop with a list of what is still to do.',
    example: `const tree = { size: 1, children: [{ size: 2, children: [] }, { size: 3, children: [] }] };
let total = 0;
const open = [tree];
while (open.length > 0) {
  const node = open.pop();
  total += node.size;
  open.push(...node.children);
}
total`,
  }),
  outstanding_host_calls: (_, amount) => ({
    what: `More calls wait for their results at the same time than the limit of ${amount}.`,
    advice: 'Await a hundred at a time, or each call in a loop.',
    example: `const rows = [...Array(250).keys()];
const call = async (row) => row;
let done = 0;
for (let from = 0; from < rows.length; from += 100) {
  done += (await Promise.all(rows.slice(from, from + 100).map(call))).length;
}
done`,
  }),
  host_calls: (_, amount) => ({
    what: `The script called host functions more often than the limit of ${amount}.`,
    advice: 'Call a function with more at a time where it takes a list, or only for what is left after a filter.',
    example: `const names = ['a.txt', 'b.txt', 'a.txt'];
const different = [...new Set(names)];
different.length`,
  }),
  value_items: (failure, amount) => ({
    what: `A value that leaves the script has more fields, lists and objects than the limit of ${amount}.`,
    advice: `Return counts, the first few, or one text.${lessFromBuiltins(failure)}`,
    example: `const rows = [{ id: 1, name: 'a' }, { id: 2, name: 'b' }];
rows.slice(0, 20).map(({ id, name }) => id + ' ' + name).join('\\n')`,
  }),
  output_bytes: (failure, amount, asked) => ({
    what: `The value of the script is ${asked} of JSON, over the limit of ${amount}.`,
    advice: `Return a count, the first few, or a summary.${lessFromBuiltins(failure)}`,
    example: `const matches = ['e1', 'e2', 'e1', 'e3'];
const counts = {};
for (const match of matches) counts[match] = (counts[match] ?? 0) + 1;
({ total: matches.length, first: matches.slice(0, 2), counts })`,
    hidePlace: true,
  }),
  snapshot_bytes: (_, amount, asked) => ({
    what: `What the script holds while it waits for a call is ${asked}, over the limit of ${amount}.`,
    advice: 'Before a call that is awaited, keep counts, slices and paths instead of whole texts and long lists.',
    hidePlace: true,
  }),
  read_bytes: ({ error: { details } }, amount, asked) => ({
    what: `One read_file call may read ${amount}, and this one asked for ${asked}${details.path === undefined ? '' : ` of ${JSON.stringify(shortened(details.path))}`}.`,
    ...readLess(shortened(details.path ?? anyFile), details.value ?? readLimitTable.maxReadBytes.default),
  }),
  total_read_bytes: ({ error: { details } }, amount) => ({
    what: `All calls of a run together may read ${amount}; this run wanted more.${partsOf(details)}`,
    advice:
      'Look at the beginning, the end or samples of the file, read nothing twice, or split the ranges over several runs.',
    example: `const path = ${JSON.stringify(shortened(details.path ?? anyFile))};
const { size } = file_stats(path);
const samples = [];
for (let i = 0; i < 4; i++) samples.push(read_file(path, { start: Math.floor((size * i) / 4), length: 200 }));
samples.map((text) => text.split('\\n')[1])`,
  }),
  script_bytes: (_, amount, asked) => ({
    what: `The script is ${asked} long, over the limit of ${amount}.`,
    advice: 'Write no data into the script: read it from a file.',
    example: `const found = [];
for (const path of list_files('attachments:')) found.push([path, file_stats(path).size]);
found`,
    hidePlace: true,
  }),
  input_bytes: (_, amount, asked) => ({
    what: `The inputs that the application passes to the script are ${asked}, over the limit of ${amount}.`,
    advice: 'The script cannot change that: tell the user that the data has to be attached as a file.',
    hidePlace: true,
  }),
  argument_bytes: (_, amount, asked) => ({
    what: `The arguments of one call of a function are ${asked}, over the limit of ${amount}.`,
    advice: 'Pass a count, a slice or a path instead of the whole text.',
  }),
  engine: () => ({
    what: 'A value is nested deeper than the engine can handle.',
    advice: 'Keep a flat list, with the depth or the parent of each item.',
  }),
};

/** Into how many parts to split a file that one run may not read completely. */
function partsOf({ spent, value }: Failure['error']['details']): string {
  const size = spent?.reached?.size;
  if (size === undefined || value === undefined || size <= value) return '';
  return ` The file has ${formatLimit(size, 'bytes')}: ${Math.ceil(size / value)} runs, each over a part.`;
}

/** JSON may be on one line, which a loop over lines cannot split. */
function readLess(path: string, step: number): Pick<Answer, 'advice' | 'example'> {
  if (/\.(?:json|geojson|har|ipynb)$/i.test(path)) {
    return {
      advice:
        "read_json reads out of JSON of any length: without options it gives the shape, then { pointer: '/items/0' } or '$.items[*].name' gives what is there.",
      example: `read_json(${JSON.stringify(path)})`,
    };
  }
  return {
    advice:
      'Read the file in ranges, and carry the unfinished last line over to the next one. Or let a built-in do it: search, lines, query.',
    example: rangeLoop(path, step),
  };
}

function shortened(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}

/** A loop over a file of any size. It carries the unfinished last line of a range over to the next one. */
export function rangeLoop(path: string, step: number): string {
  return `const path = ${JSON.stringify(path)};
const step = ${step};
const { size } = file_stats(path);
let count = 0;
let rest = '';
for (let start = 0; start < size; start += step) {
  const text = rest + read_file(path, { start, length: step });
  const end = start + step < size ? text.lastIndexOf('\\n') + 1 : text.length;
  rest = text.slice(end);
  count += (text.slice(0, end).match(/ERROR/g) ?? []).length;
}
count`;
}
