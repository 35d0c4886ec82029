/**
 * The lines of a log between two times, reading little more than these.
 *
 * Finds the place by halving, so the log must be in the order of its times. They are compared as text, without regard to
 * time zones: 2026-04-20T12:34:56.789, also with a blank for the T. Lines without a time belong to the line before them.
 *
 * @param {string} [file] - the log; the first attachment, if not given
 * @param {string} from - such as "2026-04-20T12:30", or less of it: "2026-04-20"
 * @param {string} to - the end, not included
 * @param {number} [limit=50] - how many of the lines are shown
 * @param {number} [width=500] - characters of a line at most
 * @example mustard-sandbox run time-window.js --attach server.log --input 'from="2026-04-20T12:30"' --input 'to="2026-04-20T12:31"'
 */
const { file = list_files('attachments:')[0], from, to, limit = 50, width = 500 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
const isTime = (text) =>
  typeof text === 'string' && /^\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d([.,]\d+)?)?)?)?)?)?$/.test(text);
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('from', from, isTime(from), 'a time such as "2026-04-20T12:30"');
check('to', to, isTime(to), 'a time such as "2026-04-20T12:31"');
check('limit', limit, Number.isInteger(limit) && limit >= 0, 'a whole number from 0');
check('width', width, Number.isInteger(width) && width > 0, 'a whole number from 1');

const { size, isText } = file_stats(file);
if (!isText) throw new Error(`${file} is not text`);

const stamp = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?/;
const comparable = (text) => text.replace('T', ' ').replace(',', '.');
const first = comparable(from);
const until = comparable(to);
if (first >= until) throw new Error(`from must be before to, but ${from} is not before ${to}`);

/** The first time in a line that begins in this part of the file, if there is any. */
function timeAfter(start) {
  const text = read_file(file, { start, length: 65536 });
  const lines = start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  const match = lines.match(stamp);
  return match === null ? undefined : comparable(match[0]);
}

/** Halved: the last of these parts that begins before the window. */
const part = 65536;
let low = 0;
let high = Math.ceil(size / part);
let anyTime = false;
while (high - low > 1) {
  const middle = (low + high) >> 1;
  const time = timeAfter(middle * part);
  anyTime ||= time !== undefined;
  if (time !== undefined && time < first) low = middle;
  else high = middle;
}
if (!anyTime && size > 0 && timeAfter(0) === undefined)
  throw new Error(`${file} has no times such as 2026-04-20T12:34`);

/** The time of the last line that has one; `undefined` when none of the last lines has. */
function lastTime(block) {
  const lines = block.slice(-part).split('\n');
  for (let index = lines.length - 1; index > 0; index--) {
    const match = lines[index].match(stamp);
    if (match !== null) return comparable(match[0]);
  }
}

const found = { lines: 0, shown: [] };
let inside = false;
let isOver = false;
function look(block) {
  // Deep inside nothing but the number of lines is wanted, which takes a tenth of the time.
  if (inside && found.shown.length >= limit && lastTime(block) < until) {
    found.lines += block.split('\n').length - 1;
    return;
  }
  const lines = block.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  for (const line of lines) {
    const match = line.match(stamp);
    const time = match === null ? undefined : comparable(match[0]);
    if (time !== undefined) inside = time >= first && time < until;
    isOver = time !== undefined && time >= until;
    if (isOver) return;
    if (!inside) continue;
    found.lines++;
    if (found.shown.length < limit) found.shown.push(line.length > width ? `${line.slice(0, width)}…` : line);
  }
}

const step = 1048576;
let rest = '';
for (let start = low * part; start < size && !isOver; start += step) {
  const text = rest + read_file(file, { start, length: step });
  const end = start + step < size ? text.lastIndexOf('\n') + 1 || text.length : text.length;
  rest = text.slice(end);
  // The first line of a part began before it.
  const begin = start === low * part && low > 0 ? text.indexOf('\n') + 1 : 0;
  const block = text.slice(begin, end);
  look(block.includes('\r') ? block.split('\r\n').join('\n') : block);
}

found;
