/**
 * The fields of a JSON lines or CSV file: types, how often present, smallest and largest, examples.
 *
 * Looks at a part of the records, from places all over the file; a file of up to 4 MB is read as a whole. The fields of
 * objects in objects are written with a dot, those of lists with [].
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {number} [rows=5000] - how many records to look at
 * @param {number} [fields=100] - how many fields are shown
 * @param {string} [separator=","] - what stands between the fields of a CSV file
 * @example mustard-sandbox run schema.js --attach events.jsonl
 */
const { file = list_files('attachments:')[0], rows = 5000, fields = 100, separator = ',' } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('rows', rows, Number.isInteger(rows) && rows > 0, 'a whole number from 1');
check('fields', fields, Number.isInteger(fields) && fields > 0, 'a whole number from 1');
check('separator', separator, typeof separator === 'string' && separator !== '', 'a text');

const { size, isText } = file_stats(file);
if (!isText) throw new Error(`${file} is not text`);

/** Whole lines of some parts of the file, and of each part as many as it takes. */
const parts = size <= 4 * 1048576 ? Math.ceil(size / 1048576) : 16;
const length = size <= 4 * 1048576 ? 1048576 : 262144;
function linesOf(part) {
  const start = parts === 16 ? Math.floor((part * (size - length)) / 15) : part * length;
  const lines = read_file(file, { start, length }).split('\r\n').join('\n').split('\n');
  return { lines, start, isLast: start + length >= size };
}

const seen = { rows: 0, skipped: 0 };
const columns = new Map();
function note(name, value) {
  const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  let column = columns.get(name);
  if (column === undefined) {
    if (columns.size >= 1000) return;
    column = { present: 0, types: {}, examples: [] };
    columns.set(name, column);
  }
  column.present++;
  column.types[type] = (column.types[type] ?? 0) + 1;
  if (type === 'object' || type === 'list' || type === 'null') return;
  if (type === 'number') {
    column.min = Math.min(column.min ?? value, value);
    column.max = Math.max(column.max ?? value, value);
  }
  const example = type === 'string' ? value.slice(0, 60) : value;
  if (column.examples.length < 3 && !column.examples.includes(example)) column.examples.push(example);
}

/** A record's fields, those in lists once for each record. */
function noteFields(prefix, value, depth) {
  for (const [key, item] of Object.entries(value)) {
    const name = prefix + key;
    note(name, item);
    if (item === null || typeof item !== 'object' || depth > 5) continue;
    if (!Array.isArray(item)) noteFields(`${name}.`, item, depth + 1);
    else if (item.length > 0 && item[0] !== null && typeof item[0] === 'object')
      noteFields(`${name}[].`, item[0], depth + 1);
    else if (item.length > 0) note(`${name}[]`, item[0]);
  }
}

function parseJson(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function addJson(line) {
  const record = parseJson(line);
  if (record === null || typeof record !== 'object') {
    seen.skipped++;
    return;
  }
  seen.rows++;
  noteFields(Array.isArray(record) ? '[]' : '', record, 0);
}

/** Of one line; in quotes there may be separators and doubled quotes. */
function split(line) {
  if (!line.includes('"')) return line.split(separator);
  const all = [];
  let quoted;
  for (const piece of line.split(separator)) {
    if (quoted === undefined && !piece.startsWith('"')) {
      all.push(piece);
      continue;
    }
    quoted = quoted === undefined ? piece : `${quoted}${separator}${piece}`;
    if (quoted.split('"').length % 2 === 0) continue;
    all.push(quoted.slice(1, -1).split('""').join('"'));
    quoted = undefined;
  }
  return all;
}

let header;
/** A record with a line break in quotes is skipped: from the middle of a file nobody can tell where it begins. */
function addCsv(line) {
  const values = split(line);
  if (values.length !== header.length) {
    seen.skipped++;
    return;
  }
  seen.rows++;
  header.forEach((name, index) => {
    const text = values[index];
    if (text === '') return;
    const number = Number(text);
    if (Number.isFinite(number) && text.trim() !== '' && !text.includes('x')) note(name, number);
    else note(name, text === 'true' || text === 'false' ? text === 'true' : text);
  });
}

const [firstLine = ''] = size === 0 ? [] : read_file(file, { start: 0, length: Math.min(size, 262144) }).split('\n', 1);
const isJson = typeof parseJson(firstLine) === 'object';
if (!isJson && /^\uFEFF?\s*[{\[]/.test(firstLine)) {
  throw new Error(
    `${file} is a JSON document, not JSON lines: its fields are found by JSON.parse, if it fits into memory`,
  );
}
header = isJson ? [] : split(firstLine.replace(/^\uFEFF/, '').replace(/\r$/, ''));

let rest = '';
for (let part = 0; part < parts; part++) {
  const { lines, start, isLast } = linesOf(part);
  const isStart = part === 0;
  if (parts < 16) {
    lines[0] = rest + lines[0];
    rest = isLast ? '' : lines.pop();
  } else {
    // Where a part begins or ends within a line, that line is left out.
    if (start > 0) lines.shift();
    if (!isLast) lines.pop();
  }
  const share = Math.ceil(((part + 1) * rows) / parts);
  for (const line of isStart && !isJson ? lines.slice(1) : lines) {
    if (seen.rows >= share) break;
    if (line === '') continue;
    if (isJson) addJson(line);
    else addCsv(line);
  }
}

const shown = [...columns].slice(0, fields).map(([name, { present, ...column }]) => ({
  name,
  present: Math.round((present / seen.rows) * 10000) / 10000,
  ...column,
}));
({ format: isJson ? 'JSON lines' : 'CSV', ...seen, fields: shown, moreFields: Math.max(0, columns.size - fields) });
