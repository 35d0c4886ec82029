/**
 * The last lines of a big file, reading only its end.
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {number} [count=10] - how many lines
 * @param {number} [width=1000] - characters of a line at most
 * @example mustard-sandbox run tail.js --attach server.log --input count=20
 */
const { file = list_files('attachments:')[0], count = 10, width = 1000 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('count', count, Number.isInteger(count) && count > 0, 'a whole number from 1');
check('width', width, Number.isInteger(width) && width > 0, 'a whole number from 1');

const { size, isText } = file_stats(file);
if (!isText) throw new Error(`${file} is not text`);

// More would not fit into the script's memory: of a line that is longer still, the end is given.
const most = 8 * 1048576;
let start = size;
let length = 16384;
let text = '';
// One line break more than lines: the one that ends the line before.
while (start > 0 && text.length < most && text.split('\n').length <= count + 1) {
  length = Math.min(length * 2, 1048576);
  const from = Math.max(0, start - length);
  text = read_file(file, { start: from, length: start - from }) + text;
  start = from;
}

const all = text.split('\n');
if (all[all.length - 1] === '') all.pop();
all
  .slice(Math.max(0, all.length - count))
  .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  .map((line) => (line.length > width ? `${line.slice(0, width)}…` : line))
  .join('\n');
