/**
 * The lines that match a pattern in files, with their neighbours; also in .gz and .zst.
 *
 * @param {string} pattern - what to look for, a regular expression
 * @param {string} [where] - a file, a folder or a glob; if not given, the first attachment, or else the whole root
 * @param {string} [flags=""] - flags of the expression, such as `i`
 * @param {number} [around=0] - how many lines to show before and after each
 * @param {number} [limit=50] - how many lines that match to show
 * @example mustard-sandbox run search.js --attach server.log --input 'pattern="E\\d id=7"' --input around=1
 */
const { pattern, where = list_files('attachments:')[0], flags = '', around = 0, limit = 50 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('pattern', pattern, typeof pattern === 'string' && pattern !== '', 'a regular expression');
check('where', where, where === undefined || typeof where === 'string', 'a path or a glob');
check('flags', flags, typeof flags === 'string', 'flags of a regular expression');
check('around', around, Number.isInteger(around) && around >= 0, 'a whole number from 0');
check('limit', limit, Number.isInteger(limit) && limit > 0, 'a whole number from 1');

const found = search(where ?? '.', new RegExp(pattern, flags), { before: around, after: around, limit });
/** A line of a file, as `grep -n` shows it: `:` where it matches, `-` where it is a neighbour. */
const shown = (path, line, sign, text) =>
  `${path}${sign}${line}${sign}${text.length > 300 ? `${text.slice(0, 300)}…` : text}`;
const rows = [];
for (const { path, line, text, before = [], after = [] } of found) {
  before.forEach((text, i) => rows.push(shown(path, line - before.length + i, '-', text)));
  rows.push(shown(path, line, ':', text));
  after.forEach((text, i) => rows.push(shown(path, line + 1 + i, '-', text)));
}
if (found.truncated) rows.push(`… and more than these ${limit}`);
rows.length === 0 ? 'No line matches.' : rows.join('\n');
