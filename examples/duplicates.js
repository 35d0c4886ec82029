/**
 * Lines, or ids in lines, that occur more than once in a file.
 *
 * Remembers every different one: over about 300,000 it needs more memory, and says so. For a million short ids give
 * it --heap 256mb --timeout 30s --input max=1500000.
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {string} [pattern="^.+$"] - a regular expression for what is compared: whole lines, if not given
 * @param {number} [top=10] - how many of the repeated ones, the most frequent
 * @param {number} [max=300000] - how many different ones to remember
 * @example mustard-sandbox run duplicates.js --attach server.log --input 'pattern="id=\\d+"'
 */
const { file = list_files('attachments:')[0], pattern = '^.+$', top = 10, max = 300000 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('pattern', pattern, typeof pattern === 'string' && pattern !== '', 'a regular expression as a text');
check('top', top, Number.isInteger(top) && top > 0, 'a whole number from 1');
check('max', max, Number.isInteger(max) && max > 0, 'a whole number from 1');

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

function compile() {
  try {
    return new RegExp(pattern, 'gm');
  } catch (error) {
    throw new Error(`pattern is not a regular expression of this engine: ${error.message}`);
  }
}

const regex = compile();
const seen = new Set();
const repeated = new Map();
let compared = 0;
/** About the bytes that they take: text and about 100 for each. */
let bytes = 0;
eachBlock(file, (block) => {
  for (const match of block.match(regex) ?? []) {
    compared++;
    if (!seen.has(match)) {
      seen.add(match);
      bytes += match.length + 100;
    } else repeated.set(match, (repeated.get(match) ?? 1) + 1);
  }
  if (seen.size > max || bytes > max * 160) {
    throw new Error(
      `more than ${max} different ones, or very long ones: give a narrower pattern, or more memory and a larger max`,
    );
  }
});

/** The entries with the largest counts. Not by sorting: a list of all that are repeated may not fit into memory. */
function largest(counts, wanted) {
  const best = [];
  for (const [key, count] of counts) {
    let place = best.length;
    while (
      place > 0 &&
      (best[place - 1].count < count || (best[place - 1].count === count && key < best[place - 1].key))
    )
      place--;
    if (place < wanted) best.splice(place, 0, { key, count });
    if (best.length > wanted) best.pop();
  }
  return best;
}

let extra = 0;
for (const count of repeated.values()) extra += count - 1;
({
  compared,
  different: seen.size,
  repeated: repeated.size,
  extra,
  top: largest(repeated, top).map(({ key, count }) => ({ text: key.slice(0, 300), count })),
});
