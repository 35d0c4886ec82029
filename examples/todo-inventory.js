/**
 * The notes left in source files (TODO, FIXME, HACK, XXX): how many, and where.
 *
 * @param {string} [dir="."] - the folder, with all below it
 * @param {string[]} [tags=["TODO", "FIXME", "HACK", "XXX"]] - the words to look for, in capitals as given
 * @param {number} [limit=30] - how many notes are shown
 * @param {number} [top=10] - how many files, those with the most notes
 * @example mustard-sandbox run todo-inventory.js --root src --input limit=10
 */
const { dir = '.', tags = ['TODO', 'FIXME', 'HACK', 'XXX'], limit = 30, top = 10 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
const isList = (value) => Array.isArray(value) && value.length > 0 && value.every((item) => /^\w+$/.test(item));
check('dir', dir, typeof dir === 'string', 'the path of a folder');
check('tags', tags, isList(tags), 'a list of words');
check('limit', limit, Number.isInteger(limit) && limit >= 0, 'a whole number from 0');
check('top', top, Number.isInteger(top) && top > 0, 'a whole number from 1');

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

const lineWithTag = new RegExp(`^.*\\b(?:${tags.join('|')})\\b.*$`, 'gm');
const note = new RegExp(`\\b(${tags.join('|')})\\b(?:\\(([^)]*)\\))?:?\\s*(.*)$`);

const found = { files: 0, notes: 0, byTag: Object.fromEntries(tags.map((tag) => [tag, 0])), byFile: [], shown: [] };
function rank(path, notes) {
  const { byFile } = found;
  let place = byFile.length;
  while (place > 0 && byFile[place - 1].notes < notes) place--;
  if (place < top) byFile.splice(place, 0, { path, notes });
  if (byFile.length > top) byFile.pop();
}

for (const path of filesIn(dir)) {
  const before = found.notes;
  const isText = eachBlock(path, (text, firstLine) => {
    if (!tags.some((tag) => text.includes(tag)) || text.match(lineWithTag) === null) return;
    text.split('\n').forEach((line, index) => {
      const [, tag, owner, rest] = line.match(note) ?? [];
      if (tag === undefined) return;
      found.notes++;
      found.byTag[tag]++;
      if (found.shown.length >= limit) return;
      const text = rest
        .replace(/\s*(?:\*\/|-->)\s*$/, '')
        .trim()
        .slice(0, 200);
      found.shown.push({ path, line: firstLine + index, tag, ...(owner ? { owner } : {}), text });
    });
  });
  if (isText) found.files++;
  if (found.notes > before) rank(path, found.notes - before);
}

found;
