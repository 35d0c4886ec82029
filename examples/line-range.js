/**
 * The lines of a file from one number on, each with its number, also of a .gz or .zst file.
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {number} [start=1] - the number of the first line, from 1
 * @param {number} [count=20] - how many lines
 * @example mustard-sandbox run line-range.js --attach server.log --input start=3 --input count=2
 */
const { file = list_files('attachments:')[0], start = 1, count = 20 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('start', start, Number.isInteger(start) && start > 0, 'a whole number from 1');
check('count', count, Number.isInteger(count) && count > 0, 'a whole number from 1');

read_lines(file, { start, count })
  .map((line, i) => `${start + i}: ${line.length > 1000 ? `${line.slice(0, 1000)}…` : line}`)
  .join('\n');
