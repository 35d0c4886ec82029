// The last lines of a big file, reading only its end.
// Inputs: file ('attachments:server.log'), lines (10).
const path = typeof file === 'undefined' ? 'attachments:server.log' : file;
const wanted = typeof lines === 'undefined' ? 10 : lines;
const { size } = file_stats(path);

let start = size;
let length = 16384;
let text = '';
// One line break more than lines: the one that ends the line before.
while (start > 0 && text.split('\n').length <= wanted + 1) {
  length = Math.min(length * 2, 1048576);
  const from = Math.max(0, start - length);
  text = read_file(path, { start: from, length: start - from }) + text;
  start = from;
}

const all = text.split('\n');
if (all[all.length - 1] === '') all.pop();
all.slice(Math.max(0, all.length - wanted)).join('\n');
