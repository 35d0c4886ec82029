// The most common error codes of a log, with their counts.
// Inputs: file ('attachments:server.log'), top (5).
const path = typeof file === 'undefined' ? 'attachments:server.log' : file;
const wanted = typeof top === 'undefined' ? 5 : top;
const step = 1048576;
const { size } = file_stats(path);

const counts = {};
let rest = '';
for (let start = 0; start < size; start += step) {
  const text = rest + read_file(path, { start, length: step });
  const end = start + step < size ? text.lastIndexOf('\n') + 1 : text.length;
  rest = text.slice(end);
  // One match over a whole range is the fastest scan there is: no line is touched by itself.
  for (const code of text.slice(0, end).match(/ ERROR \S+/g) ?? []) counts[code] = (counts[code] ?? 0) + 1;
}

Object.entries(counts)
  .map(([match, count]) => ({ code: match.slice(' ERROR '.length), count }))
  .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
  .slice(0, wanted);
