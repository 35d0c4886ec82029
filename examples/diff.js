/**
 * The lines in which two dumps differ: removed and added ones, with their places.
 *
 * Made for big files with few differences, in the same order: equal stretches are compared as a whole. It looks for the
 * place where both agree again within some hundred lines; with more differences than that it still ends, and says more
 * removed and added lines than there need be.
 *
 * @param {string} [before="attachments:before"] - the older one
 * @param {string} [after="attachments:after"] - the newer one
 * @param {number} [limit=20] - how many differences are shown
 * @param {number} [each=5] - lines shown of each, removed and added
 * @param {number} [width=200] - characters of a line at most
 * @example mustard-sandbox run diff.js --attach before=monday.sql --attach after=tuesday.sql
 */
const { before = 'attachments:before', after = 'attachments:after', limit = 20, each = 5, width = 200 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('before', before, typeof before === 'string', 'the path of a text file');
check('after', after, typeof after === 'string', 'the path of a text file');
check('limit', limit, Number.isInteger(limit) && limit >= 0, 'a whole number from 0');
check('each', each, Number.isInteger(each) && each >= 0, 'a whole number from 0');
check('width', width, Number.isInteger(width) && width > 0, 'a whole number from 1');

const step = 1048576;
/** How far apart in lines the two may be where they agree again. */
const window = 400;

function open(path) {
  const { size, isText } = file_stats(path);
  if (!isText) throw new Error(`${path} is not text`);
  return { path, size, next: 0, text: '', line: 1, pending: '' };
}

/** Reads on until a good deal is there, or all. Ends every line with a single line break, the last one too. */
function fill(side) {
  while (side.text.length < step && side.next < side.size) {
    let text = side.pending + read_file(side.path, { start: side.next, length: step });
    side.next += step;
    side.pending = text.endsWith('\r') && side.next < side.size ? '\r' : '';
    if (side.pending !== '') text = text.slice(0, -1);
    side.text += text.includes('\r') ? text.split('\r\n').join('\n') : text;
  }
  if (side.next >= side.size && side.text !== '' && !side.text.endsWith('\n')) side.text += '\n';
}

function drop(side, characters) {
  side.line += side.text.slice(0, characters).split('\n').length - 1;
  side.text = side.text.slice(characters);
}

/** How many characters are the same in both from the start: in strides that grow, and shrink after the first difference. */
function commonLength(a, b) {
  const most = Math.min(a.length, b.length);
  let same = 0;
  let stride = 4096;
  let isGrowing = true;
  while (stride > 0 && same < most) {
    const end = Math.min(most, same + stride);
    if (a.slice(same, end) === b.slice(same, end)) {
      same = end;
      if (isGrowing) stride *= 4;
    } else {
      isGrowing = false;
      stride >>= 1;
    }
  }
  return same;
}

/** The next lines; the last one may go on after what has been read. */
function nextLines(side) {
  if (side.text === '') return [];
  const list = side.text.split('\n', window + 1);
  if (list.length > window || side.text.endsWith('\n')) list.pop();
  return list;
}

/** How many lines to skip on each side until both have the same line again, and the one after it. */
function resync(a, b) {
  const places = new Map();
  for (let index = b.length - 1; index >= 0; index--) places.set(b[index], index);
  let best = { a: a.length, b: b.length };
  for (let index = 0; index < a.length && index < best.a + best.b; index++) {
    const place = places.get(a[index]);
    if (place === undefined || index + place >= best.a + best.b) continue;
    if (a[index + 1] === b[place + 1]) best = { a: index, b: place };
  }
  return best;
}

const found = { same: true, removed: 0, added: 0, differences: 0, shown: [] };
const cut = (list) => list.slice(0, each).map((line) => (line.length > width ? `${line.slice(0, width)}…` : line));
function addDifference(a, b, removed, added) {
  const { shown } = found;
  found.same = false;
  found.removed += removed.length;
  found.added += added.length;
  found.differences++;
  if (shown.length < limit) {
    shown.push({ line: { before: a.line, after: b.line }, removed: cut(removed), added: cut(added) });
  }
}

const charactersOf = (list) => list.join('\n').length + (list.length > 0 ? 1 : 0);
const a = open(before);
const b = open(after);
for (;;) {
  fill(a);
  fill(b);
  if (a.text === '' && b.text === '') break;
  const same = commonLength(a.text, b.text);
  const whole = a.text.lastIndexOf('\n', same - 1) + 1;
  if (same > 0 && whole > 0) {
    drop(a, whole);
    drop(b, whole);
    continue;
  }
  const ours = nextLines(a);
  const theirs = nextLines(b);
  const skip = resync(ours, theirs);
  const removed = ours.slice(0, skip.a);
  const added = theirs.slice(0, skip.b);
  if (removed.length + added.length === 0) throw new Error(`a line is too long to compare: ${a.line} of ${before}`);
  addDifference(a, b, removed, added);
  drop(a, charactersOf(removed));
  drop(b, charactersOf(added));
}

({ ...found, lines: { before: a.line - 1, after: b.line - 1 } });
