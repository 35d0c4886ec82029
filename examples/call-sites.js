// Finds the calls of a function in a tree of source files.
// Inputs: name (required), dir ('.'), extensions (['.js', '.mjs', '.cjs', '.ts', '.tsx', '.jsx']), limit (200).
const folders = [typeof dir === 'undefined' ? '.' : dir];
const endings = typeof extensions === 'undefined' ? ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.jsx'] : extensions;
const wanted = typeof limit === 'undefined' ? 200 : limit;
const step = 1048576;

// Not a parser: a call in a comment or in a string is found as well.
const escaped = name.replace(/[$]/g, '\\$');
const call = new RegExp(`(^|[^\\w$])${escaped}\\s*(\\?\\.)?\\(`);
const definition = new RegExp(`function\\s*\\*?\\s*${escaped}\\s*\\(`);

const found = { files: 0, calls: 0, sites: [] };

function searchText(path, text, firstLine) {
  // Most files do not have the name at all.
  if (!text.includes(name)) return;
  text.split('\n').forEach((line, index) => {
    if (!line.includes(name) || !call.test(line) || definition.test(line)) return;
    found.calls++;
    if (found.sites.length < wanted) found.sites.push({ path, line: firstLine + index, text: line.trim() });
  });
}

function searchFile(path) {
  const { size, isText } = file_stats(path);
  if (!isText) return;
  found.files++;
  let line = 1;
  let rest = '';
  for (let start = 0; start < size; start += step) {
    const text = rest + read_file(path, { start, length: step });
    const end = start + step < size ? text.lastIndexOf('\n') + 1 : text.length;
    const whole = text.slice(0, end);
    rest = text.slice(end);
    searchText(path, whole, line);
    if (rest !== '') line += whole.split('\n').length - 1;
  }
}

while (folders.length > 0) {
  for (const entry of list_files(folders.pop())) {
    if (entry.endsWith('/')) folders.push(entry);
    else if (endings.some((ending) => entry.endsWith(ending))) searchFile(entry);
  }
}

found;
