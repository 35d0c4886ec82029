/**
 * The records with a certain value in a field, of JSON lines or of a JSON document.
 *
 * @param {string} [file] - the file; the first attachment, if not given
 * @param {string} [field="level"] - the field, or a path to it, such as "user.plan"
 * @param {any} [equals="error"] - the value: a text, a number, true, false or null
 * @param {number} [limit=10] - how many records are shown
 * @param {number} [width=1000] - a record with more characters of JSON is shown as the start of its text
 * @example mustard-sandbox run json-filter.js --attach events.jsonl --input 'field="user.plan"' --input 'equals="pro"'
 */
const {
  file = list_files('attachments:')[0],
  field = 'level',
  equals = 'error',
  limit = 10,
  width = 1000,
} = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('file', file, typeof file === 'string', 'the path of a text file, or one must be attached');
check('field', field, typeof field === 'string' && field !== '', 'the name of a field');
check('equals', equals, equals === null || typeof equals !== 'object', 'a text, a number, true, false or null');
check('limit', limit, Number.isInteger(limit) && limit >= 0, 'a whole number from 0');
check('width', width, Number.isInteger(width) && width > 0, 'a whole number from 1');

const step = 1048576;
const { size, isText } = file_stats(file);
if (!isText) throw new Error(`${file} is not text`);

const keys = field.split('.');

const found = { matches: 0, records: [] };
let notJson = 0;
function look(record) {
  let item = record;
  for (const key of keys) item = item?.[key];
  if (item !== equals) return;
  found.matches++;
  if (found.records.length >= limit) return;
  const json = JSON.stringify(record);
  found.records.push(json.length > width ? `${json.slice(0, width)}…` : record);
}

/**
 * Parsing every line takes seven times as long as one look at the text of all. The text of a word, a whole
 * number or a boolean is the same in any JSON; of anything else (quotes, é, 1e3) it may not be.
 */
const key = keys[keys.length - 1];
const isPlain = (text) => /^[\w .:-]*$/.test(text);
const hasPlainText =
  typeof equals === 'string' ? isPlain(equals) : typeof equals === 'boolean' || Number.isInteger(equals);
const likely = new RegExp(`^.*"${key}"\\s*:\\s*${JSON.stringify(equals).replace(/\./g, '\\.')}.*$`, 'gm');
function candidates(text) {
  if (hasPlainText && /^[a-z_]\w*$/i.test(key)) return text.match(likely) ?? [];
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** `undefined` when it is none, as the last line of a file that was cut off. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function filterLines() {
  let rest = '';
  for (let start = 0; start < size; start += step) {
    const text = rest + read_file(file, { start, length: step });
    const end = start + step < size ? text.lastIndexOf('\n') + 1 || text.length : text.length;
    rest = text.slice(end);
    for (const line of candidates(text.slice(0, end))) {
      const record = parse(line);
      if (record === undefined) notJson++;
      else look(record);
    }
  }
}

/** A document has to be parsed as a whole, so it has to fit into the script's memory: some megabytes. */
function filterDocument() {
  if (size > 16 * step) throw new Error(`${file} is one JSON document, and too large to be parsed in a script`);
  const parts = [];
  for (let start = 0; start < size; start += step) parts.push(read_file(file, { start, length: step }));
  const document = parse(withoutMark(parts.join('')));
  if (document === undefined) throw new Error(`${file} is neither JSON lines nor a JSON document`);
  const list = Array.isArray(document) ? document : Object.values(document ?? {}).find((item) => Array.isArray(item));
  for (const record of list ?? [document]) look(record);
}

/** Without the byte order mark that some programs write. */
const withoutMark = (text) => (text.startsWith('\uFEFF') ? text.slice(1) : text);
const head = withoutMark(read_file(file, { start: 0, length: Math.min(step, size) })).trimStart();
const firstLine = head.split('\n', 1)[0];
const hasLines = head.startsWith('{') && parse(firstLine) !== undefined && firstLine.length < head.trimEnd().length;
if (hasLines) filterLines();
else if (head !== '') filterDocument();

notJson === 0 ? found : { ...found, notJson };
