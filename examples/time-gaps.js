/**
 * The longest times without a line in a log, and how often the times jump back by as much.
 *
 * The time is the first one in a line, written like 2026-04-20T12:34:56.789, also with a blank for the T.
 *
 * @param {string} [file] - the log; the first attachment, if not given
 * @param {number} [seconds=60] - what is a gap: from so many seconds
 * @param {number} [top=10] - how many gaps, the longest
 * @example mustard-sandbox run time-gaps.js --attach server.log --input seconds=300
 */
const { file = list_files('attachments:')[0], seconds = 60, top = 10 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('seconds', seconds, typeof seconds === 'number' && seconds > 0, 'a number over 0');
check('top', top, Number.isInteger(top) && top > 0, 'a whole number from 1');

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

const upToTime = /^.*?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?/gm;

const found = { times: 0, backwards: 0, gaps: 0, longest: [] };
/** Inserted in order; most gaps of a log with many are shorter than those that are there. */
function addGap(from, to, ms) {
  const { longest } = found;
  let place = longest.length;
  while (place > 0 && longest[place - 1].seconds < ms / 1000) place--;
  longest.splice(place, 0, { from, to, seconds: ms / 1000 });
  if (longest.length > top) longest.pop();
  return longest.length < top ? 0 : longest[top - 1].seconds * 1000;
}

// Times that agree in hour, minute or second cannot be as far apart, and need not be understood.
const agreeing = seconds >= 3600 ? 13 : seconds >= 60 ? 16 : seconds >= 1 ? 19 : 30;
const timeOf = (match) => match.slice(match.lastIndexOf(':') - 16);
/** Without a zone a time is taken for UTC, which is as good as any for a difference. */
const msOf = (time) => Date.parse(time) || Date.parse(time.replace(' ', 'T').replace(',', '.'));
const gapMs = seconds * 1000;
let longerThan = 0;
let last;
/** Of the last time, where it had to be understood. */
let lastMs;
let lastStart = '(none)';
eachBlock(file, (block) => {
  const matches = block.match(upToTime) ?? [];
  found.times += matches.length;
  for (const match of matches) {
    if (match.includes(lastStart)) {
      last = match;
      lastMs = undefined;
      continue;
    }
    const time = timeOf(match);
    const ms = msOf(time);
    if (last !== undefined) {
      const between = ms - (lastMs ?? msOf(timeOf(last)));
      if (between >= gapMs) {
        found.gaps++;
        if (between > longerThan) longerThan = addGap(timeOf(last), time, between);
      } else if (between <= -gapMs) found.backwards++;
    }
    lastStart = time.slice(0, agreeing);
    last = match;
    lastMs = ms;
  }
});

found;
