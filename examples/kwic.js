/**
 * Every place of a word with the text around it, and how many there are (a concordance).
 *
 * @param {string} [file] - the text; the first attachment, if not given
 * @param {string} word - the word, or a phrase
 * @param {boolean} [ignoreCase=true] - whether "Word" is found as well
 * @param {number} [width=40] - characters shown before and after it
 * @param {number} [limit=20] - how many places are shown, at most 1000
 * @example mustard-sandbox run kwic.js --attach book.txt --input 'word="whale"'
 */
const { file = list_files('attachments:')[0], word, ignoreCase = true, width = 40, limit = 20 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('word', word, typeof word === 'string' && word !== '', 'a text');
check('ignoreCase', ignoreCase, typeof ignoreCase === 'boolean', 'true or false');
check('width', width, Number.isInteger(width) && width >= 0, 'a whole number from 0');
check('limit', limit, Number.isInteger(limit) && limit > 0 && limit <= 1000, 'a whole number from 1 to 1000');

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

const escaped = (text) => text.replace(/[.*+?^${}()|\[\]\\]/g, '\\$&');
// \b knows no letters but those of English, so the neighbours are looked at below.
const lowerCase = word.toLowerCase();
/** What stands between the places. By text and not by pattern, which would count as an instruction for each character. */
function piecesOf(block) {
  if (!ignoreCase) return block.split(word);
  const lower = block.toLowerCase();
  // A few letters, such as the Turkish İ, are two in lower case, and all places after them would be wrong.
  return lower.length === block.length ? lower.split(lowerCase) : block.split(new RegExp(escaped(word), 'gi'));
}
const endsInLetter = /[\p{L}\p{M}\p{N}_]$/u;
const startsWithLetter = /^[\p{L}\p{M}\p{N}_]/u;
const wordEndsInLetter = endsInLetter.test(word);
const wordStartsWithLetter = startsWithLetter.test(word);
const oneLine = (text) => text.replace(/\s+/g, ' ');

const found = { count: 0, places: [] };
let line = 1;
eachBlock(file, (block) => {
  const pieces = piecesOf(block);
  let end = pieces[0].length;
  for (let index = 1; index < pieces.length; index++) {
    const start = end;
    end += word.length + pieces[index].length;
    const before = pieces[index - 1];
    const after = pieces[index];
    const isLetterBefore = before === '' && index > 1 ? wordEndsInLetter : endsInLetter.test(before.slice(-1));
    if (wordStartsWithLetter && isLetterBefore) continue;
    const isLetterAfter =
      after === '' && index < pieces.length - 1 ? wordStartsWithLetter : startsWithLetter.test(after.slice(0, 1));
    if (wordEndsInLetter && isLetterAfter) continue;
    found.count++;
    if (found.places.length >= limit) continue;
    found.places.push({
      line: line + block.slice(0, start).split('\n').length - 1,
      before: oneLine(block.slice(Math.max(0, start - width), start)),
      word: oneLine(block.slice(start, start + word.length)),
      after: oneLine(block.slice(start + word.length, start + word.length + width)),
    });
  }
  if (found.places.length < limit) line += block.split('\n').length - 1;
});

found;
