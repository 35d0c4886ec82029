/**
 * Joins two CSV files on a column, and groups the rows by a column of the smaller one.
 *
 * Such as orders with their customers, by country. The smaller file may have some 100,000 rows; of rows with the same
 * key the last one counts. About 20 MB a second: a file over 30 MB needs more than the usual 2 s.
 *
 * @param {string} [file="attachments:orders.csv"] - the big CSV file with a line of headings
 * @param {string} [lookup="attachments:customers.csv"] - the smaller one
 * @param {string} on - the column of the big file that refers to the smaller one
 * @param {string} [key] - the column of the smaller file that it refers to; the same name, if not given
 * @param {string} by - the column of the smaller file to group by
 * @param {string} [sum] - the column of the big file to add up; rows are counted only, if not given
 * @param {number} [top=20] - how many groups, and keys without a partner
 * @param {string} [separator=","] - what stands between fields, in both files
 * @example mustard-sandbox run csv-join.js --attach orders.csv --attach customers.csv --input 'on="customer"' --input 'by="country"' --timeout 20s
 */
const { file = 'attachments:orders.csv', lookup = 'attachments:customers.csv', top = 20, separator = ',' } = globalThis;
const { on, key = on, by, sum } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file');
check('lookup', lookup, typeof lookup === 'string', 'the path of a text file');
check('on', on, typeof on === 'string', 'the name of a column');
check('key', key, typeof key === 'string', 'the name of a column');
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

/** The group of each key. */
const groupOf = new Map();
let lookupColumns;
eachRecords(lookup, (records) => {
  for (const record of records) {
    if (record === '') continue;
    const fields = fieldsOf(record);
    if (lookupColumns === undefined) lookupColumns = { key: findColumn(fields, key), by: findColumn(fields, by) };
    else groupOf.set(fields[lookupColumns.key], fields[lookupColumns.by] ?? '');
  }
});

const groups = new Map();
const missing = new Map();
let rows = 0;
let matched = 0;
let onIndex;
let sumIndex;
eachRecords(file, (records) => {
  // The body of this loop is the whole cost: a call of a function for each row would make it half as much again.
  for (const record of records) {
    if (record === '') continue;
    const fields = record.includes('"') ? parseQuoted(record) : record.split(separator);
    if (onIndex === undefined) {
      onIndex = findColumn(fields, on);
      sumIndex = sum === undefined ? -1 : findColumn(fields, sum);
      continue;
    }
    rows++;
    const id = fields.at(onIndex);
    const name = groupOf.get(id);
    if (name === undefined) {
      if (missing.size < 1000 || missing.has(id)) missing.set(id, (missing.get(id) ?? 0) + 1);
      continue;
    }
    matched++;
    let group = groups.get(name);
    if (group === undefined) {
      group = { group: name, rows: 0, sum: 0 };
      groups.set(name, group);
    }
    group.rows++;
    // What is no number does not count.
    if (sumIndex >= 0) group.sum += Number(fields.at(sumIndex)) || 0;
  }
});

/** Inserted one by one, because sorting thousands of groups is slow in this engine. */
function largest(list, rank) {
  const best = [];
  for (const item of list) {
    let place = best.length;
    while (place > 0 && best[place - 1][rank] < item[rank]) place--;
    if (place < top) best.splice(place, 0, item);
    if (best.length > top) best.pop();
  }
  return best;
}

const rounded = (number) => Math.round(number * 1e6) / 1e6;
const best = largest([...groups.values()], sum === undefined ? 'rows' : 'sum');
({
  rows,
  matched,
  unmatched: rows - matched,
  groups: best.map(({ group, rows, sum: total }) =>
    sum === undefined ? { group, rows } : { group, rows, sum: rounded(total) },
  ),
  missing: largest(
    [...missing].map(([key, rows]) => ({ key: key ?? '', rows })),
    'rows',
  ),
});
