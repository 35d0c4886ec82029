/**
 * How long requests take in a log: count, median, 95th and 99th percentile, maximum.
 *
 * @param {string} [file] - the log; the first attachment, if not given
 * @param {string} [before="dur="] - the text before each duration
 * @example mustard-sandbox run slow-requests.js --attach server.log --input 'before="dur="'
 */
const { file = list_files('attachments:')[0], before = 'dur=' } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('before', before, typeof before === 'string' && before !== '', 'a text');

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

// Counted by value, in an object, which is a little faster than a Map: a list of a million durations takes more memory.
const escaped = (text) => text.replace(/[.*+?^${}()|\[\]\\]/g, '\\$&');
const pattern = new RegExp(`${escaped(before)}\\d+(?:\\.\\d+)?`, 'g');
const counts = {};
eachBlock(file, (block) => {
  for (const match of block.match(pattern) ?? []) counts[match] = (counts[match] ?? 0) + 1;
});

const durations = Object.entries(counts)
  .map(([match, count]) => ({ value: Number(match.slice(before.length)), count }))
  .sort((a, b) => a.value - b.value);
let requests = 0;
for (const { count } of durations) requests += count;

/** The smallest duration that at least this share of the requests did not exceed. */
function percentile(share) {
  let seen = 0;
  for (const { value, count } of durations) {
    seen += count;
    if (seen >= share * requests) return value;
  }
}

requests === 0
  ? { requests }
  : { requests, p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99), max: percentile(1) };
