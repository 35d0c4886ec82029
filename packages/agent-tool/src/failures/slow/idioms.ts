/** Code that is slow in this engine, and fast code that does the same. patterns.ts finds such code. */
export interface SlowIdiom {
  id: string;
  /** Completes "Line 3 …". */
  what: string;
  advice: string;
  /** A complete script. */
  example: string;
  /** Whether it also takes much memory. */
  fillsHeap?: boolean;
}

/**
 * The costliest first. Measured in the engine: lists of 100,000 matches fill the heap, an exec loop over 100,000 takes
 * 1.2 s; over 1 MB of text, characters take 0.5 s, charAt 0.7 s, 100,000 times indexOf with a position 0.2 s; all of it
 * quadratic where the text is a field or is assigned again. match, split and replace with a pattern take 10 ms for 1 MB.
 */
export const slowIdioms = [
  {
    id: 'endless-loop',
    what: 'begins a loop that seems to have no end',
    advice: 'Give it a condition that becomes false: its body must change a variable that the condition uses.',
    example: `const text = 'abcdefgh';
const parts = [];
for (let from = 0; from < text.length; from += 3) parts.push(text.slice(from, from + 3));
parts`,
    fillsHeap: true,
  },
  {
    id: 'cut-head',
    what: 'cuts the beginning off a text in a loop: 3 µs a cut, and quadratic where the loop asks for more than the next part of it',
    advice: 'Split the text once and loop over the parts.',
    example: `const text = 'x\\ny\\nz\\n';
const lines = [];
for (const line of text.split('\\n')) if (line !== '') lines.push(line);
lines`,
  },
  {
    id: 'reduce-text',
    what: 'adds up a string with reduce, which copies it for each element',
    advice: 'Use join.',
    example: `['a', 'b', 'c'].join('')`,
  },
  {
    id: 'copied-accumulator',
    what: 'copies a growing array or object for each element',
    advice: 'Push into one array, or set keys of one object, in a loop.',
    example: `const lengths = {};
for (const word of ['a', 'bb', 'ccc']) lengths[word] = word.length;
lengths`,
    fillsHeap: true,
  },
  {
    id: 'queue',
    what: 'takes from or adds to the front of an array in a loop, which moves all the others',
    advice: 'Keep the array and go on by an index.',
    example: `const queue = [3];
const seen = [];
for (let next = 0; next < queue.length; next++) {
  const n = queue[next];
  seen.push(n);
  if (n > 0) queue.push(n - 1);
}
seen`,
  },
  {
    id: 'promise-chain',
    what: 'chains promises in a loop, which takes quadratic time',
    advice: 'Await in a loop instead.',
    example: `const double = async (n) => n * 2;
let total = 0;
for (const n of [1, 2, 3]) total += await double(n);
total`,
  },
  {
    id: 'keys-in-loop',
    what: 'lists the keys of an object in each turn of a loop',
    advice: 'Do it once before the loop, or count along.',
    example: `const counts = {};
let distinct = 0;
for (const word of ['a', 'b', 'a']) {
  if (counts[word] === undefined) distinct++;
  counts[word] = (counts[word] ?? 0) + 1;
}
distinct`,
  },
  {
    id: 'search-in-loop',
    what: 'searches a whole array in each turn of a loop',
    advice: 'Put it into a Map or Set before the loop and look there.',
    example: `const users = [{ id: 1, name: 'Ann' }, { id: 2, name: 'Bo' }];
const byId = new Map();
for (const user of users) byId.set(user.id, user);
[2, 1].map((id) => byId.get(id).name)`,
  },
  {
    id: 'match-all',
    what: 'uses matchAll, which builds a list for each match where more than its parts is used',
    advice:
      'Read m[1], m.groups.name or m.index right in the for…of loop, or take const [, a] = m there: then no list is built. Where no group is needed, call match with the g flag.',
    example: `const text = 'id=7 id=12';
(text.match(/id=\\d+/g) ?? []).map((found) => Number(found.slice(3)))`,
    fillsHeap: true,
  },
  {
    id: 'exec-loop',
    what: 'calls exec in a loop, which builds a list for each match',
    advice:
      'Loop over the text with split or match, or with for…of over matchAll where only m[1], m[2] and the like are read.',
    example: `const text = 'a=1 b=22';
const pairs = [];
for (const [, key, value] of text.matchAll(/(\\w)=(\\d+)/g)) pairs.push([key, value]);
pairs`,
  },
  {
    id: 'characters',
    what: 'goes over the characters of a text, 0.5 s for 1 MB',
    advice: "Use one regular expression with the g flag, or text.split('') where each character is needed.",
    example: `const text = 'banana';
const counts = {};
for (const character of text.split('')) counts[character] = (counts[character] ?? 0) + 1;
counts`,
    fillsHeap: true,
  },
  {
    id: 'positions',
    what: 'looks at a text by position in a loop: 1 s for 1 MB, and quadratic where the text is a field or is assigned again',
    advice:
      'Use one regular expression with the g flag, or split the text once and loop over the parts; or keep the text in a const.',
    example: `const text = 'a,b\\nc,d';
const fields = [];
for (const line of text.split('\\n')) fields.push(line.split(','));
fields`,
  },
  {
    id: 'index-of-loop',
    what: 'calls indexOf with a position in a loop: 2 µs a call, and more where the text is a field or is assigned again',
    advice: 'Split each range of the file once and loop over the parts; or count with one match.',
    example: `const text = 'a;b;;c';
let count = 0;
for (const part of text.split(';')) if (part !== '') count++;
count`,
  },
  {
    id: 'sort',
    what: 'sorts by a function that is called for each pair, 0.1 ms for each value',
    advice:
      'Compare only values or fields, which takes 0.7 s for 300,000: (a, b) => b.n - a.n || a.name.localeCompare(b.name). Compute what else it needs once for each value, before. query sorts, too: order by.',
    example: `[5, 3, 9, 1].sort((a, b) => a - b)`,
  },
  {
    id: 'concatenation',
    what: 'adds to a string in a loop, which copies it each time where it is also read there',
    advice: 'Push the parts into an array and join it once.',
    example: `const parts = [];
for (const n of [1, 2, 3]) parts.push(\`\${n};\`);
parts.join('')`,
  },
  {
    id: 'split-again',
    what: 'splits in each turn of a loop',
    advice: 'Find the lines that matter with one match first, and take only those apart.',
    example: `const text = 'GET /a 200\\nGET /b 500\\n';
(text.match(/^.* 500$/gm) ?? []).map((line) => /^\\w+ (\\S+)/.exec(line)[1])`,
    fillsHeap: true,
  },
] as const satisfies readonly SlowIdiom[];

export type SlowIdiomId = (typeof slowIdioms)[number]['id'];
