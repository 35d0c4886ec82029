/**
 * How many lines a file of any size has, how many are empty, and its longest ones.
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {number} [top=3] - how many of the longest to show
 * @example mustard-sandbox run line-lengths.js --attach server.log --timeout 20s
 */
const { file = list_files('attachments:')[0], top = 3 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('top', top, Number.isInteger(top) && top > 0 && top <= 100, 'a whole number from 1 to 100');

let count = 0;
let empty = 0;
let longest = [];
// A line that is not longer than the last of the longest is looked at no further.
let least = 0;
for (const line of lines(file)) {
  count += 1;
  if (line === '') empty += 1;
  else if (line.length > least || longest.length < top) {
    longest.push({ line: count, length: line.length, start: line.slice(0, 80) });
    longest = longest.sort((a, b) => b.length - a.length || a.line - b.line).slice(0, top);
    if (longest.length === top) least = longest[top - 1].length;
  }
}
({ lines: count, empty, longest });
