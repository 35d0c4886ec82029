/**
 * The different stack traces of a log, with how often each occurred.
 *
 * Of JavaScript, Java, .NET and Python. Traces are the same when they differ in numbers only, such as times, ids and
 * addresses.
 *
 * @param {string} [file] - the log; the first attachment, if not given
 * @param {number} [top=5] - how many different traces
 * @param {number} [frames=8] - lines of a trace that are compared and shown
 * @example mustard-sandbox run stack-traces.js --attach server.log --input top=3
 */
const { file = list_files('attachments:')[0], top = 5, frames = 8 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('top', top, Number.isInteger(top) && top > 0, 'a whole number from 1');
check('frames', frames, Number.isInteger(frames) && frames > 0, 'a whole number from 1');

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

/** A message and its frames, or Python's heading, frames and message. */
const trace =
  /^Traceback \(most recent call last\):\n(?:[ \t].*\n)+.*|^.*(?:\n[ \t]+at .+|\n[ \t]+\.\.\. \d+ .+|\nCaused by: .+)+/gm;

const groups = new Map();
let total = 0;
function addTraces(text) {
  for (const match of text.match(trace) ?? []) {
    total++;
    const lines = match.split('\n');
    // Python says what happened in the last line.
    const heading = match.startsWith('Traceback') ? lines.pop() : lines.shift();
    const shown = [heading, ...lines.slice(0, frames)].map((line) => line.trimEnd().slice(0, 300));
    const key = shown.join('\n').replace(/0x[0-9a-f]+|\d+/gi, '#');
    const group = groups.get(key);
    if (group !== undefined) group.count++;
    else if (groups.size < 20000) groups.set(key, { count: 1, example: shown.join('\n') });
  }
}

// A trace must not be cut: a block ends between two lines that are not indented, where no trace goes on.
let open = '';
eachBlock(file, (block) => {
  const text = open + block;
  const last = text.slice(-65536).match(/\n\S.*\n(\S.*\n(?:(?:[ \t]|Caused by: ).*\n)*)$/);
  const cut = text.length - (last === null ? 0 : last[1].length);
  addTraces(text.slice(0, cut));
  open = text.slice(cut);
});
addTraces(open);

const best = [];
for (const group of groups.values()) {
  let place = best.length;
  while (place > 0 && best[place - 1].count < group.count) place--;
  if (place < top) best.splice(place, 0, group);
  if (best.length > top) best.pop();
}

({ traces: total, different: groups.size, top: best.map(({ count, example }) => ({ count, trace: example })) });
