/**
 * How many lines of a log, all or those with a text, there are in each minute, hour or day.
 *
 * The time is the first one in a line, written like 2026-04-20T12:34:56, also with a blank for the T. The unit is the
 * smallest that keeps the answer short.
 *
 * @param {string} [file] - the log; the first attachment, if not given
 * @param {string} [containing=""] - only lines with this text, such as " ERROR "
 * @param {number} [rows=60] - how many rows at most
 * @example mustard-sandbox run timeline.js --attach server.log --input 'containing=" ERROR "'
 */
const { file = list_files('attachments:')[0], containing = '', rows = 60 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('containing', containing, typeof containing === 'string', 'a text');
check('rows', rows, Number.isInteger(rows) && rows > 0, 'a whole number from 1');

const step = 1048576;
/** Calls `look` with the text of a file, about 1 MiB of whole lines at a time. Only a longer line is cut. */
function eachBlock(path, look) {
  const { size, isText } = file_stats(path);
  if (!isText) throw new Error(`${path} is not text`);
  let rest = '';
  for (let start = 0; start < size; start += step) {
    const text = rest + read_file(path, { start, length: step });
    const end = start + step < size ? text.lastIndexOf('\n') + 1 || text.length : text.length;
    rest = text.slice(end);
    const block = text.slice(0, end);
    look(block.includes('\r') ? block.split('\r\n').join('\n') : block);
  }
}

const escaped = (text) => text.replace(/[.*+?^${}()|\[\]\\]/g, '\\$&');
const linesWithText = new RegExp(`^.*${escaped(containing)}.*$`, 'gm');
/** The start of a line up to the minutes of its time. */
const upToMinute = /^.*?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/gm;

let counts = new Map();
let counted = 0;
let withoutTime = 0;
let last;
let lastCount = 0;
function flush() {
  if (lastCount > 0) counts.set(last, (counts.get(last) ?? 0) + lastCount);
  lastCount = 0;
}
eachBlock(file, (block) => {
  const lines = containing === '' ? undefined : (block.match(linesWithText) ?? []);
  const matches = (lines === undefined ? block : lines.join('\n')).match(upToMinute) ?? [];
  if (lines !== undefined) withoutTime += lines.length - matches.length;
  for (const match of matches) {
    // Most lines are of the same minute as the line before them.
    if (last === undefined || !match.endsWith(last)) {
      flush();
      last = match.slice(-16);
    }
    lastCount++;
  }
});
flush();

/** Cut off from the end of a time: to the hour, the day, the month, the year. */
for (const length of [13, 10, 7, 4]) {
  if (counts.size <= rows) break;
  const wider = new Map();
  for (const [key, count] of counts) wider.set(key.slice(0, length), (wider.get(key.slice(0, length)) ?? 0) + count);
  counts = wider;
}

const timeline = [];
let peak;
for (const [key, count] of counts) {
  counted += count;
  const row = { time: key.replace(' ', 'T'), lines: count };
  if (peak === undefined || count > peak.lines) peak = { ...row };
  timeline.push(row);
}
const units = { 16: 'minute', 13: 'hour', 10: 'day', 7: 'month', 4: 'year' };

counted === 0
  ? { lines: 0 }
  : {
      lines: counted,
      ...(containing === '' ? {} : { withoutTime }),
      unit: units[timeline[0].time.length],
      peak,
      timeline: timeline.sort((a, b) => (a.time < b.time ? -1 : 1)).slice(0, rows),
    };
