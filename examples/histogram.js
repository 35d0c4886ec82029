/**
 * The distribution of a number in a column of a CSV file, in a log or in JSON lines.
 *
 * A column takes about 20 MB a second: a CSV file over 30 MB needs more than the usual 2 s.
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {string} [column] - the column of a CSV file with a line of headings
 * @param {string} [before] - instead of a column: the text before each number, such as '"ms":'
 * @param {number} [bins=20] - how many bars at most; their width is a power of two
 * @param {string} [separator=","] - what stands between the fields of a CSV file
 * @example mustard-sandbox run histogram.js --attach orders.csv --input 'column="amount"' --timeout 20s
 */
const { file = list_files('attachments:')[0], column, before, bins = 20, separator = ',' } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('column', column, typeof (column ?? before) === 'string', 'the name of a column, or before must be given');
check('before', before, before === undefined || (typeof before === 'string' && before !== ''), 'a text');
check('bins', bins, Number.isInteger(bins) && bins > 1, 'a whole number from 2');
check('separator', separator, typeof separator === 'string' && separator !== '', 'a text');

const step = 262144;
/** Calls `look` with the records of a CSV file, some thousand at a time: each its text, which may have line breaks. */
function eachRecords(path, look) {
  const { size, isText } = file_stats(path);
  if (!isText) throw new Error(`${path} is not text`);
  let rest = '';
  for (let start = 0; start < size; start += step) {
    const text = rest + read_file(path, { start, length: step });
    const isLast = start + step >= size;
    const end = isLast ? text.length : text.lastIndexOf('\n') + 1;
    const { records, open } = recordsOf(withoutMark(text.slice(0, end)), isLast);
    rest = open + text.slice(end);
    if (rest.length > 4 * step) throw new Error(`${path}: a line is too long, or a quote in it is never closed`);
    look(records);
  }
}

/** Without the byte order mark, which spreadsheets write. */
const withoutMark = (text) => (text.startsWith('\uFEFF') ? text.slice(1) : text);
const isOpen = (text) => text.split('"').length % 2 === 0;
/** Lines, where no quotes hide a line break, and otherwise put together; `open` is the start of a record. */
function recordsOf(text, isLast) {
  const lines = (text.includes('\r') ? text.split('\r\n').join('\n') : text).split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  // Every second piece stands between quotes.
  const pieces = text.split('"');
  let hidesBreak = pieces.length % 2 === 0;
  for (let index = 1; index < pieces.length && !hidesBreak; index += 2) hidesBreak = pieces[index].includes('\n');
  if (!hidesBreak) return { records: lines, open: '' };
  const records = [];
  /** The lines of a record with an open quote. */
  let held = [];
  for (const line of lines) {
    const isOdd = line.includes('"') && isOpen(line);
    if (held.length === 0 && !isOdd) {
      records.push(line);
      continue;
    }
    held.push(line);
    if (!isOdd || held.length === 1) continue;
    records.push(held.join('\n'));
    held = [];
  }
  if (held.length > 0 && isLast) throw new Error(`a quote is never closed: ${held[0].slice(0, 100)}`);
  return { records, open: held.length === 0 ? '' : `${held.join('\n')}\n` };
}

/** The fields of a record with quotes, which may hide separators, line breaks and doubled quotes. */
function parseQuoted(record) {
  const fields = [];
  let quoted;
  for (const piece of record.split(separator)) {
    if (quoted === undefined && !piece.startsWith('"')) {
      fields.push(piece);
      continue;
    }
    quoted = quoted === undefined ? piece : `${quoted}${separator}${piece}`;
    if (isOpen(quoted)) continue;
    fields.push(quoted.slice(1, -1).split('""').join('"'));
    quoted = undefined;
  }
  return fields;
}
const fieldsOf = (record) => (record.includes('"') ? parseQuoted(record) : record.split(separator));

function findColumn(header, name) {
  const index = header.indexOf(name);
  if (index < 0) throw new Error(`there is no column ${name}; there are: ${header.join(', ')}`);
  return index;
}

const megabyte = 1048576;
/** Calls `look` with the text of a file, about 1 MiB of whole lines at a time. Only a longer line is cut. */
function eachBlock(path, look) {
  const { size, isText } = file_stats(path);
  if (!isText) throw new Error(`${path} is not text`);
  let rest = '';
  for (let start = 0; start < size; start += megabyte) {
    const text = rest + read_file(path, { start, length: megabyte });
    const end = start + megabyte < size ? text.lastIndexOf('\n') + 1 || text.length : text.length;
    rest = text.slice(end);
    const block = text.slice(0, end);
    look(block.includes('\r') ? block.split('\r\n').join('\n') : block);
  }
}

const found = { count: 0, notNumbers: 0, min: Infinity, max: -Infinity };
let total = 0;
/** Counts by Math.floor(number / width). The width doubles whenever there are too many. */
let counts = new Map();
let width = 2 ** -20;

function widen() {
  const wider = new Map();
  for (const [cell, count] of counts) {
    const half = Math.floor(cell / 2);
    wider.set(half, (wider.get(half) ?? 0) + count);
  }
  counts = wider;
  width *= 2;
}

function addAll(texts) {
  for (const text of texts) {
    const number = Number(text);
    // Number('') is 0, which is no number of anybody's.
    if (!Number.isFinite(number) || text === '' || text === undefined) {
      found.notNumbers++;
      continue;
    }
    found.count++;
    total += number;
    if (number < found.min) found.min = number;
    if (number > found.max) found.max = number;
    const cell = Math.floor(number / width);
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    while (counts.size > 4 * bins) widen();
  }
}

function addColumn() {
  let index;
  eachRecords(file, (records) => {
    const texts = [];
    for (const record of records) {
      if (record === '') continue;
      const fields = record.includes('"') ? parseQuoted(record) : record.split(separator);
      if (index === undefined) index = findColumn(fields, column);
      else texts.push(fields.at(index));
    }
    addAll(texts);
  });
}

function addMatches() {
  const escaped = (text) => text.replace(/[.*+?^${}()|\[\]\\]/g, '\\$&');
  const pattern = new RegExp(`${escaped(before)}\\s*-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?`, 'g');
  eachBlock(file, (block) => addAll((block.match(pattern) ?? []).map((match) => match.slice(before.length))));
}

if (before === undefined) addColumn();
else addMatches();

const cells = () => [Math.floor(found.min / width), Math.floor(found.max / width)];
while (found.count > 0 && cells()[1] - cells()[0] >= bins) widen();
const bars = [];
if (found.count > 0) {
  const [first, last] = cells();
  for (let cell = first; cell <= last; cell++) {
    bars.push({ from: cell * width, to: (cell + 1) * width, count: counts.get(cell) ?? 0 });
  }
}

found.count === 0 ? { count: 0, notNumbers: found.notNumbers } : { ...found, mean: total / found.count, bins: bars };
