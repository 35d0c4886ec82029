/**
 * The files of a tree whose path fits a glob, with their sizes, largest first.
 *
 * @param {string} [glob="*"] - such as *.{ts,tsx}, in all folders
 * @param {number} [limit=50] - how many to show
 * @example mustard-sandbox run find-files.js --root . --input 'glob="*.js"'
 */
const { glob = '*', limit = 50 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('glob', glob, typeof glob === 'string' && glob !== '', 'a glob');
check('limit', limit, Number.isInteger(limit) && limit > 0, 'a whole number from 1');

const files = find_files(glob).map((path) => ({ path, size: file_stats(path).size }));
const bytes = files.reduce((sum, { size }) => sum + size, 0);
({ files: files.length, bytes, shown: files.sort((a, b) => b.size - a.size).slice(0, limit) });
