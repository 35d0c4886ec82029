/**
 * The calls of a function in a tree of source files, with path and line.
 *
 * Not a parser: a call in a comment or in a string is found as well.
 *
 * @param {string} name - the function, without an object before it
 * @param {string} [dir="."] - the folder, with all below it
 * @param {string[]} [extensions=[".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx"]] - endings of the files to look at
 * @param {number} [limit=50] - how many calls are shown
 * @example mustard-sandbox run call-sites.js --root src --input 'name="parse"'
 */
const { name, dir = '.', extensions = ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.jsx'], limit = 50 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
const isList = (value) => Array.isArray(value) && value.every((item) => typeof item === 'string');
check('name', name, typeof name === 'string' && /^[\p{L}\p{N}_$]+$/u.test(name), 'the name of a function');
check('dir', dir, typeof dir === 'string', 'the path of a folder');
check('extensions', extensions, isList(extensions), 'a list of texts');
check('limit', limit, Number.isInteger(limit) && limit >= 0, 'a whole number from 0');

const step = 1048576;
/** Calls `look` with the text of a file and the number of its first line, about 1 MiB of whole lines at a time. */
function eachBlock(path, look) {
  const { size, isText } = file_stats(path);
  if (!isText) return false;
  let line = 1;
  let rest = '';
  for (let start = 0; start < size; start += step) {
    const text = rest + read_file(path, { start, length: step });
    const end = start + step < size ? text.lastIndexOf('\n') + 1 || text.length : text.length;
    rest = text.slice(end);
    const block = text.slice(0, end).split('\r\n').join('\n');
    look(block, line);
    if (rest !== '') line += block.split('\n').length - 1;
  }
  return true;
}

/** All files in a folder and below it. */
function filesIn(folder) {
  const files = [];
  const folders = [folder];
  while (folders.length > 0) {
    for (const entry of list_files(folders.pop())) {
      if (entry.endsWith('/')) folders.push(entry);
      else files.push(entry);
    }
  }
  return files;
}

const escaped = name.replace(/[$]/g, '\\$&');
const call = new RegExp(`(^|[^\\w$])${escaped}\\s*(\\?\\.)?\\(`);
const definition = new RegExp(`function\\s*\\*?\\s*${escaped}\\s*\\(`);

const found = { files: 0, calls: 0, sites: [] };
for (const path of filesIn(dir)) {
  if (!extensions.some((extension) => path.endsWith(extension))) continue;
  const isText = eachBlock(path, (text, firstLine) => {
    // Most files do not have the name at all.
    if (!text.includes(name)) return;
    text.split('\n').forEach((line, index) => {
      if (!line.includes(name) || !call.test(line) || definition.test(line)) return;
      found.calls++;
      if (found.sites.length >= limit) return;
      found.sites.push({ path, line: firstLine + index, text: line.trim().slice(0, 200) });
    });
  });
  if (isText) found.files++;
}

found;
