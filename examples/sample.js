/**
 * Lines of a big file chosen at random, each as likely as any other, with their numbers.
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {number} [count=10] - how many, at most 1000
 * @param {number} [seed=1] - another number gives other lines, the same number the same
 * @param {number} [width=500] - characters of a line at most
 * @example mustard-sandbox run sample.js --attach server.log --input count=20 --input seed=2
 */
const { file = list_files('attachments:')[0], count = 10, seed = 1, width = 500 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('count', count, Number.isInteger(count) && count > 0 && count <= 1000, 'a whole number from 1 to 1000');
check('seed', seed, Number.isInteger(seed), 'a whole number');
check('width', width, Number.isInteger(width) && width > 0, 'a whole number from 1');

const step = 1048576;
const { size, isText } = file_stats(file);
if (!isText) throw new Error(`${file} is not text`);

/** Line breaks before each range. */
const breaks = [0];
let endsWithBreak = true;
for (let start = 0; start < size; start += step) {
  const text = read_file(file, { start, length: step });
  breaks.push(breaks[breaks.length - 1] + text.split('\n').length - 1);
  // A range may be empty: the end of a character that began in the range before.
  if (text !== '') endsWithBreak = text.endsWith('\n');
}
const total = breaks[breaks.length - 1] + (endsWithBreak ? 0 : 1);

let state = seed;
/** From 0 up to 1. Math.random would give other lines every time. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}

// Floyd's way to choose without repeating: no list of all lines is needed.
const chosen = new Set();
for (let last = Math.max(0, total - count); last < total; last++) {
  const candidate = Math.floor(random() * (last + 1));
  chosen.add(chosen.has(candidate) ? last : candidate);
}

let range = 0;
let pieces;
const piecesOf = (index) => read_file(file, { start: index * step, length: step }).split('\n');
const found = [];
for (const number of [...chosen].sort((a, b) => a - b)) {
  // The range with the line break before this line.
  const before = range;
  while (number > breaks[range + 1]) range++;
  if (pieces === undefined || range !== before) pieces = piecesOf(range);
  let text = pieces[number - breaks[range]];
  let isWhole = number < breaks[range + 1];
  for (let next = range + 1; !isWhole && text.length <= width && next * step < size; next++) {
    const rest = piecesOf(next);
    text += rest[0];
    isWhole = rest.length > 1;
  }
  if (text.endsWith('\r')) text = text.slice(0, -1);
  found.push({ line: number + 1, text: text.length > width ? `${text.slice(0, width)}…` : text });
}

({ lines: total, sample: found });
