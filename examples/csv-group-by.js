/**
 * Groups the rows of a CSV file by a column: how many rows, and the sum of another column.
 *
 * Fields may have quotes, and line breaks in them. About 20 MB a second: a file over 30 MB needs more than the usual 2 s.
 *
 * @param {string} [file] - the CSV file with a line of headings; the first attachment, if not given
 * @param {string} by - the column to group by
 * @param {string} [sum] - the column to add up; rows are counted only, if not given
 * @param {number} [top=20] - how many groups, those with the largest sums or the most rows
 * @param {string} [separator=","] - what stands between fields
 * @example mustard-sandbox run csv-group-by.js --attach orders.csv --input 'by="region"' --input 'sum="amount"' --timeout 20s
 */
const { file = list_files('attachments:')[0], by, sum, top = 20, separator = ',' } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('by', by, typeof by === 'string', 'the name of a column');
check('sum', sum, sum === undefined || typeof sum === 'string', 'the name of a column');
check('top', top, Number.isInteger(top) && top > 0, 'a whole number from 1');
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

const groups = new Map();
let rows = 0;
let notNumbers = 0;
let byIndex;
let sumIndex;
eachRecords(file, (records) => {
  // The body of this loop is the whole cost: a call of a function for each row would make it half as much again.
  for (const record of records) {
    if (record === '') continue;
    const fields = record.includes('"') ? parseQuoted(record) : record.split(separator);
    if (byIndex === undefined) {
      byIndex = findColumn(fields, by);
      sumIndex = sum === undefined ? undefined : findColumn(fields, sum);
      continue;
    }
    rows++;
    let group = groups.get(fields.at(byIndex));
    if (group === undefined) {
      group = { group: fields.at(byIndex) ?? '', rows: 0, sum: 0 };
      groups.set(fields.at(byIndex), group);
    }
    group.rows++;
    if (sumIndex === undefined) continue;
    const number = Number(fields.at(sumIndex));
    // Number('') is 0, which is no number of anybody's.
    if (number === number && fields.at(sumIndex) !== '') group.sum += number;
    else notNumbers++;
  }
});

/** Inserted one by one, because sorting thousands of groups is slow in this engine. */
const best = [];
const rank = sum === undefined ? 'rows' : 'sum';
for (const group of groups.values()) {
  let place = best.length;
  while (place > 0 && best[place - 1][rank] < group[rank]) place--;
  if (place < top) best.splice(place, 0, group);
  if (best.length > top) best.pop();
}

const rounded = (number) => Math.round(number * 1e6) / 1e6;
sum === undefined
  ? { rows, groups: groups.size, top: best.map(({ group, rows }) => ({ group, rows })) }
  : { rows, groups: groups.size, notNumbers, top: best.map((group) => ({ ...group, sum: rounded(group.sum) })) };
