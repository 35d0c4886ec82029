/**
 * The most common error codes of a log, with their counts.
 *
 * @param {string} [file] - the log; the first attachment, if not given
 * @param {string} [after=" ERROR "] - the text before a code, which goes up to the next white space
 * @param {number} [top=5] - how many codes
 * @example mustard-sandbox run top-errors.js --attach server.log
 */
const { file = list_files('attachments:')[0], after = ' ERROR ', top = 5 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('after', after, typeof after === 'string' && after !== '', 'a text');
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

// One match over a whole block is the fastest scan there is: no line is touched by itself.
const escaped = (text) => text.replace(/[.*+?^${}()|\[\]\\]/g, '\\$&');
const pattern = new RegExp(`${escaped(after)}\\S+`, 'g');
const counts = new Map();
eachBlock(file, (block) => {
  for (const match of block.match(pattern) ?? []) counts.set(match, (counts.get(match) ?? 0) + 1);
});

[...counts]
  .map(([key, count]) => ({ code: key.slice(after.length), count }))
  .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
  .slice(0, top);
