/**
 * The largest files and folders of a tree, and how much each kind of file takes.
 *
 * @param {string} [dir="."] - the folder, with all below it
 * @param {number} [top=10] - how many of each
 * @example mustard-sandbox run largest-files.js --root .
 */
const { dir = '.', top = 10 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('dir', dir, typeof dir === 'string', 'the path of a folder');
check('top', top, Number.isInteger(top) && top > 0, 'a whole number from 1');

/** The largest so far, in order. */
function rank(list, item) {
  let place = list.length;
  while (place > 0 && list[place - 1].bytes < item.bytes) place--;
  if (place < top) list.splice(place, 0, item);
  if (list.length > top) list.pop();
}

let files = 0;
const largestFiles = [];
const largestFolders = [];
const endings = new Map();

/** The bytes of all files in a folder and below it. */
function measure(folder) {
  const inside = { path: folder, bytes: 0, files: 0 };
  for (const path of list_files(folder)) {
    if (path.endsWith('/')) {
      const below = measure(path);
      inside.bytes += below.bytes;
      inside.files += below.files;
      continue;
    }
    const bytes = file_stats(path).size;
    inside.bytes += bytes;
    inside.files++;
    files++;
    rank(largestFiles, { path, bytes });
    const ending = path.match(/[^\/]\.([^.\/]+)$/)?.[1] ?? '';
    const kind = endings.get(ending) ?? { bytes: 0, files: 0 };
    endings.set(ending, { bytes: kind.bytes + bytes, files: kind.files + 1 });
  }
  rank(largestFolders, inside);
  return inside;
}

const { bytes } = measure(dir);
const kinds = [];
for (const [ending, kind] of endings) rank(kinds, { ending, ...kind });
({ files, bytes, largestFiles, largestFolders, kinds });
