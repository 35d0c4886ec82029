// How long requests take in a log: count, median, 95th and 99th percentile, maximum, in ms.
// Inputs: file ('attachments:server.log').
const path = typeof file === 'undefined' ? 'attachments:server.log' : file;
const step = 1048576;
const { size } = file_stats(path);

// Counted by value: a sorted list of a million durations would be far over every limit.
const counts = {};
let rest = '';
for (let start = 0; start < size; start += step) {
  const text = rest + read_file(path, { start, length: step });
  const end = start + step < size ? text.lastIndexOf('\n') + 1 : text.length;
  rest = text.slice(end);
  for (const match of text.slice(0, end).match(/ dur=\d+/g) ?? []) counts[match] = (counts[match] ?? 0) + 1;
}

const byDuration = [];
let requests = 0;
let max = 0;
for (const [match, count] of Object.entries(counts)) {
  const ms = Number(match.slice(' dur='.length));
  byDuration[ms] = count;
  requests += count;
  max = Math.max(max, ms);
}

/** The smallest duration that at least this share of the requests did not exceed. */
function percentile(share) {
  let seen = 0;
  for (let ms = 0; ms <= max; ms++) {
    seen += byDuration[ms] ?? 0;
    if (seen >= share * requests) return ms;
  }
  return max;
}

requests === 0
  ? { requests: 0 }
  : { requests, p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99), max };
