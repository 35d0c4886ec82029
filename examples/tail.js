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

let found;
try {
  found = read_lines(file, { tail: count });
} catch (error) {
  if (error.code !== 'limit_exceeded') throw error;
  // More than one read gives: of lines that are so long, what fits of the end.
  const { size } = file_stats(file);
  found = read_file(file, { start: Math.max(0, size - 1048576) }).split('\n');
  if (found[found.length - 1] === '') found.pop();
  found = found.slice(Math.max(0, found.length - count));
}
found.map((line) => (line.length > width ? `${line.slice(0, width)}…` : line)).join('\n');
